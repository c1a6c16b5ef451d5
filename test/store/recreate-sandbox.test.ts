/** The sandbox is made again beneath programs that use it: they wait, and continue. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBackend } from '../../src/platform/queue/connection.ts';
import { openQueue } from '../../src/platform/queue/queue.ts';
import { recreateSandbox } from '../../src/store/db/recreate-sandbox.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ kind: 'sandbox' });
});
afterAll(() => world.close());

/** What running programs ask: tables by prepared statements, views, functions, the queue. */
const QUESTIONS = [
  { name: 'topics', text: 'SELECT slug FROM strandline.topics' },
  { name: 'view', text: 'SELECT slug FROM strandline_analytics.topics' },
  { name: 'function', text: 'SELECT strandline.lowered(name) AS slug FROM strandline.topics' },
  { name: 'queue', text: `SELECT count(*)::text AS slug FROM bullmq.job` },
];

test('whoever asks meanwhile gets what was or what is, and no error', async () => {
  const { pool } = world.db;
  await pool.query(`INSERT INTO strandline.topics (slug, name, created_at) VALUES ('ferry', 'Ferry', now())`);
  const answers = new Set<string>();
  const recreation = { isDone: false };
  const asking = QUESTIONS.map(async (question) => {
    const client = await pool.connect();
    try {
      do {
        const { rows } = await client.query<{ slug: string }>(question);
        answers.add(`${question.name} ${rows.map(({ slug }) => slug).join()}`);
      } while (!recreation.isDone);
      const { rows } = await client.query<{ slug: string }>(question);
      answers.add(`${question.name} at the end ${rows.map(({ slug }) => slug).join()}`);
    } finally {
      client.release();
    }
  });
  await recreateSandbox(world.database.url, null, world.ctx.log).finally(() => (recreation.isDone = true));
  await Promise.all(asking);
  expect([...answers]).toEqual(expect.arrayContaining(['topics ferry', 'view ferry', 'function ferry']));
  expect([...answers].filter((answer) => answer.includes('at the end')).toSorted()).toEqual([
    'function at the end ',
    'queue at the end 0',
    'topics at the end ',
    'view at the end ',
  ]);
});

test('it is still a sandbox, and jobs of its queue are gone', async () => {
  const { db, database, ctx } = world;
  const backend = openBackend({ kind: 'postgres', url: database.url }, 'recreated', ctx.log);
  const queue = openQueue(backend, ctx.log);
  try {
    await queue.enqueueRuns([{ runId: 1n, fence: 0, trigger: 'manual' }]);
    expect(Object.values(await queue.depth()).reduce((sum, n) => sum + n, 0)).toBe(1);
    await recreateSandbox(database.url, null, ctx.log);
    expect(Object.values(await queue.depth()).reduce((sum, n) => sum + n, 0)).toBe(0);
  } finally {
    await queue.close();
    await backend.close();
  }
  const { rows } = await db.pool.query(`SELECT value FROM strandline.facts WHERE name = 'kind'`);
  expect(rows).toEqual([{ value: 'sandbox' }]);
});
