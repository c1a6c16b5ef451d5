/** The checks themselves: a healthy world passes them, and each fails on a planted violation. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { startReceiver } from '../tell/receiver.ts';
import { makeWorld, type World } from '../world.ts';
import { writeHistory } from './history.ts';
import { makeDue } from './rows/clock.ts';
import { posts } from './scripts.ts';
import { startService } from './service.ts';
import { judge } from './verdict.ts';

const service = await startService();
const receiver = await startReceiver();
let world: World;

beforeAll(async () => {
  world = await makeWorld({ hosted: service.url });
  service.answers(posts(['11', '12']));
  const search = { slug: 'one', operation: 'microblog', prompt: '1', every: '60s' } as const;
  const { firstRunId } = await createSearch(world.ctx, search);
  await executeRun(world.ctx, firstRunId);
  await world.derive();
});
afterAll(async () => {
  await world.close();
  await receiver.close();
  await service.close();
});

/** What does not hold after these statements were applied to the tables and the history; they are rolled back. */
async function brokenBy(...statements: string[]): Promise<string[]> {
  await writeHistory(world.db.pool, service, receiver);
  const client = await world.db.pool.connect();
  try {
    await client.query('BEGIN');
    for (const statement of statements) await client.query(statement);
    const { broken } = await judge(client, { now: world.clock.now(), maxCalls: 2, except: [] });
    return broken;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

test('a healthy world passes every check', async () => {
  expect(await brokenBy()).toEqual([]);
});

const RUN = '(SELECT max(id) FROM strandline.runs)';

test.each([
  [
    'U1 a run is left open',
    `UPDATE strandline.runs SET status = 'queued', ended_at = NULL, created_at = created_at - interval '1 hour'`,
  ],
  [
    'U2 a slot has two runs',
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, reason, slot_at, span_until, span_slots, created_at, ended_at)
     SELECT search_id, 1, 1, 'schedule', 'skipped', 'missed', now() - n * interval '1 minute', now(), 60, now(), now() FROM strandline.runs, generate_series(0, 1) AS n`,
  ],
  [
    'U3 a due slot has no run row',
    `UPDATE strandline.searches SET next_due_at = next_due_at + interval '3 minutes'`,
  ],
  [
    'U3 a future slot has a row',
    `UPDATE strandline.runs SET slot_at = created_at + interval '1 day', created_at = created_at + interval '2 days'`,
  ],
  [
    'U3 an active search has fallen silent',
    `UPDATE strandline.searches SET next_due_at = next_due_at - interval '1 hour'`,
  ],
  [
    'U4 a run made more calls than allowed',
    `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at)
     SELECT run_id, m, service_id, fence, 'unknown', sent_at FROM strandline.calls, generate_series(2, 3) AS m`,
  ],
  ['U4 ledger and service disagree', `INSERT INTO faults.requests SELECT * FROM faults.requests`],
  ['U4 ledger and service disagree', `DELETE FROM faults.requests`],
  ['U4 a call is still in progress', `UPDATE strandline.calls SET state = 'sent'`],
  ['U4 too few calls of a day were counted', `UPDATE strandline.call_days SET calls = 0`],
  [
    'U5 an item was found twice',
    `ALTER TABLE strandline.posts DROP CONSTRAINT posts_external_key`,
    `UPDATE strandline.posts SET external_id = '11'`,
  ],
  [
    'U5 an item counts as found by a run without a parsed response',
    `UPDATE strandline.runs SET status = 'failed', code = 'internal'`,
    'UPDATE strandline.responses SET read_at = NULL',
  ],
  [
    'U5 sightings and discoveries differ',
    `DELETE FROM strandline.discoveries WHERE id = (SELECT max(id) FROM strandline.discoveries)`,
  ],
  ['U5 the posts of the volume are not', `UPDATE strandline.volume SET posts = posts + 1`],
  ['U6 an item of a complete response', `INSERT INTO faults.served SELECT ${RUN}, 1, 'post', '13'`],
  ['U6 an item is stored that no response has', `DELETE FROM faults.served WHERE external = '11'`],
  [
    'U8 one message had two bodies',
    `INSERT INTO faults.receipts VALUES ('/a', 'msg_1', 'x', NULL), ('/a', 'msg_1', 'y', NULL)`,
  ],
  [
    'U8 a channel got one discovery in two messages',
    `INSERT INTO faults.told VALUES ('/a', 'msg_1', 'r', 1), ('/a', 'msg_2', 'r', 1)`,
  ],
  [
    'U9 a paid response is not parsed',
    `UPDATE strandline.responses SET read_at = NULL, received_at = received_at - interval '1 hour'`,
  ],
  [
    'U9 a lease with a response called again',
    `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at)
     SELECT run_id, 2, service_id, fence, 'unknown', sent_at + interval '1 day' FROM strandline.calls`,
    `UPDATE strandline.responses SET read_at = received_at + interval '2 days'`,
  ],
])('%s', async (broken, ...statements) => {
  expect((await brokenBy(...statements)).join('\n')).toContain(broken);
});

/** A channel with a rule, and a post that was found after it. */
const TOLD = [
  `INSERT INTO strandline.channels (slug, kind, settings, target, secrets, state, state_since, cursor, created_at)
   VALUES ('c', 'webhook', '{"webhook": "http://127.0.0.1"}', '127.0.0.1', '{}', 'active', now(), 0, now())`,
  `INSERT INTO strandline.rules (slug, name, kinds, filter, cooldown_seconds, state, state_since, after, created_at)
   VALUES ('r', 'r', '{post}', '', 0, 'active', now(), 0, now())`,
  'INSERT INTO strandline.rule_channels SELECT r.id, c.id, 0 FROM strandline.rules r, strandline.channels c',
  'UPDATE strandline.discoveries SET baseline = false',
];

test('U7 a discovery matches a rule, and no message contains it', async () => {
  expect((await brokenBy(...TOLD)).join('\n')).toContain('U7 a discovery matches a rule');
});

test('U7 a message counts as delivered and was never received', async () => {
  const delivered = `INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, created_at)
    SELECT 'msg_1', c.id, r.id, 'delivered', now() FROM strandline.channels c, strandline.rules r WHERE r.slug = 'r'`;
  expect((await brokenBy(...TOLD, delivered)).join('\n')).toContain('U7 a message is due');
});

test('U3 a row that makes a search due keeps the slot that came before and that no scan has recorded', async () => {
  const databaseTime = { now: () => systemClock.now(), statementTime: () => null };
  const other = await makeWorld({ hosted: service.url, clock: databaseTime });
  try {
    const search = { slug: 'one', operation: 'microblog', prompt: '1', every: '60s' } as const;
    const made = await createSearch(other.ctx, search);
    // One interval older: its first slot has come.
    const rows = async (sql: string, values: unknown[] = []) => (await other.db.pool.query(sql, values)).rows;
    await rows(`UPDATE strandline.searches
      SET created_at = created_at - interval '60 s', next_due_at = next_due_at - interval '60 s'`);
    await makeDue(rows, made.search.id);
    await other.scan();
    await writeHistory(other.db.pool, service, receiver);
    const { broken } = await judge(other.db.pool, { now: systemClock.now(), maxCalls: 2, except: [] });
    expect(broken.filter((words) => words.startsWith('U3'))).toEqual([]);
  } finally {
    await other.close();
  }
});
