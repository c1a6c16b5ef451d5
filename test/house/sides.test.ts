/**
 * Simulated and real data never meet, in no view, export or panel: the same day is lived on both sides, with the same
 * posts and addresses. What a side shows alone is what it shows beside the other one, first as real data, then, with the
 * sides swapped, as simulated data. Views come from the catalog, so that a new one is tested by itself.
 */
import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { simulate } from '../../src/app/simulation.ts';
import { ANALYTICS } from '../../src/domain/database-kind.ts';
import { DAY, HOUR } from '../../src/domain/time.ts';
import { encodeResource } from '../../src/monitor/export/export-rows.ts';
import { watchTopic } from '../../src/monitor/topics/save-topic.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { RESOURCES } from '../../src/store/export/export-resources.ts';
import { openSnapshot } from '../../src/store/export/snapshot.ts';
import { choicesOf, searchingNothing } from '../grafana/ask.ts';
import { readDashboards, statementsOf } from '../grafana/dashboards.ts';
import { fillIn } from '../grafana/fill-in.ts';
import { swapSides } from '../real-data.ts';
import { makeWorld, START, type World } from '../world.ts';

/** About neither side: the same in both schemas. */
const NEITHER = new Set(['audit_log', 'contract', 'contract_columns']);

/** Panels that show how long ago something was. */
const BY_THE_CLOCK = new Set(['panel overview.json: Searches']);

const TO = new Date(START);
const FROM = new Date(TO.getTime() - DAY);

let world: World;
/** One connection: each new one would read the definitions of all views again. */
let reader: Client;
/** Digests of what the first side shows while it is alone, by what shows it. */
const before = new Map<string, string>();
let views: string[];
/** What each view shows of each side while there are both, read once for all tests: a row as JSON, by view. */
let beside: Record<Data, Map<string, string[]>>;

beforeAll(async () => {
  world = await makeWorld();
  reader = await connect(searchingNothing(world.database.readerUrl), 'strandline test');
  await live();
  await swapSides(world.db);
  views = await listViews();
  for (const [view, rows] of await readViews()) before.set(view, digest(rows));
  for (const [resource, rows] of await exported()) before.set(resource, digest(rows));
  for (const [of, rows] of await panels()) before.set(of, digest(rows));
  await live();
  beside = { real: await readViews(), simulated: await readViews() };
}, 300_000);
afterAll(async () => {
  await reader.end();
  await world.close();
});

/** One topic for a day, and a row of each thing that a quiet history has not. */
async function live(): Promise<void> {
  await simulate(world.ctx, {
    from: FROM,
    to: TO,
    lanes: 1,
    prepare: (lane) =>
      watchTopic(lane, {
        text: 'harbour ferry',
        slug: data,
        service: 'sandbox',
        postsEvery: '2h',
        aiEvery: '6h',
      }),
  });
  await world.db.pool.query(
    `WITH search AS (SELECT s.id, s.service_id, (SELECT max(id) FROM strandline.runs WHERE search_id = s.id AND status = 'succeeded') AS run_id
       FROM strandline.searches s WHERE slug = $1 || '-posts'),
     post AS (SELECT id FROM strandline.posts WHERE service_id = (SELECT service_id FROM search) ORDER BY id LIMIT 1),
     spike AS (
       INSERT INTO strandline.spikes (search_id, run_id, measure, window_start, window_end, n, lower_bound, coverage, mean, sd, usual, days, windows,
         score, threshold, sensitivity, provisional, tz, sentence, at)
       SELECT id, run_id, 'posts', $2, $2, 9, false, 1, 1, 1, 1, 3, 9, 9, 3, 'normal', false, 'UTC', 'Nine posts.', $2 FROM search
     ), state AS (
       INSERT INTO strandline.trend_states (search_id, run_id, state, since, days, tz, sentence, at)
       SELECT id, run_id, 'silent', $2, 9, 'UTC', 'Silent.', $2 FROM search
     ), changed AS (
       INSERT INTO strandline.interval_changes (search_id, at, seconds, reason) SELECT id, $2, 900, 'learning' FROM search
     ), reject AS (
       INSERT INTO strandline.rejects (run_id, path, code, sample) SELECT run_id, 'x', 'not_an_object', 'x' FROM search
     ), trial AS (
       INSERT INTO strandline.trials (service_id, operation, prompt, tools, model, streaming, extra, state, sent_at, deadline_at)
       SELECT service_id, 'microblog', 'x', '{}', 'NOVA', false, '{}', 'sent', $2, $2 FROM search
     ), today AS (
       UPDATE strandline.discoveries d SET at = clock_timestamp() + interval '1 day', baseline = false
       WHERE d.id = (SELECT max(id) FROM strandline.discoveries WHERE search_id = (SELECT id FROM search))
     ), dropped AS (
       INSERT INTO strandline.dropped_posts (search_id, post_id, last_seen_at, created_at, engagement) SELECT search.id, post.id, $2, $2, 1 FROM search, post
       ON CONFLICT DO NOTHING
     ), rising AS (
       INSERT INTO strandline.search_rising (search_id, post_id, as_of, age_hours, gained, observed_hours)
       SELECT search.id, post.id, $2, 1, 5, 1 FROM search, post ON CONFLICT DO NOTHING
     ), typical AS (
       INSERT INTO strandline.search_typical (search_id, hours, posts, engagement) SELECT id, 1, 9, 1 FROM search ON CONFLICT DO NOTHING
     ), aged AS (
       INSERT INTO strandline.post_counters_at_age (search_id, post_id, at, before_at, after_at, like_count, hours)
       SELECT search.id, post.id, $2, $2, $2, 1, 1 FROM search, post
     ), named AS (
       INSERT INTO strandline.post_links SELECT post.id, (SELECT min(g.link_id) FROM strandline.link_sightings g
         JOIN strandline.searches s ON s.id = g.search_id WHERE s.slug = $1 || '-ai') FROM post ON CONFLICT DO NOTHING
     ), days AS (
       INSERT INTO strandline.search_days (search_id, day_at, posts, topic_posts, topic_reposts, cut, exposure_ms, exposed_posts, hours)
       SELECT id, date_trunc('day', $2::timestamptz, 'UTC') - n * interval '1 day', 3, 3, 0, false, 86400000, 3, 24
       FROM search, generate_series(0, 34) n ON CONFLICT (search_id, day_at) DO UPDATE SET exposure_ms = 86400000, hours = 24
     ), tops AS (
       INSERT INTO strandline.search_tops SELECT id, date_trunc('day', $2::timestamptz, 'UTC'), kind, 'rising.example', 20, 20
       FROM search, unnest(ARRAY['hashtag', 'domain']) kind
     ), channel AS (
       INSERT INTO strandline.channels (slug, kind, settings, target, secrets, state, state_since, cursor, created_at)
       VALUES ('channel', 'webhook', '{}', 'x.example', '{}', 'active', $2, 0, $2)
       ON CONFLICT (slug) WHERE archived_at IS NULL DO UPDATE SET cursor = 0 RETURNING id
     ), rule AS (
       INSERT INTO strandline.rules (slug, name, topic_id, kinds, filter, cooldown_seconds, state, state_since, after, created_at)
       SELECT 'rule-' || $1, 'R', id, '{post}', '', 0, 'active', $2, 0, $2 FROM strandline.topics WHERE slug = $1 RETURNING id
     )
     INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, reason, created_at, attempts)
     SELECT 'msg_' || $1, channel.id, rule.id, 'dead', 'x', $2, 1 FROM channel, rule`,
    [data, TO],
  );
}

async function listViews(): Promise<string[]> {
  const { rows } = await world.db.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'v' ORDER BY 1`,
    [ANALYTICS],
  );
  return rows.map(({ name }) => name);
}

/** Without what says on which side it is. */
function digest(rows: readonly string[]): string {
  const texts = rows.map((row) =>
    row.replaceAll(/\b(?:own|sandbox)\b/g, 'kind').replaceAll(/"simulated": ?\w+| \(simulated\)/g, ''),
  );
  return `${rows.length} rows, ${createHash('sha256').update(texts.toSorted().join('\n')).digest('hex')}`;
}

async function readViews(): Promise<Map<string, string[]>> {
  const read = new Map<string, string[]>();
  for (const view of views) {
    const { rows } = await reader.query<{ row: string }>(
      `SELECT to_jsonb(v)::text AS row FROM ${ANALYTICS}.${view} v`,
    );
    read.set(
      view,
      rows.map(({ row }) => row),
    );
  }
  return read;
}

/** The rows of each export, all of one snapshot. */
async function exported(): Promise<Map<string, string[]>> {
  const snapshot = await openSnapshot(world.db);
  const read = new Map<string, string[]>();
  for (const resource of RESOURCES) {
    const pieces: Uint8Array[] = [];
    const { bytes } = await encodeResource(snapshot, {
      resource,
      filter: {},
      searchIds: undefined,
      encoding: { format: 'ndjson' },
      now: world.clock.now(),
    });
    for await (const piece of bytes) pieces.push(piece);
    read.set(`export ${resource}`, Buffer.concat(pieces).toString().split('\n').filter(Boolean));
  }
  await snapshot.close();
  return read;
}

/** A row as JSON. The order in which Postgres adds, and so the last digits of a sum, may differ from plan to plan. */
function toText(row: unknown): string {
  return JSON.stringify(row, (_key, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(12)) : value,
  );
}

/** The rows of each statement of each dashboard. */
async function panels(): Promise<Map<string, string[]>> {
  const range = { from: FROM, to: new Date(TO.getTime() + HOUR) };
  const results = new Map<string, string[]>();
  for (const { file, dashboard } of readDashboards())
    for (const variables of await choicesOf(world.database.readerUrl, dashboard, range, {}))
      for (const { of, sql } of statementsOf(dashboard)) {
        const text = fillIn(sql, { range, variables });
        const { rows } = await reader.query<unknown[]>({ text, rowMode: 'array' });
        const name = `panel ${file}: ${of}`;
        results.set(name, [...(results.get(name) ?? []), ...rows.map(toText)]);
      }
  return results;
}

test('both schemas have the same views, and each has rows on both sides', async () => {
  expect(await listViews()).toEqual(views);
  const empty = DATA.flatMap((data) =>
    views.filter((view) => beside[data].get(view)?.length === 0).map((view) => `${data} ${view}`),
  );
  expect(empty).toEqual([]);
});

/** What a side shows of which there is a digest from when it was alone, and now shows something else. */
async function listChanged(shown: ReadonlyMap<string, readonly string[]>): Promise<string[]> {
  return [...shown, ...(await exported()), ...(await panels())]
    .filter(([of, rows]) => !NEITHER.has(of) && !BY_THE_CLOCK.has(of) && digest(rows) !== before.get(of))
    .map(([of]) => of);
}

test('real data is shown as if there was no simulated data, by every view, export and panel', async () => {
  expect(await listChanged(beside.real)).toEqual([]);
});

/** Views by what a key names: `post_id`, `named_post_id`, `completion_links`. */
const KEYS = /^(?:\w+_)?(post|link|author|completion|claim|run|search|topic|spike|trend_state)(?:_id|s)$/;

/** What a key column has. */
type Keys = number | number[] | null;

test('every key in a view names a row of the same side', async () => {
  const { rows: columns } = await reader.query<{ view: string; name: string; type: string }>(
    `SELECT view, name, type FROM ${ANALYTICS}.contract_columns WHERE type IN ('bigint', 'bigint[]') ORDER BY 1, 2`,
  );
  const wrong: string[] = [];
  const used = new Set<string>();
  for (const data of DATA) {
    const shown = new Map(
      // As to_jsonb writes keys, which are small here.
      [...beside[data]].map(([view, rows]) => [
        view,
        rows.map((row) => JSON.parse(row) as Record<string, Keys>),
      ]),
    );
    const ids = new Map([...shown].map(([view, rows]) => [view, new Set(rows.map(({ id }) => id))]));
    for (const { view, name: column, type } of columns) {
      const named = KEYS.exec(column)?.[1];
      // Posts and links are also counted.
      if (named === undefined || (type === 'bigint' && !column.endsWith('_id'))) continue;
      used.add(`${view}.${column}`);
      const known = ids.get(named === 'search' ? 'searches' : `${named}s`);
      const keys = shown.get(view)?.flatMap((row) => row[column] ?? []);
      const lost = keys?.filter((id) => known?.has(id) !== true);
      if (lost?.length !== 0) wrong.push(`${data}: ${lost?.length} of ${view}.${column}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(used.size).toBeGreaterThan(60);
});

test('an address that both sides found is two links, and no list names both', async () => {
  const { rows } = await world.db.pool.query<{ twice: number; mixed: number }>(
    `SELECT (SELECT count(*) FROM strandline.links a JOIN strandline.links b USING (canonical) WHERE a.simulated AND NOT b.simulated)::int AS twice,
         (SELECT count(*) FROM strandline.link_sightings g JOIN strandline.searches s ON s.id = g.search_id
           JOIN strandline.links l ON l.id = g.link_id WHERE l.simulated <> s.simulated)::int
         + (SELECT count(*) FROM strandline.completions c JOIN strandline.searches s ON s.id = c.search_id
             CROSS JOIN unnest(c.completion_links || c.search_completion_links) u(id) JOIN strandline.links l ON l.id = u.id
             WHERE l.simulated <> s.simulated)::int
         + (SELECT count(*) FROM strandline.post_links n JOIN strandline.posts p ON p.id = n.post_id
             JOIN strandline.services v ON v.id = p.service_id JOIN strandline.links l ON l.id = n.link_id WHERE l.simulated <> v.simulated)::int AS mixed`,
  );
  expect(rows[0]?.twice).toBeGreaterThan(0);
  expect(rows[0]?.mixed).toBe(0);
});

test('simulated data is shown as if there was no real data, by every view, export and panel', async () => {
  await swapSides(world.db);
  expect(await listChanged(await readViews())).toEqual([]);
});
