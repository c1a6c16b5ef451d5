/**
 * Whatever is sent, nothing breaks, the sender learns what was wrong, and every reply is as the document
 * says: its status, its headers, its body.
 *
 * Requests are made from the document. `npm run test:api` sends more of them, of a new seed; API_SEED brings back those
 * of one seed.
 */
import { randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { addressOf, documentOf, exampleOf, type Operation, operationsOf } from './operations.ts';
import { replyChecker } from './replies.ts';
import { type Request, requestOf, type Seen } from './requests.ts';
import { seededApi } from './world.ts';

const { API_SEED, API_REQUESTS } = process.env;
const COUNT = Number(API_REQUESTS ?? 340);
const SEED = API_SEED === 'any' ? randomInt(2 ** 31) : Number(API_SEED ?? 20_261_121);

const api = await seededApi();
afterAll(() => api.close());
const document = documentOf(api.app);
const { wrongIn } = replyChecker(document);
const answered = new Map<number, number>();

/** A stream that is begun rightly does not end; what it refuses is in tests of its own. */
const operations = operationsOf(document).filter(
  ({ responses }) => !('text/event-stream' in (responses['200']?.content ?? {})),
);
const seen = await lookAround();
const EACH = Math.ceil(COUNT / operations.length);

test.each(operations)(
  '$operationId',
  async (operation) => {
    await fc.assert(
      fc.asyncProperty(requestOf(operation, document, seen), async (request) => {
        // It would close the door behind this test.
        fc.pre(!(operation.operationId === 'revokeToken' && request.url.startsWith('/api/v1/tokens/2')));
        const { statusCode: status, headers, body } = await send(request);
        answered.set(status, (answered.get(status) ?? 0) + 1);
        expect(wrongIn(operation, { status, headers, body }), body.slice(0, 2_000)).toEqual([]);
        expect(status, body).not.toBe(500);
        if (status < 400) return;
        const told = { path: expect.stringMatching(/./) as unknown, expected: expect.any(String) as unknown };
        expect(JSON.parse(body)).toMatchObject({ status, title: expect.any(String) as unknown });
        if (status === 400)
          expect(JSON.parse(body)).toMatchObject({
            errors: expect.arrayContaining([expect.objectContaining(told)]) as unknown,
          });
      }),
      // With one seed for all, each operation would be sent the same mistakes.
      { seed: SEED + operations.indexOf(operation), numRuns: EACH },
    );
  },
  20_000 + EACH * 200,
);

test(`${COUNT} requests, seed ${SEED}: enough of them are valid, and enough are invalid`, () => {
  const counts = [...answered].toSorted(([a], [b]) => a - b);
  const all = counts.reduce((sum, [, n]) => sum + n, 0);
  const share = (from: number, to: number) =>
    counts.reduce((sum, [status, n]) => sum + (status >= from && status < to ? n : 0), 0) / all;
  process.stdout.write(`seed ${SEED}, ${all} requests: ${counts.map((one) => one.join(' x ')).join(', ')}\n`);
  expect(share(200, 300), JSON.stringify(counts)).toBeGreaterThan(0.1);
  expect(share(400, 500)).toBeGreaterThan(0.3);
  // They were asked with what replies had given.
  expect(seen.cursors.length).toBeGreaterThan(5);
});

function send({ headers, ...request }: Request) {
  return api.app.inject({ ...request, headers: { ...headers, ...api.headers } });
}

/** Cursors, ids and slugs of everything that can be listed. */
async function lookAround(): Promise<Seen> {
  const cursors = new Set<string>();
  const names = new Set<string>();
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    const url = addressOf(operation.path, given(operation, 'path'), pageOfOne(operation));
    const { statusCode, headers, body } = await api.app.inject({ url, headers: api.headers });
    if (statusCode !== 200 || !String(headers['content-type']).startsWith('application/json')) continue;
    JSON.parse(body, (name, value: unknown) => {
      if (typeof value !== 'string') return value;
      if (name === 'next_cursor') cursors.add(value);
      else if (/(?:^|_)(?:id|slug)$|^(?:topic|search|rule|channel)$/.test(name) && names.size < 200)
        names.add(value);
      return value;
    });
  }
  return { cursors: [...cursors], names: [...names] };
}

function pageOfOne({ parameters, ...rest }: Operation): Record<string, unknown> {
  const required = given({ parameters: parameters.filter((one) => one.required), ...rest }, 'query');
  return parameters.some(({ name }) => name === 'cursor') ? { ...required, limit: 1 } : required;
}

function given({ parameters }: Operation, place: 'path' | 'query'): Record<string, unknown> {
  return Object.fromEntries(
    parameters.filter((one) => one.in === place).map((one) => [one.name, exampleOf(one)]),
  );
}
