import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { rebuildTrends } from '../../src/monitor/derive/follower.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { composeStateSentence } from '../../src/monitor/trends/rules/state-sentence.ts';
import { catchUpWithStories } from '../../src/store/stories/follow-stories.ts';
import { readFeedAfter } from '../../src/store/alerts/reportable-discoveries.ts';
import type { Rule } from '../../src/store/alerts/rule-rows.ts';
import type { Id } from '../../src/store/db/database.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { matchRules } from '../../src/monitor/alerts/rule-filter.ts';
import { WEB } from '../../src/app/web-server.ts';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { homeOf } from '../cli/stand.ts';
import { personAt, textOf } from '../web/pages/person.ts';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const NOON = Date.UTC(2026, 10, 21, 12);
const at = (minutes: number) => new Date(NOON + minutes * MINUTE);

async function newSearch(slug: string, sensitivity: 'normal' | 'off' = 'normal'): Promise<Search> {
  world.clock.set(new Date(NOON - 40 * DAY));
  const { search } = await createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    every: '15m',
    sensitivity,
  });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

/** Thirty-four days up to a time, as runs would have left them. @param postsSql of a quarter of an hour that begins at t */
async function observe(search: Search, until: Date, postsSql: string): Promise<void> {
  const values = [search.id, new Date(NOON - 34 * DAY), until];
  await world.db.pool.query(
    `INSERT INTO strandline.volume (search_id, bucket_at, posts, cut, observed, exposure_ms, exposed_posts)
     SELECT $1, t, ${postsSql}, false, '{[0,900000)}', 900000, ${postsSql}
     FROM generate_series($2::timestamptz, $3::timestamptz - interval '15 minutes', '15 minutes') t`,
    values,
  );
  await world.db.pool.query(
    `INSERT INTO strandline.search_days (search_id, day_at, posts, topic_posts, topic_reposts, cut, exposure_ms, exposed_posts, hours)
     SELECT search_id, date_trunc('day', bucket_at, 'UTC'), sum(posts), sum(posts), 0, false, sum(exposure_ms), sum(exposed_posts), 24
     FROM strandline.volume WHERE search_id = $1 GROUP BY 1, 2`,
    [search.id],
  );
  await world.db.pool.query(
    `WITH done AS (
       INSERT INTO strandline.runs (search_id, version, request_version, slot_at, trigger, status, created_at, started_at, ended_at)
       VALUES ($1, 1, 1, $3, 'schedule', 'succeeded', $3, $3, $3) RETURNING id
     )
     INSERT INTO strandline.coverage (run_id, search_id, request_version, observed_until, observed_from, reached_from, every_seconds, posts, most_posts)
     SELECT id, $1, 1, $3, $2, $2, 900, 10, 40 FROM done`,
    values,
  );
}

/** A run whose response came at a time and held posts published so many minutes before noon, or after. */
async function run(
  search: Search,
  minutes: number,
  published: readonly number[],
  user?: object,
): Promise<Id> {
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at(minutes) });
  const leased = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at(minutes) });
  if (leased === null) throw new Error('not leased');
  const posts = published.map((post) =>
    wirePost(`${search.id}${50_000 + post}`, { created_at: at(post).toISOString(), ...(user && { user }) }),
  );
  const saved = await saveFindings(world.db, {
    runId,
    fence: leased.fence,
    searchId: search.id,
    serviceId: search.service_id,
    findings: parseResponse({
      operation: 'microblog',
      body: JSON.stringify({ miner_tweets: posts }),
      contentType: 'application/json',
      dialect: loadDialect('named'),
    }),
    observedAt: at(minutes),
    endedAt: at(minutes),
  });
  if (saved === null) throw new Error('not saved');
  return runId;
}

const statesOf = async (search: Search) =>
  (
    await world.db.pool.query(
      'SELECT * FROM strandline_analytics.trend_states WHERE search_id = $1 ORDER BY id',
      [search.id],
    )
  ).rows;
const trendsInFeed = async (search: Search) =>
  (
    await world.db.pool.query<{ text: string; trend_state_id: Id }>(
      `SELECT text, trend_state_id FROM strandline_analytics.discoveries WHERE search_id = $1 AND kind = 'trend' ORDER BY id`,
      [search.id],
    )
  ).rows;

const DAYS_AGO = 30 * 24 * 60;
const SILENT_SINCE = `CASE WHEN t < '${new Date(NOON - 26 * HOUR).toISOString()}' THEN 1 ELSE 0 END`;

test('a silence and the return are reported once each, in the feed too; a rebuild adds nothing', async () => {
  const search = await newSearch('silent');
  await observe(search, at(-15), SILENT_SINCE);
  // The first response of a search is its baseline.
  await run(search, -5, [-DAYS_AGO]);
  await run(search, 0, [-DAYS_AGO]);
  await world.derive();
  const [silence] = await statesOf(search);
  expect(silence).toMatchObject({
    state: 'silent',
    since: new Date(NOON - 26 * HOUR),
    until: null,
    previous_state: null,
    observed_hours: 26,
    sentence: 'Silent since 20 Nov 2026, 10:00 UTC: no post in 26 observed hours, usually 100.',
  });
  expect(silence.expected).toBeCloseTo(104, -1);
  expect(composeStateSentence(silence)).toBe(silence.sentence);

  // It goes on, with a stray post.
  await run(search, 15, [10, -DAYS_AGO]);
  await run(search, 30, [10, -DAYS_AGO]);
  await world.derive();
  expect(await statesOf(search)).toHaveLength(1);

  await run(search, 300, [10, 290, 295, -DAYS_AGO]);
  await world.derive();
  const [before, normal, ...more] = await statesOf(search);
  expect(more).toEqual([]);
  expect(before.until).toEqual(at(0));
  expect(normal).toMatchObject({
    state: 'normal',
    since: at(0),
    previous_state: 'silent',
    previous_since: silence.since,
    sentence: 'Back to normal after 1 day of silence: posts again since 21 Nov 2026, 12:00 UTC.',
  });
  const reported = await trendsInFeed(search);
  expect(reported).toEqual([
    { text: silence.sentence, trend_state_id: silence.id },
    { text: normal.sentence, trend_state_id: normal.id },
  ]);

  await rebuildTrends(world.ctx, search.id);
  expect(await trendsInFeed(search)).toEqual(reported);
  await catchUpWithStories(world.db);
  const { found } = await readFeedAfter(world.db.pool, 0n, 1_000, () => true);
  expect(found.flatMap((entry) => (entry.kind === 'trend' ? [entry.trend.sentence] : []))).toEqual(
    reported.map(({ text }) => text),
  );
});

test('days that rise are reported by the first run of the next day, and by no other', async () => {
  const search = await newSearch('rising');
  const day = `floor(extract(epoch FROM t - '${new Date(NOON - 10.5 * DAY).toISOString()}') / 86400)`;
  const posts = `round(3 * power(1.25, greatest(0, ${day})) + (extract(epoch FROM t)::bigint / 900 % 3) - 1)::int`;
  const midnight = 12 * 60;
  await observe(search, at(midnight - 15), posts);
  for (const minutes of [-10, -5]) await run(search, midnight + minutes, [-DAYS_AGO]);
  await world.derive();
  // The day has not ended.
  expect(await statesOf(search)).toEqual([]);
  for (const minutes of [5, 20]) await run(search, midnight + minutes, [-DAYS_AGO]);
  await world.derive();
  const [rise, ...more] = await statesOf(search);
  expect(more).toEqual([]);
  expect(rise).toMatchObject({ state: 'rising', threshold: 5 });
  expect(rise.sentence).toMatch(
    /^Rising since \d+ Nov 2026 \(UTC\): from about 2\d\d to [\d,]+ posts a day within \d+ days\.$/,
  );
  await run(search, midnight + 35, [-DAYS_AGO]);
  await world.derive();
  expect(await statesOf(search)).toHaveLength(1);
});

test('a search without spike detection has no states', async () => {
  const search = await newSearch('off', 'off');
  await observe(search, at(-15), SILENT_SINCE);
  // The first response of a search is its baseline.
  await run(search, -5, [-DAYS_AGO]);
  await run(search, 0, [-DAYS_AGO]);
  await world.derive();
  expect(await statesOf(search)).toEqual([]);
});

test('a spike of one author is recorded as theirs; a rule reports the one of many, and states', async () => {
  const search = await newSearch('flood');
  await observe(search, at(-15), '1');
  await run(search, -14, [-DAYS_AGO]);
  const minutesFrom = (from: number, n: number) => Array.from({ length: n }, (_, i) => from + i);
  const user = { id: '7', username: 'loud', name: 'Loud', followers_count: 1 };
  await run(search, 0, minutesFrom(-13, 12), user);
  await run(search, 15, minutesFrom(0, 14).concat(minutesFrom(-13, 12)), user);
  await world.derive();
  await run(search, 75, minutesFrom(16, 38));
  await world.derive();
  const { rows } = await world.db.pool.query(
    'SELECT only_by, author_share, sentence FROM strandline_analytics.spikes WHERE search_id = $1 ORDER BY id',
    [search.id],
  );
  expect(rows).toMatchObject([{ only_by: 'author' }, { only_by: null }]);
  expect(rows[0].sentence).toMatch(
    / One author wrote (?:\d+ %|all) of them\. Without that author, this is no spike\.$/,
  );

  await catchUpWithStories(world.db);
  const { found } = await readFeedAfter(world.db.pool, 0n, 10_000, () => true);
  const rule: Rule = {
    id: 1n,
    slug: 'all',
    name: 'All',
    topic_id: null,
    search_id: null,
    kinds: ['spike', 'trend'],
    growth: [],
    filter: '',
    cooldown_seconds: 0,
    digest: null,
    tz: 'UTC',
    quiet_hours: null,
    max_per_day: null,
    muted_until: null,
    state: 'active',
    after: 0n,
  };
  const reported = await matchRules(world.db.pool, [rule], found, at(80));
  const sentences = reported.flatMap(({ matching }) =>
    matching.map((entry) =>
      'spike' in entry ? entry.spike.sentence : 'trend' in entry ? entry.trend.state : '',
    ),
  );
  expect(sentences).toContain(rows[1].sentence);
  expect(sentences).not.toContain(rows[0].sentence);
  expect(sentences).toEqual(expect.arrayContaining(['silent', 'normal', 'rising']));
});

test('the page of a search, the overview and the API show its state', async () => {
  world.clock.set(at(13 * 60));
  const app = await buildHttpServer(homeOf(world), WEB);
  onTestFinished(() => app.close());
  const person = personAt(app);
  expect(textOf((await person.get('/searches/rising?range=30d')).html)).toMatch(
    /Rising since \d+ Nov \(UTC\): from about/,
  );
  expect(textOf((await person.get('/')).html)).toMatch(/Rising since \d+ Nov \(UTC\): from about/);
  const { html } = await person.get('/api/v1/trends/states?search=rising&state=rising');
  expect(JSON.parse(html)).toMatchObject({ items: [{ search: 'rising', state: 'rising', until: null }] });
});

const loud = { id: '4711', username: 'loud', name: 'Loud' };
const BEFORE_SILENCE = Array.from({ length: 8 }, (_, i) => -60 * (28 + i));

test('a silence says who wrote most of the posts before, and is gone', async () => {
  const search = await newSearch('silent-author');
  await observe(search, at(-15), SILENT_SINCE);
  await run(search, -5, BEFORE_SILENCE, loud);
  await run(search, 0, [-DAYS_AGO]);
  await world.derive();
  const [silence] = await statesOf(search);
  expect(silence).toMatchObject({
    state: 'silent',
    reason: 'author',
    reason_name: null,
    reason_share: 1,
    reason_post_at: at(-60 * 28),
    why: 'All of the posts of the week before were by one author, whose last one was on 20 Nov 2026, 08:00 UTC.',
  });
  const { post_id } = (
    await world.db.pool.query(
      'SELECT post_id FROM strandline.post_sightings WHERE search_id = $1 AND post_created_at = $2',
      [search.id, at(-60 * 28)],
    )
  ).rows[0];
  expect(silence.reason_post_id).toBe(post_id);
});

test('a silence of all searches of a service is one of the service', async () => {
  const others = [await newSearch('silent-1'), await newSearch('silent-2')];
  const search = await newSearch('silent-3');
  // Searches of earlier tests are no part of this.
  await world.db.pool.query(
    'UPDATE strandline.searches SET archived_at = $2, state = $3, next_due_at = NULL WHERE id <> ALL ($1)',
    [[search.id, ...others.map(({ id }) => id)], at(-30), 'paused'],
  );
  for (const each of [search, ...others]) await observe(each, at(-15), SILENT_SINCE);
  await run(search, -5, BEFORE_SILENCE, loud);
  await run(search, 0, [-DAYS_AGO]);
  await world.derive();
  const [silence] = await statesOf(search);
  expect(silence).toMatchObject({
    state: 'silent',
    reason: 'service',
    reason_name: 'hosted',
    reason_post_id: null,
    why: 'The service: none of the 2 other searches of "hosted" that usually find posts has found one since then, either.',
  });
});
