/** The OpenAPI document is valid, every operation in it works, and responses match its schemas. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, startForTest } from './running.ts';

type Json = { [name: string]: unknown };
type Operation = { operationId: string; requestBody: { content: Json }; responses: Record<string, Json> };

let service: Client;
let description: Json;
beforeAll(async () => {
  service = await startForTest({ live: [], webGroup: true });
  description = (await (await fetch(`${service.url}/openapi.json`)).json()) as Json; // checked below
});
afterAll(() => service.close());

function operations(): [path: string, operation: Operation][] {
  return Object.entries(description['paths'] as Record<string, { post: Operation }>).map(
    ([path, { post }]) => [path, post],
  );
}
function jsonOf(content: unknown): { schema: Json; example: unknown } {
  return (
    (content as Record<string, { schema: Json; example: unknown }>)['application/json'] ?? {
      schema: {},
      example: null,
    }
  );
}

test('has the required parts of OpenAPI 3.1', () => {
  expect(description['openapi']).toMatch(/^3\.1\.\d$/);
  expect(description['info']).toMatchObject({ title: expect.any(String) as string, version: '0.0.0-test' });
  expect(description['servers']).toEqual([{ url: '/' }, { url: '/sandbox' }, { url: '/live' }]);
  const ids = operations().map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(6);
  for (const [path, { responses, requestBody }] of operations()) {
    expect(path).toMatch(/^\/[\w/]+$/);
    expect(Object.keys(responses)).toEqual(['200', '401', '413', '422', '429', '500']);
    for (const response of Object.values(responses)) expect(response).toHaveProperty('description');
    expect(jsonOf(requestBody.content).schema).toHaveProperty('properties.prompt');
  }
  // Every security that is asked for is described.
  const [need = {}] = description['security'] as Json[];
  for (const name of Object.keys(need)) {
    expect(description).toHaveProperty(`components.securitySchemes.${name}.in`, 'header');
  }
});

test('has no broken reference', () => {
  expect(JSON.stringify(description).match(/"\$ref"|"\$defs"/g)).toBeNull();
});

describe('every documented operation', () => {
  test('returns for its example what its schema says, below every base path', async () => {
    for (const { url } of description['servers'] as { url: string }[]) {
      for (const [path, { requestBody, responses }] of operations()) {
        const response = await service.post(
          `${url === '/' ? '' : url}${path}`,
          jsonOf(requestBody.content).example,
        );
        expect(response.status, path).toBe(200);
        const schema = jsonOf(responses['200']?.['content']).schema;
        expect(misfits(schema, await response.json(), path)).toEqual([]);
      }
    }
  });

  test('refuses as its examples say', async () => {
    for (const [path, { responses }] of operations()) {
      const example = (status: string) => jsonOf(responses[status]?.['content']).example;
      const keyless = await fetch(`${service.url}${path}`, { method: 'POST', body: '{}' });
      expect(await keyless.json()).toEqual(example('401'));
      const empty = (await (await service.post(path, {})).json()) as { detail: unknown[] };
      expect(empty.detail[0]).toEqual((example('422') as { detail: unknown[] }).detail[0]);
      const long = await service.post(path, `{"prompt":"${'x'.repeat(66_000)}"}`);
      expect(await long.json()).toEqual(example('413'));
    }
  });

  test('uses the names of its dialect', () => {
    const schemaAt = (path: string) => JSON.stringify(operations().find(([one]) => one === path)?.[1]);
    expect(schemaAt('/desearch/ai/search')).toContain('Reddit Search');
    expect(schemaAt('/desearch/ai/search')).toContain('reddit_search_results');
    expect(schemaAt('/search/ai/search')).not.toContain('reddit');
    expect(schemaAt('/desearch/ai/search/links/twitter')).toContain('retweet_count');
    expect(schemaAt('/2026/desearch/ai/search')).toContain('"hacker_news_search"');
    expect(schemaAt('/2026/desearch/ai/search')).toContain('include_domains');
    expect(schemaAt('/2026/desearch/ai/search')).toContain('Not supported');
  });
});

test('a mismatch with the schema is detected', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'integer' } },
    required: ['a'],
  };
  expect(misfits(schema, { a: 1 }, '')).toEqual([]);
  expect(misfits(schema, { a: 'x' }, '')).toEqual(['.a is no integer']);
  expect(misfits(schema, { b: 1 }, '')).toEqual([' lacks a', ' has b']);
});

test('the root describes the service and requires no key', async () => {
  const response = await fetch(`${service.url}/`);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    name: 'strandline search service',
    description: '/openapi.json',
  });
});

/** What of a value is not as a JSON schema says; knows the words that our schemas use. */
function misfits(schema: Json, value: unknown, at: string): string[] {
  const options = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (options)
    return options.some((one) => misfits(one, value, at).length === 0) ? [] : [`${at} fits no option`];
  const words = schema['enum'] as unknown[] | undefined;
  if (words && !words.includes(value)) return [`${at} is no word of the list`];
  const type = schema['type'];
  if (typeof type === 'string' && !isOf(type, value)) return [`${at} is no ${type}`];
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => misfits((schema['items'] ?? {}) as Json, item, `${at}[${i}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  if (schema['properties'] === undefined) return []; // any JSON value
  const properties = schema['properties'] as Record<string, Json>;
  const required = (schema['required'] ?? []) as string[];
  return [
    ...required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${at} lacks ${name}`),
    ...Object.entries(value).flatMap(([name, inside]) => {
      const known = properties[name];
      if (known) return misfits(known, inside, `${at}.${name}`);
      return schema['additionalProperties'] === undefined ? [`${at} has ${name}`] : [];
    }),
  ];
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
