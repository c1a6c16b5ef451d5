import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { DAY } from '../../src/lib/time.ts';
import { runRecurringWork } from '../../src/monitor/recurring-work.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { ensurePartitions, listSnapshotMonths } from '../../src/store/maintenance/partitions.ts';
import {
  applyRetention,
  countDue,
  readTableSizes,
  retentionLimitsAt,
} from '../../src/store/erase/retention.ts';
import { ensureRecurringWork } from '../../src/store/runs/scanner.ts';
import { makeWorld, START, type World } from '../world.ts';

let world: World;
let runs: bigint[];
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
  const { search } = await createSearch(world.ctx, {
    slug: 'kept',
    operation: 'microblog',
    prompt: 'kept',
    every: '15m',
  });
  runs = (
    await rows(
      `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, created_at, ended_at)
       SELECT $1, 1, 1, 'manual', 'succeeded', at, at FROM unnest($2::timestamptz[]) at RETURNING id`,
      [search.id, [ago(31), ago(29)]],
    )
  ).map(({ id }) => id);
});
afterAll(() => world.close());
afterEach(() => world.clock.set(START));

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const ago = (days: number) => new Date(Date.parse(START) - days * DAY);
const limits = (env: Record<string, string> = {}) => retentionLimitsAt(world.clock.now(), readConfig(env));
const always = () => true;

async function fill(answers: number): Promise<void> {
  await rows('DELETE FROM strandline.responses');
  await rows('DELETE FROM strandline.rejects');
  for (const [n, runId] of runs.entries()) {
    await rows(
      `INSERT INTO strandline.responses (run_id, n, http_status, body, sha256, bytes, received_at, read_at)
       SELECT $1, g, 200, $2, '\\x00', 2, $3::timestamptz, $3::timestamptz FROM generate_series(1, $4::int) g`,
      [runId, gzipSync('{}'), ago(n === 0 ? 31 : 29), answers],
    );
    await rows(
      `INSERT INTO strandline.rejects (run_id, path, code, sample) SELECT $1, 'p', 'no_id', 's' FROM generate_series(1, $2::int)`,
      [runId, answers],
    );
  }
}

const left = () =>
  rows(`SELECT (SELECT count(*)::int FROM strandline.responses) AS answers, (SELECT count(*)::int FROM strandline.rejects) AS rejects,
    (SELECT count(*)::int FROM strandline.responses WHERE run_id = ${runs[0]}) + (SELECT count(*)::int FROM strandline.rejects WHERE run_id = ${runs[0]}) AS old`);

async function snapshot(at: string): Promise<void> {
  await ensurePartitions(world.db, new Date(at));
  await rows(
    'INSERT INTO strandline.post_snapshots (post_id, observed_at, like_count) VALUES (1, $1, 1) ON CONFLICT DO NOTHING',
    [at],
  );
}

test('raw responses and rejects older than their retention period are deleted in batches, and no newer ones', async () => {
  await fill(2_500);
  expect(await applyRetention(world.db, limits(), always)).toMatchObject({
    answers: 2_500,
    rejects: 2_500,
    done: true,
  });
  expect(await left()).toEqual([{ answers: 2_500, rejects: 2_500, old: 0 }]);
  expect(await applyRetention(world.db, limits({ REJECT_DAYS: '28' }), always)).toMatchObject({
    answers: 0,
    rejects: 2_500,
  });
});

test('the text of a message is deleted after its period, once it is no longer retried; the fact that it was sent stays', async () => {
  await rows(
    `WITH c AS (
       INSERT INTO strandline.channels (slug, kind, settings, target, secrets, state, state_since, cursor, created_at)
       VALUES ('ops', 'webhook', '{"webhook": "https://hooks.example"}', 'hooks.example', '{}', 'active', $1, 0, $1) RETURNING id
     ), r AS (
       INSERT INTO strandline.rules (slug, name, kinds, filter, cooldown_seconds, state, state_since, after, created_at)
       VALUES ('all', 'all', '{post}', '', 0, 'active', $1, 0, $1) RETURNING id
     )
     INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, body, answer, created_at, last_attempt_at, next_attempt_at)
     SELECT 'msg_' || state || at, c.id, r.id, state, '{}', 'ok', $1, at, CASE WHEN state = 'pending' THEN $1::timestamptz END
     FROM c, r, unnest($2::timestamptz[]) at, unnest('{delivered,dead,cancelled,pending}'::text[]) state`,
    [ago(40), [ago(31), ago(29)]],
  );
  expect(await countDue(world.db, limits())).toMatchObject({ messages: 3 });
  expect(await applyRetention(world.db, limits(), always)).toMatchObject({ messages: 3, done: true });
  const kept = await rows(
    `SELECT state, count(*)::int AS all, count(body)::int AS bodies, count(answer)::int AS answers
     FROM strandline.deliveries GROUP BY state ORDER BY state`,
  );
  const half = { all: 2, bodies: 1, answers: 1 };
  expect(kept).toEqual([
    { state: 'cancelled', ...half },
    { state: 'dead', ...half },
    { state: 'delivered', ...half },
    { state: 'pending', all: 2, bodies: 2, answers: 2 },
  ]);
});

test('what is counted before is what is deleted, whatever the order of the rejects', async () => {
  await fill(1_200);
  // Those of the newer run were written first, and a replay wrote others of the older one last.
  await rows('UPDATE strandline.rejects SET run_id = $1::bigint + $2::bigint - run_id', runs);
  const due = await countDue(world.db, limits());
  expect(due).toMatchObject({ answers: 1_200, rejects: 1_200 });
  expect(await applyRetention(world.db, limits(), always)).toMatchObject({
    answers: due.answers,
    rejects: due.rejects,
    messages: due.messages,
    audit: due.audit,
    done: true,
  });
});

test('an unparsed response is kept, however old', async () => {
  await fill(3);
  await rows('UPDATE strandline.responses SET read_at = NULL WHERE run_id = $1 AND n = 2', [runs[0]]);
  expect(await applyRetention(world.db, limits(), always)).toMatchObject({ answers: 2 });
  expect(await rows('SELECT n FROM strandline.responses WHERE run_id = $1', [runs[0]])).toEqual([{ n: 2 }]);
});

test('work beyond its time budget continues in the next pass, and is reported', async () => {
  await fill(1_500);
  const looks = [];
  do {
    looks.push(await applyRetention(world.db, limits(), () => false));
  } while (looks.at(-1)?.done === false && looks.length < 20);
  expect(looks.length).toBeGreaterThan(2);
  expect(looks.reduce((n, one) => n + one.answers, 0)).toBe(1_500);
  expect(await left()).toEqual([{ answers: 1_500, rejects: 1_500, old: 0 }]);
});

test('snapshots are dropped by whole expired months; none without SNAPSHOT_DAYS', async () => {
  for (const at of ['2026-07-31T23:59:59.999Z', '2026-08-01T00:00:00Z', '2026-11-21T11:00:00Z'])
    await snapshot(at);
  expect((await applyRetention(world.db, limits(), always)).months).toEqual([]);
  // 112 days before noon of 21 November is noon of 1 August: July is over, August is not.
  const { months } = await applyRetention(world.db, limits({ SNAPSHOT_DAYS: '112' }), always);
  expect(months).toEqual(['author_snapshots_2026_07', 'post_snapshots_2026_07']);
  expect(await rows('SELECT observed_at FROM strandline.post_snapshots ORDER BY 1')).toEqual([
    { observed_at: new Date('2026-08-01T00:00:00Z') },
    { observed_at: new Date('2026-11-21T11:00:00Z') },
  ]);
  // An old answer that is read again needs its month again.
  await snapshot('2026-07-15T00:00:00Z');
  expect((await listSnapshotMonths(world.db)).map(({ name }) => name)).toContain('post_snapshots_2026_07');
});

test('a month in use by a query is postponed without blocking saves', async () => {
  await snapshot('2026-05-01T00:00:00Z');
  const reader = await world.db.pool.connect();
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await reader.query('SELECT count(*) FROM strandline.post_snapshots');
  const { rows: own } = await reader.query('SELECT pg_backend_pid() AS pid');
  const dropping = applyRetention(world.db, limits({ SNAPSHOT_DAYS: '150' }), always);
  await expect
    .poll(async () =>
      rows('SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))', [own[0].pid]),
    )
    .toHaveLength(1);
  await snapshot('2026-11-21T11:30:00Z');
  expect(
    await rows(`SELECT FROM strandline.post_snapshots WHERE observed_at = '2026-11-21T11:30:00Z'`),
  ).toHaveLength(1);
  // The process that waits is ended: the month is on its way out, and whoever looks next finishes it.
  await rows('SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))', [
    own[0].pid,
  ]);
  expect(await dropping).toMatchObject({ done: false });
  await reader.query('COMMIT');
  reader.release();
  expect((await listSnapshotMonths(world.db)).find(({ state }) => state === 'leaving')?.name).toBe(
    'post_snapshots_2026_05',
  );
  expect(await applyRetention(world.db, limits({ SNAPSHOT_DAYS: '150' }), always)).toMatchObject({
    done: true,
  });
  expect((await listSnapshotMonths(world.db)).every(({ from }) => from >= new Date('2026-06-01'))).toBe(true);
});

test('a month that was detached but not dropped is dropped by the next pass', async () => {
  await snapshot('2026-04-10T00:00:00Z');
  await rows('ALTER TABLE strandline.post_snapshots DETACH PARTITION strandline.post_snapshots_2026_04');
  const { months } = await applyRetention(world.db, limits({ SNAPSHOT_DAYS: '150' }), always);
  expect(months).toContain('post_snapshots_2026_04');
  expect(await rows(`SELECT to_regclass('strandline.post_snapshots_2026_04') AS t`)).toEqual([{ t: null }]);
});

test('retention and the next month are recurring work, due again after an hour', async () => {
  await ensureRecurringWork(world.db.pool, ['retention', 'partitions']);
  await fill(10);
  for (const name of ['retention', 'partitions'])
    await runRecurringWork(world.ctx, name, new AbortController().signal);
  expect(await left()).toEqual([{ answers: 10, rejects: 10, old: 0 }]);
  expect(
    await rows(
      `SELECT name, extract(epoch FROM next_due_at - last_ended_at)::int AS seconds FROM strandline.recurring_work ORDER BY name`,
    ),
  ).toEqual([
    { name: 'partitions', seconds: 3_600 },
    { name: 'retention', seconds: 3_600 },
  ]);
  const names = (await listSnapshotMonths(world.db)).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['post_snapshots_2026_12', 'author_snapshots_2026_12']));
});

test('expired data is shown before deletion, with the sizes of tables and months', async () => {
  await fill(5);
  await snapshot('2026-03-10T00:00:00Z');
  const due = await countDue(world.db, limits({ SNAPSHOT_DAYS: '200' }));
  expect(due).toMatchObject({ answers: 5, rejects: 5 });
  expect(due.months.filter((month) => month.due).map(({ name }) => name)).toEqual([
    'author_snapshots_2026_03',
    'post_snapshots_2026_03',
    'author_snapshots_2026_04',
    'post_snapshots_2026_04',
  ]);
  const sizes = await readTableSizes(world.db);
  const months = due.months.filter(({ parent }) => parent === 'post_snapshots');
  const whole = sizes.find(({ table }) => table === 'post_snapshots');
  expect(whole?.bytes).toBe(months.reduce((sum, { bytes }) => sum + bytes, 0));
  expect(sizes.map(({ table }) => table)).not.toContain('post_snapshots_2026_03');
});

test('the counters table leaves free space in its pages, no changing counter is indexed, and snapshots have BRIN by time in every month', async () => {
  const counted = `(reply|repost|like|view|quote|impression|bookmark|followers|favourites|listed|media|statuses)_count`;
  // What a post had at an age is written once.
  const changing = `schemaname = 'strandline' AND tablename <> 'post_counters_at_age'`;
  expect(await rows(`SELECT indexdef FROM pg_indexes WHERE ${changing} AND indexdef ~ '${counted}'`)).toEqual(
    [],
  );
  expect(
    await rows(
      `SELECT relname, reloptions FROM pg_class WHERE relnamespace = 'strandline'::regnamespace AND relname IN ('posts', 'authors', 'post_counters', 'author_counters') ORDER BY 1`,
    ),
  ).toEqual([
    { relname: 'author_counters', reloptions: ['fillfactor=75'] },
    { relname: 'authors', reloptions: null },
    { relname: 'post_counters', reloptions: ['fillfactor=75'] },
    { relname: 'posts', reloptions: null },
  ]);
  const months = (await listSnapshotMonths(world.db)).filter(({ parent }) => parent === 'post_snapshots');
  expect(months.length).toBeGreaterThan(2);
  expect(
    await rows(
      `SELECT tablename FROM pg_indexes WHERE schemaname = 'strandline' AND indexdef ~ 'USING brin \\(observed_at\\)' AND tablename = ANY ($1)`,
      [months.map(({ name }) => name)],
    ),
  ).toHaveLength(months.length);
});

test('an update of counters stays in its page', async () => {
  const all =
    'reply_count, repost_count, like_count, view_count, quote_count, impression_count, bookmark_count';
  await rows(`INSERT INTO strandline.post_counters (post_id, observed_at, ${all})
    SELECT 1000000 + g, now(), g, g, g, g, g, g, g FROM generate_series(1, 2000) g`);
  const client = await world.db.pool.connect();
  await client.query('SELECT pg_stat_force_next_flush()');
  // A fifth of the rows, all in one statement: as many as the room in each page is for.
  await client.query(
    `UPDATE strandline.post_counters SET like_count = 1, observed_at = now() WHERE post_id > 1000000 AND post_id % 5 = 0`,
  );
  await client.query('SELECT pg_stat_force_next_flush()');
  const { rows: stats } = await client.query(
    `SELECT n_tup_upd::int AS updated, n_tup_hot_upd::int AS hot FROM pg_stat_all_tables WHERE relid = 'strandline.post_counters'::regclass`,
  );
  client.release();
  expect(stats[0].updated).toBe(400);
  expect(stats[0].hot).toBeGreaterThanOrEqual(390);
});
