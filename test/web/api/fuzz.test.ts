/** Whatever is sent, nothing of ours breaks, and whoever sent it is told what was wrong. */
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { documentOf, operationsOf } from './operations.ts';
import { type Request, requestOf } from './requests.ts';
import { seededApi } from './world.ts';

const api = await seededApi();
afterAll(() => api.close());
const document = documentOf(api.app);
const answered = new Map<number, number>();

/** A stream that is begun rightly does not end; what it refuses is in tests of its own. */
const operations = operationsOf(document).filter(
  ({ responses }) => !('text/event-stream' in (responses['200']?.content ?? {})),
);

test.each(operations)('$operationId', async (operation) => {
  await fc.assert(
    fc.asyncProperty(requestOf(operation, document), async (request) => {
      const { status, type, problem } = await send(request);
      answered.set(status, (answered.get(status) ?? 0) + 1);
      expect(Object.keys(operation.responses), JSON.stringify(problem)).toContain(String(status));
      if (status < 400) return;
      expect(type).toBe('application/problem+json');
      expect(problem).toMatchObject({ status, title: expect.any(String) as unknown });
      const told = { path: expect.stringMatching(/./) as unknown, expected: expect.any(String) as unknown };
      if (status === 400)
        expect(problem).toMatchObject({
          errors: expect.arrayContaining([expect.objectContaining(told)]) as unknown,
        });
    }),
    { seed: 20_261_121, numRuns: 15 },
  );
});

test('enough of it was right, and enough was wrong', () => {
  const all = [...answered.values()].reduce((sum, n) => sum + n, 0);
  const share = (from: number, to: number) =>
    [...answered].reduce((sum, [status, n]) => sum + (status >= from && status < to ? n : 0), 0) / all;
  expect(share(200, 300), JSON.stringify([...answered])).toBeGreaterThan(0.1);
  expect(share(400, 500)).toBeGreaterThan(0.3);
});

async function send({ type, ...request }: Request) {
  const headers = type === undefined ? api.headers : { ...api.headers, 'content-type': type };
  const { statusCode, headers: sent, body } = await api.app.inject({ ...request, headers });
  const status = statusCode;
  return {
    status,
    type: String(sent['content-type']).replace(/;.*/, ''),
    problem: status >= 400 ? (JSON.parse(body) as unknown) : undefined,
  };
}
