import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { FOLLOWER_INTERVAL_MS, derivePending, deriveBatch } from '../../src/monitor/derive/follower.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { composeReason } from '../../src/monitor/trends/rules/reason-sentence.ts';
import { composeSpikeSentence } from '../../src/monitor/trends/rules/spike-sentence.ts';
import { type Id, inTransaction } from '../../src/store/db/database.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { readSpikes } from '../../src/store/queries/trend-reports.ts';
import { readVoices } from '../../src/store/volume/voices.ts';
import { intercepted } from '../intercepted.ts';
import { wirePost } from '../stub-service.ts';
import { until } from '../processes.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const NOON = Date.UTC(2026, 10, 21, 12);
const at = (minutes: number) => new Date(NOON + minutes * MINUTE);

async function newSearch(slug: string): Promise<Search> {
  world.clock.set(at(-60 * 24));
  const { search } = await createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    every: '15m',
  });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

type Counters = Partial<Record<'like_count' | 'retweet_count' | 'reply_count' | 'quote_count', number>> & {
  created_at?: string | null;
  user?: object;
  text?: string;
};

/** One run whose answer came at a time and held these posts, by id, with these counters. */
async function run(search: Search, minutes: number, posts: Readonly<Record<string, Counters>>): Promise<Id> {
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at(minutes) });
  const leased = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at(minutes) });
  if (leased === null) throw new Error('not leased');
  const wire = Object.entries(posts).map(([id, counters]) =>
    wirePost(`${search.id}${id}`, { created_at: at(-600).toISOString(), ...counters }),
  );
  const saved = await saveFindings(world.db, {
    runId,
    fence: leased.fence,
    searchId: search.id,
    serviceId: search.service_id,
    findings: parseResponse({
      operation: 'microblog',
      body: JSON.stringify({ miner_tweets: wire }),
      contentType: 'application/json',
      dialect: loadDialect('named'),
    }),
    observedAt: at(minutes),
    endedAt: at(minutes),
  });
  if (saved === null) throw new Error('not saved');
  return runId;
}

async function gainsOf(search: Search) {
  const { rows } = await world.db.pool.query(
    `SELECT (extract(epoch FROM compared_from - $2::timestamptz) / 60)::int AS "from",
       (extract(epoch FROM observed_until - $2::timestamptz) / 60)::int AS until,
       compared_posts AS posts, gained::int, right(p.external_id, 1) AS top, top_gained::int
     FROM strandline.coverage c LEFT JOIN strandline.posts p ON p.id = top_post_id
     WHERE search_id = $1 AND compared_from IS NOT NULL ORDER BY observed_until`,
    [search.id, at(0)],
  );
  return rows;
}

const answers: readonly (readonly [minutes: number, posts: Record<string, Counters>])[] = [
  [0, { 1: { like_count: 10 }, 2: { like_count: 5, reply_count: 2 } }],
  [15, { 1: { like_count: 40 }, 2: { like_count: 3, reply_count: 6 }, 3: { like_count: 100 } }],
  [30, { 3: { like_count: 150 } }],
  [45, { 1: { like_count: 400 } }],
  // Three intervals later.
  [90, { 1: { like_count: 500 } }],
];
const gained = [
  // A counter that fell takes nothing away, and a post that is seen for the first time gained nothing.
  { from: 0, until: 15, posts: 2, gained: 34, top: '1', top_gained: 30 },
  { from: 15, until: 30, posts: 1, gained: 50, top: '3', top_gained: 50 },
  // No post of the run before came again: nothing is said, whatever a post from before that has now.
  { from: 30, until: 45, posts: 0, gained: 0, top: null, top_gained: null },
];

test('gains between two responses come from posts in both', async () => {
  const search = await newSearch('gains');
  for (const [minutes, posts] of answers) {
    await run(search, minutes, posts);
    await world.derive();
  }
  expect(await gainsOf(search)).toEqual(gained);
});

test('deriving late and concurrently gives the same result', async () => {
  const search = await newSearch('gains-later');
  for (const [minutes, posts] of answers) await run(search, minutes, posts);
  await Promise.all(Array.from({ length: 3 }, () => derivePending(world.ctx, { settleMs: null })));
  expect(await gainsOf(search)).toEqual(gained);
});

/** Days of forty gained each quarter, by many posts, as runs would have left them. */
async function usualGains(search: Search, days: number): Promise<void> {
  await world.db.pool.query(
    `WITH done AS (
       INSERT INTO strandline.runs (search_id, version, request_version, slot_at, trigger, status, created_at, started_at, ended_at)
       SELECT $1, 1, 1, t, 'schedule', 'succeeded', t, t, t
       FROM generate_series($2::timestamptz, $3::timestamptz, '15 minutes') t RETURNING id, slot_at
     )
     INSERT INTO strandline.coverage (run_id, search_id, request_version, observed_until, observed_from, reached_from, every_seconds,
       posts, most_posts, compared_from, compared_posts, gained)
     SELECT id, $1, 1, slot_at, slot_at - interval '15 minutes', slot_at - interval '15 minutes', 900, 20, 20,
       slot_at - interval '15 minutes', 20, 40 FROM done`,
    [search.id, new Date(NOON - days * DAY), at(0)],
  );
}

/** An hour in which each of eight posts gains what is told, each quarter. */
async function liveGrowth(search: Search, gainedBy: (post: number) => number): Promise<Id[]> {
  for (let look = 0; look <= 4; look += 1) {
    const posts = Object.fromEntries(
      Array.from({ length: 8 }, (_, post) => [post, { like_count: look * gainedBy(post) }]),
    );
    await run(search, look * 15, posts);
    await world.derive();
  }
  const { rows } = await world.db.pool.query<{ id: Id }>(
    'SELECT id FROM strandline.spikes WHERE search_id = $1 ORDER BY id',
    [search.id],
  );
  return rows.map(({ id }) => id);
}

const spikesOf = async (search: Search) =>
  (await world.db.pool.query('SELECT * FROM strandline.spikes WHERE search_id = $1', [search.id])).rows;

/** A spike is in the feed so long after the response that made it, at most. */
const REPORTED_WITHIN_MS = 2 * MINUTE;

test('a spike is reported within two minutes of its run, even if the deriving processes die midway', async () => {
  const search = await newSearch('in-time');
  await usualGains(search, 15);
  const grown = (look: number) =>
    // As much as usual, and then much more.
    Object.fromEntries(
      Array.from({ length: 8 }, (_, post) => [post, { like_count: look === 4 ? 400 : look * 5 }]),
    );
  for (let look = 0; look < 4; look += 1) {
    await run(search, look * 15, grown(look));
    await world.derive();
  }
  const reported = async () =>
    (
      await world.db.pool.query(
        `SELECT FROM strandline.discoveries WHERE search_id = $1 AND kind = 'spike'`,
        [search.id],
      )
    ).rows.length;
  expect(await reported()).toBe(0);
  await run(search, 60, grown(4));

  const kills = 25;
  let took = 0;
  for (let tick = 0; (await reported()) === 0; tick += 1) {
    const later = tick * FOLLOWER_INTERVAL_MS;
    expect(later).toBeLessThanOrEqual(REPORTED_WITHIN_MS);
    world.clock.set(new Date(at(60).getTime() + later));
    // Each at another statement of its batch.
    if (tick < kills) await diesFollowing(4 + (tick % 16));
    else await derivePending(world.ctx);
    took = later;
  }
  expect(took).toBe(kills * FOLLOWER_INTERVAL_MS);
  await world.derive();
  expect(await reported()).toBe(1);
});

/** A follower whose process is killed when it sends its so-many-th statement: its transaction ends with its connection. */
async function diesFollowing(statement: number): Promise<void> {
  let sent = 0;
  const dying = intercepted(world.db, {
    ofConnections: (query, given) => {
      sent += 1;
      return sent < statement ? query(...given) : Promise.reject(new Error('killed'));
    },
  });
  await expect(deriveBatch({ ...world.ctx, db: dying })).rejects.toThrow();
  // Its connection is closed, since it cannot roll back either, and its transaction ends when Postgres notices.
  await until('nobody follows', async () => {
    const { rows } = await world.db.pool.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rows.length === 0;
  });
}

test('posts that gain more than usual are reported once, with the post that gained most; the sentence comes from stored data', async () => {
  const search = await newSearch('growth');
  await usualGains(search, 15);
  expect(await liveGrowth(search, (post) => (post === 3 ? 120 : 30))).toHaveLength(1);
  const [spike] = await spikesOf(search);
  expect(spike).toMatchObject({
    measure: 'engagement',
    usual: expect.closeTo(160, 6),
    days: 14,
    weekday_usual: null,
  });
  expect(spike).toMatchObject({
    reason: 'none',
    reason_post_id: null,
    n_without_reason: null,
    why: 'No single cause: no post accounts for 30 % of the gain.',
  });
  expect(composeReason({ ...spike, reason_author_username: null })).toBe(spike.why);
  expect(spike.sentence).toMatch(
    /^Known posts gained \d+ likes, reposts, replies and quotes on 21 Nov 2026 between \d\d:\d\d and \d\d:\d\d UTC, [\d.]+x the usual 160\. Usual: around this time, last 14 days\. One post accounts for [\d.]+ %\.$/,
  );
  expect(composeSpikeSentence(spike)).toBe(spike.sentence);
  const top = await world.db.pool.query('SELECT external_id FROM strandline.posts WHERE id = $1', [
    spike.top_post_id,
  ]);
  expect(top.rows).toEqual([{ external_id: `${search.id}3` }]);
  expect(spike.top_share).toBeGreaterThan(120 / 330 / 2);
  expect(spike.top_share).toBeLessThanOrEqual(120 / 330);
});

test('a gain of which one post is a large part says which, and what it would be without that post', async () => {
  const search = await newSearch('one-of-many');
  await usualGains(search, 15);
  expect(await liveGrowth(search, (post) => (post === 3 ? 200 : 30))).toHaveLength(1);
  const [spike] = await spikesOf(search);
  expect(spike).toMatchObject({
    reason: 'post',
    reason_share: expect.closeTo(200 / 530, 6),
    reason_post_id: spike.top_post_id,
    n_without_reason: expect.closeTo(330, 6),
    window_authors: null,
  });
  expect(spike.why).toMatch(
    /^38 % of the gain is that of one post, published on 21 Nov 2026, \d\d:\d\d UTC\. Without it: 330 likes, reposts, replies and quotes, 2\.1x the usual 160\.$/,
  );
});

test('a single fast-growing post is not a spike of its search', async () => {
  const search = await newSearch('viral');
  await usualGains(search, 15);
  expect(await liveGrowth(search, (post) => (post === 3 ? 1_000 : 5))).toEqual([]);
});

test('a weekday is named if four weeks were observed', async () => {
  const search = await newSearch('weeks');
  await usualGains(search, 30);
  expect(await liveGrowth(search, () => 40)).toHaveLength(1);
  const [spike] = await spikesOf(search);
  expect(spike).toMatchObject({ weekday_usual: 160, days: 14 });
  expect(spike.sentence).toMatch(
    /x the usual 160 of a Saturday \(last 4 weeks\)\. One post accounts for [\d.]+ %\.$/,
  );
  expect(composeSpikeSentence(spike)).toBe(spike.sentence);
});

test('posts of a Saturday are compared with weekends, of which six weeks are read', async () => {
  const search = await newSearch('weekends');
  await world.db.pool.query(
    `INSERT INTO strandline.volume (search_id, bucket_at, posts, cut, observed, exposure_ms, exposed_posts)
     SELECT $1, t, n, false, '{[0,900000)}', 900000, n
     FROM generate_series($2::timestamptz, $3::timestamptz, '15 minutes') t,
       LATERAL (SELECT CASE WHEN extract(isodow FROM t AT TIME ZONE 'UTC') < 6 THEN 8 ELSE 1 END AS n) usual`,
    [search.id, new Date(NOON - 43 * DAY), at(-75)],
  );
  for (let look = 0; look <= 4; look += 1) {
    const posts = Array.from({ length: look === 0 ? 0 : 8 }, (_, i) => [
      `${look}${i}`,
      { created_at: at(look * 15 - 68 + i / 2).toISOString() },
    ]);
    await run(search, look * 15 - 60, Object.fromEntries(posts));
    await world.derive();
  }
  expect(await spikesOf(search)).toMatchObject([{ measure: 'posts', n: 16, usual: expect.closeTo(4, 0) }]);
});

test('who is behind a spike is asked of the posts that it counts: of none without a time, and of those dated ahead', async () => {
  const search = await newSearch('counted-alike');
  await world.db.pool.query(
    `INSERT INTO strandline.volume (search_id, bucket_at, posts, cut, observed, exposure_ms, exposed_posts)
     SELECT $1, t, 1, false, '{[0,900000)}', 900000, 1
     FROM generate_series($2::timestamptz, $3::timestamptz, '15 minutes') t`,
    [search.id, new Date(NOON - 20 * DAY), at(-75)],
  );
  const user = { id: '7', username: 'one', name: 'One' };
  const some = (name: string, count: number, given: Counters) =>
    Object.entries(Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, given])));
  for (let look = 0; look <= 4; look += 1) {
    const minutes = look * 15 - 60;
    await run(
      search,
      minutes,
      Object.fromEntries([
        ...some(`${look}`, look === 0 ? 0 : 8, { created_at: at(minutes - 8).toISOString() }),
        ...some('undated', look === 2 ? 60 : 0, { created_at: null, user }),
        ...some('ahead', look === 2 ? 3 : 0, { created_at: at(minutes + 50).toISOString() }),
        ...some('far', look === 2 ? 3 : 0, { created_at: at(minutes + 90).toISOString(), user }),
      ]),
    );
    await world.derive();
  }
  expect(await spikesOf(search)).toMatchObject([
    { measure: 'posts', only_by: null, author_share: expect.closeTo(1 / 16, 1) },
  ]);

  const voices = await inTransaction(world.db, (tx) => readVoices(tx, search.id, at(-60), at(0)));
  const counted = new Map<number, number>();
  for (const { at: quarter, posts } of voices) counted.set(quarter, (counted.get(quarter) ?? 0) + posts);
  const { rows } = await world.db.pool.query<{ at: number; posts: number }>(
    'SELECT (extract(epoch FROM bucket_at) * 1000)::float8 AS at, exposed_posts AS posts FROM strandline.volume WHERE search_id = $1 AND bucket_at >= $2 ORDER BY 1',
    [search.id, at(-60)],
  );
  // The first response, and one with more posts than before it, were cut: their quarters are not observed.
  expect(rows.map(({ posts }) => posts)).toEqual([0, 0, 11, 8]);
  expect(new Map(rows.filter(({ posts }) => posts > 0).map((row) => [row.at, row.posts]))).toEqual(counted);
});

test('a spike says why: which text was repeated, who wrote it first, and what would be left without the copies', async () => {
  const search = await newSearch('says-why');
  await world.db.pool.query(
    `INSERT INTO strandline.volume (search_id, bucket_at, posts, cut, observed, exposure_ms, exposed_posts)
     SELECT $1, t, 1, false, '{[0,900000)}', 900000, 1
     FROM generate_series($2::timestamptz, $3::timestamptz, '15 minutes') t`,
    [search.id, new Date(NOON - 20 * DAY), at(-75)],
  );
  const repeated = 'The ferry to the island is cancelled because of the storm';
  for (let look = 0; look <= 4; look += 1) {
    const minutes = look * 15 - 60;
    const posts = Array.from({ length: look === 0 ? 0 : 12 }, (_, i) => [
      `why${look}${i}`,
      {
        created_at: at(minutes - 8 + i / 10).toISOString(),
        user: { id: `${look}${i}`, username: `author_${look}_${i}`, name: 'Somebody' },
        // A copy has an address of its own, and letters of another case.
        text:
          i % 2 === 0
            ? `${i % 4 === 0 ? repeated : repeated.toUpperCase()} https://x.example/${look}${i}`
            : `Words of post ${look}${i} that nobody repeats, number ${(look * 20 + i) ** 3}`,
      },
    ]);
    await run(search, minutes, Object.fromEntries(posts));
    await world.derive();
  }
  const [spike, ...others] = await readSpikes(world.db, [search.id], at(-600));
  expect(others).toEqual([]);
  expect(spike).toMatchObject({
    reason: 'text',
    reason_share: expect.closeTo(0.5, 1),
    reason_name: null,
    why: expect.stringMatching(
      /^5\d % of the posts repeat one text, first on 21 Nov 2026, 11:\d\d UTC\. Without it: \d+ posts, \d+(\.\d)?x the usual \d/,
    ),
  });
  if (spike?.n_without_reason == null) throw new Error('nothing is said of the rest');
  expect(spike.n_without_reason).toBeLessThan(spike.n * 0.6);
  expect(spike.n_without_reason).toBeGreaterThan(spike.n * 0.4);
  // Who wrote it first is read, so that a forgotten author is not named.
  expect(spike.reason_author_username).toMatch(/^author_\d_\d+$/);
  expect(composeReason(spike)).toContain(`first by @${spike.reason_author_username} on 21 Nov`);
  expect(composeReason({ ...spike, reason_author_username: null })).toBe(spike.why);
  const { rows } = await world.db.pool.query(
    `SELECT p.text, p.created_at FROM strandline_analytics.posts p WHERE id = $1`,
    [spike.reason_post_id],
  );
  expect(rows).toEqual([
    { text: expect.stringContaining('ferry to the island'), created_at: spike.reason_post_at },
  ]);
});
