/** What a log line may contain of an error. */
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { inTransaction, openDatabase } from '../../src/store/db/database.ts';
import { insertToken } from '../../src/store/access/tokens.ts';
import { emptyDatabase } from '../database.ts';
import { onRedis } from '../backends.ts';

const CANARY = 'canary-5f0c"\\/+=ö of the log';
const database = await emptyDatabase();
const db = openDatabase(database.url, { log: createLogger('silent') });
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** What is written of an error, at the level that tells most. */
function told(err: unknown, secrets: string[] = []): string {
  const lines: string[] = [];
  createLogger('trace', secrets, { write: (line) => lines.push(line) }).error({ err }, 'it failed');
  expect(lines).toHaveLength(1);
  expect(() => JSON.parse(lines[0] ?? '')).not.toThrow();
  return lines.join();
}

const failure = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => expect.unreachable('it was to fail'),
    (error: Error) => error,
  );

test('a failed query is logged without its parameters, whoever created the error', async () => {
  const token = { prefix: 'abcdefgh', name: CANARY, scopes: ['read'], expires_at: null };
  const drizzle = await failure(
    inTransaction(db, (tx) => insertToken(tx, { ...token, hash: Buffer.from('x'), now: new Date(0) })),
  );
  expect(drizzle.message).toContain(CANARY); // as the library has it
  const line = told(drizzle);
  expect(line).not.toContain('canary-5f0c');
  expect(line).toContain('42P01');
  expect(line).toMatch(/relation .*does not exist/);
});

test('the row of a constraint violation is not logged', async () => {
  await db.pool.query('CREATE TABLE public.kept (secret text UNIQUE, n int CHECK (n > 0))');
  await db.pool.query('INSERT INTO public.kept VALUES ($1, 1)', [CANARY]);
  const twice = await failure(db.pool.query('INSERT INTO public.kept VALUES ($1, 1)', [CANARY]));
  const refused = await failure(db.pool.query('INSERT INTO public.kept VALUES ($1, -1)', [`${CANARY}2`]));
  for (const error of [twice, refused]) {
    expect(JSON.stringify(error)).toContain('canary-5f0c');
    const line = told(new Error('around it', { cause: error }));
    expect(line).not.toContain('canary-5f0c');
    expect(line).toMatch(/"code":"235(05|14)".*"constraint":"kept_/);
  }
});

onRedis('of Redis', (redisUrl) => {
  test('a failed Redis command is logged without its arguments', async () => {
    const redis = new Redis(redisUrl, { lazyConnect: true });
    const refused = await failure(
      redis.call('AUTH', 'default', CANARY).then(() => redis.call('SET', CANARY)),
    );
    redis.disconnect();
    expect(told(refused)).not.toContain('canary-5f0c');
  });
});

test('an error is logged with its kind, place and cause only', () => {
  const inner = Object.assign(new RangeError('no answer'), { code: 'ECONNRESET', body: CANARY, port: 5432 });
  const many = new AggregateError([inner, 'words alone'], 'two ways failed');
  const line = JSON.parse(
    told(Object.assign(new Error('outer', { cause: many }), { headers: { a: CANARY } })),
  );
  expect(line.err).toMatchObject({
    type: 'Error',
    message: 'outer',
    stack: expect.stringMatching(/^\s+at .*logger\.test\.ts/),
    cause: {
      type: 'AggregateError',
      message: 'two ways failed',
      errors: [{ type: 'RangeError', message: 'no answer', code: 'ECONNRESET', port: 5432 }, 'words alone'],
    },
  });
  expect(JSON.stringify(line)).not.toContain('canary-5f0c');
});

test.each([
  ['verbatim', CANARY],
  ['as JSON', JSON.stringify(CANARY)],
  ['as in a URL', `https://host/?key=${encodeURIComponent(CANARY)}`],
  ['as in a basic auth header', Buffer.from(CANARY).toString('base64')],
  ['inside a word', `the key ${CANARY} is not valid`],
])('a known secret is never logged: %s', (_, said) => {
  const circle: Record<string, unknown> = { message: said };
  circle['self'] = circle;
  for (const one of [new Error(said), new Error('x', { cause: said }), circle, { detail: said }, said]) {
    const lines: string[] = [];
    const log = createLogger('trace', [CANARY], { write: (line) => lines.push(line) });
    log.child({ bound: said }).warn({ err: one, other: { deep: { deeper: said } } }, `it said ${said}`);
    for (const form of [CANARY, JSON.stringify(CANARY).slice(1, -1), encodeURIComponent(CANARY)])
      expect(lines.join()).not.toContain(form);
    expect(lines.join()).not.toContain(Buffer.from(CANARY).toString('base64'));
    expect(lines.join()).toContain('[hidden]');
  }
});

test('a logged message cannot forge a line or send control characters to a terminal', () => {
  const said = 'broken\n{"level":"info","msg":"all is well"}\r\u001b[2J\u2028\u202e\u0000';
  const line = told(new Error(said));
  // oxlint-disable-next-line no-control-regex -- exactly these are what is looked for
  expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u2028\u202e]/);
});
