/** The document is true: everything in it is called, and every route is in it. */
import { afterAll, describe, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import {
  documentOf,
  exampleOf,
  type Operation,
  operationsOf,
  type Parameter,
  type Schema,
  urlOf,
} from './operations.ts';
import { webhookKind } from '../../../src/monitor/alerts/channels/webhook.ts';
import { describeDiscoveries, describeTest } from '../../../src/monitor/alerts/message.ts';
import { writeExamples, writing } from './examples.ts';
import { replyChecker } from './replies.ts';
import { seededApi } from './world.ts';

const { version, license } = packageJson;
const api = await seededApi();
const replies = new Map<string, unknown>();
afterAll(async () => {
  await api.close();
  if (writing) await writeExamples(replies);
});
const document = documentOf(api.app);
const operations = operationsOf(document);
const { wrongIn, misfits } = replyChecker(document);
const streams = (operation: Operation) => 'text/event-stream' in (operation.responses['200']?.content ?? {});

describe.each(operations.filter((operation) => !streams(operation)))('$operationId', (operation) => {
  test('responds to its example as documented', async () => {
    const reply = await call(operation);
    expect(reply.status, reply.body).toBe(successOf(operation));
    expect(wrongIn(operation, reply)).toEqual([]);
    if (String(reply.headers['content-type']).startsWith('application/json'))
      replies.set(operation.operationId, JSON.parse(reply.body));
  });

  test.skipIf(writing)('shows a reply as documented', () => {
    const shown = operation.responses[String(successOf(operation))]?.content?.['application/json'];
    if (shown === undefined) return;
    expect(shown.example, 'none: npm run -s api:examples').toBeDefined();
    const headers = { 'content-type': 'application/json', location: '', 'content-disposition': '' };
    const reply = { status: successOf(operation), headers, body: JSON.stringify(shown.example) };
    expect(wrongIn(operation, reply).filter((words) => !words.startsWith('header'))).toEqual([]);
  });

  const options = operation.method === 'GET' ? operation.parameters.filter((one) => one.in === 'query') : [];
  if (options.length === 0) return;
  test('accepts each of its options', async () => {
    for (const option of options) {
      if (option.required || exampleOf(option) === undefined) continue;
      const reply = await call(operation, option);
      expect(reply.status, `${option.name}: ${reply.body}`).toBeLessThan(500);
      expect(wrongIn(operation, reply), option.name).toEqual([]);
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

test('every operation has a unique name, a summary, a tag and a scope, and every body an example', () => {
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

test('every operation has more than a summary, and its replies and tags are described', () => {
  const declared = document.tags.map(({ name }) => name);
  for (const { operationId, summary, description, tags, responses } of operations) {
    expect(description, operationId).toMatch(/^\S.{20,}[.]$/s);
    expect(description, operationId).not.toBe(`${summary}.`);
    for (const reply of Object.values(responses)) {
      expect(reply.description, operationId).toMatch(/^\S.*[.]$/);
      expect(reply.description, operationId).not.toContain('Default');
    }
    for (const tag of tags ?? []) expect(declared).toContain(tag);
  }
  const used = new Set(operations.flatMap(({ tags }) => tags ?? []));
  expect(document.tags.filter(({ name, description }) => !used.has(name) || description === '')).toEqual([]);
  expect(document.info).toMatchObject({ version, license: { name: license, identifier: license } });
});

test('replies are open, requests are closed, and no pattern requires a flag', () => {
  const ofReplies = JSON.stringify([document.components, operations.map(({ responses }) => responses)]);
  expect(ofReplies).not.toContain('"additionalProperties":false');
  for (const { operationId, body } of operations)
    if (body?.schema !== undefined)
      expect(JSON.stringify(body.schema), operationId).toContain('"additionalProperties":false');
  for (const [, pattern = ''] of JSON.stringify(document).matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)) {
    const text = String(JSON.parse(`"${pattern}"`));
    expect(text).not.toMatch(/\\p\{/);
    expect(() => new RegExp(text)).not.toThrow();
  }
});

test('webhook messages are as documented', () => {
  const at = new Date('2026-11-21T12:00:00Z');
  const schemaOf = (type: string) =>
    document.webhooks[type]?.post.requestBody.content['application/json']?.schema ?? {};
  const told = webhookKind.compose(
    describeDiscoveries({
      rule: { slug: 'r', name: 'R' },
      counts: { link: 1 },
      muted: { since: at, until: at, topic: 't', topic_name: 'T', delivery: 7n },
      limit: { per_day: 5, number: 5, waited: true, rest_of_day: 'none' },
      names: new Map(),
      entries: [
        {
          id: 1n,
          kind: 'link',
          at,
          baseline: false,
          run_id: 3n,
          search_id: 1n,
          search: 's',
          topic_id: 1n,
          topic: 't',
          service_kind: 'sandbox',
          first_in_topic: true,
          first_of_kind: true,
          has_goal: false,
          key: 'https://h/',
          link: {
            id: 2n,
            url: 'https://h/',
            site: 'h',
            title: null,
            snippet: 's',
            published_at: at,
            post: null,
          },
        },
      ],
      ids: [1n, 2n],
      at,
      baseUrl: undefined,
    }),
  );
  expect(misfits(schemaOf('strandline.discoveries'), told)).toEqual([]);
  expect(misfits(schemaOf('strandline.discoveries'), told.replace('"link":{', '"post":{'))).not.toEqual([]);
  expect(misfits(schemaOf('strandline.test'), webhookKind.compose(describeTest('c', at)))).toEqual([]);
});

test('every closed list of a column is an enum in replies', () => {
  const { schemas } = document.components;
  const listOf = (name: string, member: string): unknown => {
    const { [member]: shape = {} } = Object(schemas[name]?.['properties']) as Record<string, Schema>; // of a row
    return shape['enum'] ?? (shape['anyOf'] as Schema[] | undefined)?.find((one) => 'enum' in one)?.['enum'];
  };
  expect(listOf('Discovery', 'kind')).toEqual([
    'post',
    'link',
    'completion',
    'spike',
    'trend',
    'growth',
    'name',
  ]);
  for (const [name, ...members] of [
    ['Run', 'status', 'trigger', 'code'],
    ['Call', 'state', 'code'],
    ['Reject', 'code'],
    ['Search', 'service_kind', 'operation', 'state', 'sensitivity', 'model', 'date_filter'],
    ['Delivery', 'state', 'code'],
    ['Channel', 'kind', 'state'],
    ['Rule', 'state'],
    ['Claim', 'role'],
    ['Spike', 'measure', 'sensitivity'],
    ['LinkSource', 'source'],
    ['KeyItem', 'list'],
    ['Problem', 'type'],
  ] as const)
    for (const member of members) expect(listOf(name, member), `${name}.${member}`).toBeInstanceOf(Array);
});

test('every member of a row has a description', () => {
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
/** A PUT replaces what its example names. */
function successOf({ method, responses, operationId }: Operation): number {
  const successes = Object.keys(responses).filter((status) => status.startsWith('2'));
  if (method === 'PUT') expect(successes, operationId).toEqual(['200', '201']);
  else expect(successes, operationId).toHaveLength(1);
  return Number(successes[0]);
}

async function call(operation: Operation, option?: Parameter) {
  const payload = operation.body && { payload: exampleOf(operation.body) as object }; // bodies are objects
  const { statusCode, headers, body } = await api.app.inject({
    method: operation.method,
    url: urlOf(operation, option),
    headers: api.headers,
    ...payload,
  });
  return { status: statusCode, headers, body };
}
