/** The document is held to the truth: what it promises is called, and what is served stands in it. */
import { afterAll, describe, expect, test } from 'vitest';
import {
  documentOf,
  exampleOf,
  type Operation,
  operationsOf,
  type Parameter,
  shapeOf,
  urlOf,
} from './operations.ts';
import { writeExamples, writing } from './examples.ts';
import { seededApi } from './world.ts';

const api = await seededApi();
const replies = new Map<string, unknown>();
afterAll(async () => {
  await api.close();
  if (writing) await writeExamples(replies);
});
const document = documentOf(api.app);
const operations = operationsOf(document);
const streams = (operation: Operation) => 'text/event-stream' in (operation.responses['200']?.content ?? {});

describe.each(operations.filter((operation) => !streams(operation)))('$operationId', (operation) => {
  test('answers its example as the document says', async () => {
    const { status, type, body } = await call(operation);
    expect(status, JSON.stringify(body)).toBe(successOf(operation));
    expectDocumented(operation, status, type, body);
    if (type === 'application/json') replies.set(operation.operationId, body);
  });

  test.skipIf(writing)('shows a reply as the document says', () => {
    const shown = operation.responses[String(successOf(operation))]?.content?.['application/json'];
    if (shown === undefined) return;
    expect(shown.example, 'none: npm run -s api:examples').toBeDefined();
    expectDocumented(operation, successOf(operation), 'application/json', shown.example);
  });

  const options = operation.method === 'GET' ? operation.parameters.filter((one) => one.in === 'query') : [];
  if (options.length === 0) return;
  test('and each of its options', async () => {
    for (const option of options) {
      if (option.required || exampleOf(option) === undefined) continue;
      const { status, type, body } = await call(operation, option);
      expect(status, `${option.name}: ${JSON.stringify(body)}`).toBeLessThan(500);
      expectDocumented(operation, status, type, body);
    }
  });
});

test.each(operations.filter(streams))('$operationId streams', async (operation) => {
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const leaving = new AbortController();
  const { status, headers } = await fetch(`${address}${urlOf(operation)}`, {
    headers: api.headers,
    signal: leaving.signal,
  });
  leaving.abort();
  expect({ status, type: headers.get('content-type') }).toMatchObject({
    status: 200,
    type: expect.stringContaining('text/event-stream') as unknown,
  });
});

test('every route of the API is documented, and everything documented is a route', () => {
  const served = api.app.routeTable.flatMap(({ method, url }) =>
    url.startsWith('/api/') && method !== 'HEAD' ? [`${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`] : [],
  );
  expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(served.toSorted());
});

test('every operation has a name of its own, a sentence, a tag and a scope, and every body an example', () => {
  const names = operations.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  for (const operation of operations) {
    expect(operation, operation.path).toMatchObject({
      operationId: expect.stringMatching(/^[a-z]+[a-zA-Z]*$/) as unknown,
      summary: expect.stringMatching(/^[A-Z].*[^.]$/) as unknown,
      tags: [expect.any(String)],
      'x-scope': expect.anything() as unknown,
    });
    if (operation.body !== undefined) expect(exampleOf(operation.body), operation.path).toBeTypeOf('object');
  }
});

test('every member of a row says what it is', () => {
  const silent = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    'x-view' in schema
      ? Object.entries(schema['properties'] as Record<string, object>).flatMap(([member, shape]) =>
          'description' in shape || '$ref' in shape ? [] : [`${name}.${member}`],
        )
      : [],
  );
  expect(silent).toEqual([]);
});

/** The one success that an operation has. */
function successOf({ responses, operationId }: Operation): number {
  const successes = Object.keys(responses).filter((status) => status.startsWith('2'));
  expect(successes, operationId).toHaveLength(1);
  return Number(successes[0]);
}

async function call(
  operation: Operation,
  option?: Parameter,
): Promise<{ status: number; type: string; body: unknown }> {
  const payload = operation.body && { payload: exampleOf(operation.body) as object }; // bodies are objects
  const { statusCode, headers, body } = await api.app.inject({
    method: operation.method,
    url: urlOf(operation, option),
    headers: api.headers,
    ...payload,
  });
  const type = String(headers['content-type']).replace(/;.*/, '');
  return { status: statusCode, type, body: type.endsWith('json') ? JSON.parse(body) : body };
}

function expectDocumented(operation: Operation, status: number, type: string, body: unknown): void {
  const media = Object.entries(operation.responses[String(status)]?.content ?? {});
  expect(
    media.map(([one]) => one.replace(/;.*/, '')),
    `${status}`,
  ).toContain(type);
  const schema = media.find(([one]) => one.startsWith(type))?.[1].schema;
  if (!type.endsWith('json') || schema === undefined) return;
  const checked = shapeOf(document, schema).safeParse(body);
  expect(checked.error?.issues ?? [], JSON.stringify(body).slice(0, 2_000)).toEqual([]);
}
