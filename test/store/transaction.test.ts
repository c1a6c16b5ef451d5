/** Statements of one transaction that are sent before the previous ones have returned. */
import { afterAll, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import {
  awaitAll,
  inTransaction,
  isUnreachable,
  openDatabase,
  readSqlState,
} from '../../src/store/db/database.ts';
import { freshDatabase } from '../database.ts';

const database = await freshDatabase();
const db = openDatabase(database.url, { max: 1, log: createLogger('silent') });
afterAll(async () => {
  await db.close();
  await database.drop();
});
await db.pool.query('CREATE TABLE strandline.kept (n integer PRIMARY KEY)');

const raise = (code: string) => `DO $$ BEGIN RAISE EXCEPTION 'planned' USING ERRCODE = '${code}'; END $$`;
const kept = async () =>
  (await db.pool.query<{ n: number }>('SELECT n FROM strandline.kept ORDER BY n')).rows;

test('reports the first failure, even if a later one arrives earlier', async () => {
  const failing = (code: string) => Object.assign(new Error('planned'), { code });
  const awaitedBy = async (functions: number, error: Error): Promise<void> => {
    if (functions === 0) throw error;
    await awaitedBy(functions - 1, error);
  };
  const deadlock = failing('40P01');
  await expect(awaitAll([awaitedBy(3, deadlock), awaitedBy(0, failing('25P02'))])).rejects.toBe(deadlock);
  await expect(awaitAll([awaitedBy(0, failing('25P02')), awaitedBy(3, deadlock)])).rejects.toBe(deadlock);
});

test.each(['among those that are awaited', 'among the last ones'])(
  'a deadlock %s is retried, and nothing of the first attempt is kept',
  async (where) => {
    await db.pool.query('TRUNCATE strandline.kept');
    let attempts = 0;
    await inTransaction(db, async (tx, last) => {
      attempts += 1;
      const insert = (n: number) => tx.query('INSERT INTO strandline.kept VALUES ($1)', [n]);
      const fails = () => tx.query(attempts === 1 ? raise('40P01') : 'SELECT 1');
      if (where === 'among the last ones') {
        last(insert(10 * attempts));
        last(fails());
        last(insert(10 * attempts + 1));
      } else await awaitAll([insert(10 * attempts), fails(), insert(10 * attempts + 1)]);
    });
    expect(attempts).toBe(2);
    expect(await kept()).toEqual([{ n: 20 }, { n: 21 }]);
  },
);

test('steps after a response send nothing after the rollback, and the connection stays usable', async () => {
  await db.pool.query('TRUNCATE strandline.kept');
  const failed = await inTransaction(db, async (tx) => {
    const steps = async () => {
      await tx.query('INSERT INTO strandline.kept VALUES (1)');
      await tx.query('INSERT INTO strandline.kept VALUES (2)');
      await tx.query('INSERT INTO strandline.kept VALUES (3)');
    };
    await awaitAll([tx.query(raise('22000')), steps().catch(() => steps()), steps()]);
  }).catch(readSqlState);
  expect(failed).toBe('22000');
  expect(await kept()).toEqual([]);
});

test('a prepared statement whose parse was skipped by a failure is parsed the next time', async () => {
  const named = { name: 'kept_numbers', text: 'SELECT n FROM strandline.kept' };
  const failed = await inTransaction(db, (tx) => awaitAll([tx.query(raise('22000')), tx.query(named)])).catch(
    readSqlState,
  );
  expect(failed).toBe('22000');
  expect((await db.pool.query(named)).rows).toEqual([]);
});

test('a swallowed failure does not commit', async () => {
  await expect(
    inTransaction(db, async (tx) => {
      await tx.query('INSERT INTO strandline.kept VALUES (7)');
      await tx.query(raise('22000')).catch(() => {});
    }),
  ).rejects.toThrow('rolled back');
  expect(await kept()).toEqual([]);
});

test('a connection that ends between pipelined statements fails all later ones, and is not reused', async () => {
  const failed = await inTransaction(db, async (tx, last) => {
    await tx.query('INSERT INTO strandline.kept VALUES (8)');
    last(tx.query('SELECT pg_terminate_backend(pg_backend_pid())'));
    last(tx.query('INSERT INTO strandline.kept VALUES (9)'));
  }).catch((error: unknown) => error);
  // Its last words, or what became of a statement that was sent after them.
  expect(isUnreachable(failed), String(failed)).toBe(true);
  expect(await kept()).toEqual([]);
});

test('a failure of the commit itself is an error', async () => {
  await db.pool.query(
    'CREATE TABLE strandline.later (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO strandline.later VALUES (1)',
  );
  const failed = await inTransaction(db, (tx, last) => {
    last(tx.query('INSERT INTO strandline.later VALUES (1)'));
    return Promise.resolve();
  }).catch(readSqlState);
  expect(failed).toBe('23505');
});

test.each([
  ['EPIPE', true],
  ['ECONNRESET', true],
  ['57P01', true],
  ['EPERM', false],
  ['23505', false],
])('an error with code %s means an unavailable database: %s', (code, away) => {
  expect(isUnreachable(Object.assign(new Error('planned'), { code }))).toBe(away);
});

test('a JSON syntax error is not a database failure', () => {
  const broken = new SyntaxError('Unterminated string in JSON at position 50');
  expect(isUnreachable(broken)).toBe(false);
  expect(isUnreachable(new Error('Connection terminated unexpectedly'))).toBe(true);
});
