import { expect, test } from 'vitest';
import { breakingChanges } from './changes.ts';

const was = {
  paths: {
    '/runs': {
      get: {
        operationId: 'listRuns',
        'x-scope': 'read',
        parameters: [
          { in: 'query', name: 'status', schema: { enum: ['queued', 'failed'] } },
          { in: 'query', name: 'limit', schema: { type: 'integer', maximum: 200, default: 50 } },
          { in: 'header', name: 'Last-Id', schema: { type: 'string' } },
        ],
        responses: {
          200: {
            headers: { Location: {} },
            content: {
              'application/json; charset=utf-8': {
                schema: {
                  type: 'object',
                  properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Run' } } },
                  required: ['items'],
                },
              },
            },
          },
          404: {},
        },
      },
      post: {
        operationId: 'createRun',
        'x-scope': ['write'],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { name: { type: 'string', maxLength: 60 }, when: { type: ['string', 'null'] } },
                required: ['name'],
                additionalProperties: false,
              },
            },
          },
        },
        responses: { 201: {} },
      },
    },
  },
  webhooks: {
    found: {
      post: {
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Message' } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Run: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          status: { type: 'string', enum: ['queued', 'failed'] },
          n: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        },
        required: ['id', 'status'],
      },
      Message: {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'a' }, a: { type: 'string' } },
            required: ['kind', 'a'],
          },
          { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
        ],
      },
    },
  },
};

/** The document with a piece of its text replaced. */
function changed(piece: object | string, by: object | string): typeof was {
  const text = JSON.stringify(was);
  const [from, to] = [piece, by].map((one) =>
    typeof one === 'string' ? one : JSON.stringify(one).slice(1, -1),
  );
  expect(text, String(from)).toContain(from);
  return JSON.parse(text.replace(String(from), String(to))) as typeof was; // of the same form
}

test('an unchanged document has no breaking change', () => {
  expect(breakingChanges(was, was)).toEqual([]);
});

test.each([
  ['"get":', '"put":', 'GET /runs: operation removed'],
  ['"/runs"', '"/all-runs"', 'GET /runs: operation removed', 'POST /runs: operation removed'],
  ['"listRuns"', '"runs"', 'GET /runs: operationId changed'],
  ['"x-scope":"read"', '"x-scope":["read","run"]', 'GET /runs: scope run needed'],
  ['"name":"status"', '"name":"state"', 'GET /runs: parameter query.status removed'],
  ['"name":"status"', '"required":true,"name":"status"', 'GET /runs: parameter query.status required'],
  [
    '"parameters":[',
    '"parameters":[{"in":"query","name":"x","required":true},',
    'GET /runs: parameter query.x required',
  ],
  ['["queued","failed"]', '["queued"]', 'GET /runs: parameter query.status: values narrowed'],
  ['"maximum":200', '"maximum":100', 'GET /runs: parameter query.limit: maximum narrowed'],
  ['"maximum":200', '"maximum":200,"minimum":1', 'GET /runs: parameter query.limit: minimum narrowed'],
  ['"default":50', '"default":20', 'GET /runs: parameter query.limit: default changed'],
  [
    '"type":"integer","maximum"',
    '"type":"boolean","maximum"',
    'GET /runs: parameter query.limit: type narrowed',
  ],
  ['"name":"Last-Id"', '"name":"Other"', 'GET /runs: parameter header.last-id removed'],
  ['"404":{}', '"410":{}', 'GET /runs: status 404 removed'],
  ['"Location":{}', '', 'GET /runs: header Location of 200 removed'],
  ['application/json; charset=utf-8', 'text/csv', 'GET /runs: application/json of 200 removed'],
  ['"required":["items"]', '"required":[]', 'GET /runs: 200.items: no longer always there'],
  ['"id":{"type":"string"}', '"key":{"type":"string"}', 'GET /runs: 200.items[].id: removed'],
  ['"id":{"type":"string"}', '"id":{"type":"integer"}', 'GET /runs: 200.items[].id: type widened'],
  ['"id":{"type":"string"}', '"id":{"type":["string","null"]}', 'GET /runs: 200.items[].id: type widened'],
  ['"id":{"type":"string"}', '"id":{}', 'GET /runs: 200.items[].id: type widened'],
  ['{"type":"integer"},', '{"type":"number"},', 'GET /runs: 200.items[].n: type widened'],
  ['"name":{"type":"string","maxLength":60},', '', 'POST /runs: body.name: removed'],
  ['"required":["name"]', '"required":["name","when"]', 'POST /runs: body.when: required'],
  ['"maxLength":60', '"maxLength":60,"pattern":"^a"', 'POST /runs: body.name: pattern changed'],
  ['"maxLength":60', '"maxLength":50', 'POST /runs: body.name: maxLength narrowed'],
  ['["string","null"]', '"string"', 'POST /runs: body.when: type narrowed'],
  ['"found":', '"told":', 'webhook found: removed'],
  ['"kind":{"const":"b"}', '"sort":{"const":"b"}', 'webhook found: body.kind: no longer always there'],
])('%s → %s is a breaking change', (piece, by, ...names) => {
  expect(breakingChanges(was, changed(piece, by))).toEqual(names);
});

test('opening a closed reply breaks clients that validate it', () => {
  const closed = changed(
    '"required":["id","status"]',
    '"required":["id","status"],"additionalProperties":false',
  );
  expect(breakingChanges(closed, was)).toEqual(['replies: members may come that are not named']);
  expect(breakingChanges(was, closed)).toEqual([]);
});

test.each([
  ['a new operation', '"get":', '"delete":{},"get":'],
  ['a removed scope', '"x-scope":["write"]', '"x-scope":"open"'],
  ['an optional parameter', '"parameters":[', '"parameters":[{"in":"query","name":"x"},'],
  ['a header in other case', 'Last-Id', 'last-id'],
  ['an additional enum value in a request', '["queued","failed"]', '["queued","failed","lost"]'],
  [
    'an additional enum value in a reply',
    '"type":"string","enum":["queued","failed"]',
    '"type":"string","enum":["x"]',
  ],
  ['an enum instead of any string', '"id":{"type":"string"}', '"id":{"type":"string","enum":["1"]}'],
  ['an additional member in a reply', '"id":{"type":"string"}', '"id":{"type":"string"},"more":{}'],
  ['an additional optional member in a request', '"when":', '"more":{},"when":'],
  ['a value that is no longer null', '[{"type":"integer"},{"type":"null"}]', '[{"type":"integer"}]'],
  ['a wider bound', '"maximum":200', '"maximum":500'],
  ['an additional error', '"404":{}', '"404":{},"409":{}'],
  [
    'an additional message type',
    '"oneOf":[',
    '"oneOf":[{"type":"object","properties":{"kind":{}},"required":["kind"]},',
  ],
])('%s is not a breaking change', (_what, piece, by) => {
  expect(breakingChanges(was, changed(piece, by))).toEqual([]);
});
