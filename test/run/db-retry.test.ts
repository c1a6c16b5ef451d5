/** What the log says about a failed database matches what happened. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDbRetry } from '../../src/monitor/runs/db-outage.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

test.each([
  [
    'rejected data is reported, and the work is not repeated',
    '22P02',
    ['data refused by the database; not retried'],
  ],
  ['an unavailable lock is waited for', '55P03', ['database unavailable; retrying']],
])('%s', async (_, code, logged) => {
  const lines: string[] = [];
  const log = createLogger('warn', [], { write: (line) => void lines.push(line) });
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries === 1)
      await world.db.pool.query(`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${code}'; END $$`);
    return tries;
  };
  const end = await withDbRetry({ log }, work).catch((error: unknown) => error);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(logged); // pino's own member
  if (code === '22P02') expect(end).toBeInstanceOf(Error);
  else expect(end).toBe(2);
});

test('an error unrelated to the database does not mention it', async () => {
  const lines: string[] = [];
  const log = createLogger('warn', [], { write: (line) => void lines.push(line) });
  await expect(withDbRetry({ log }, () => Promise.reject(new TypeError('x')))).rejects.toThrow(TypeError);
  expect(lines).toEqual([]);
});
