/**
 * The same save on an empty database and, turn by turn, on one with history: millions of snapshots and
 * sightings, made by SQL. Growth must not show, because every statement of the save goes by keys.
 */
import { connect } from '../src/platform/postgres/connect.ts';
import type { Database } from '../src/store/db/database.ts';
import { middle } from './measure.ts';
import { aligned, ratio } from './report.ts';
import { CASES, type Entrant, playRounds, type Result, searchesOf } from './rounds.ts';
import { furnish, type Stage } from './stage.ts';
import { ours } from './ways/ours.ts';

/** Times as long as on the empty database, at most. */
const TARGET = 1.3;
/** Of each post of the history. */
const SNAPSHOTS_PER_POST = 10;
const SEARCHES = 100;

type Options = Omit<Parameters<typeof playRounds>[2], 'concurrencies'>;

/** @param rows of snapshots, and as many sightings */
export async function measureHistory(stage: Stage, rows: number, options: Options): Promise<string> {
  const old = await stage.addDatabase('old');
  await fill(old, rows);
  await stage.checkpoint();
  return compareSaves(stage, old, `${rows} snapshots and ${rows} sightings of history`, options);
}

/** The save on an empty database and, turn by turn, on one that is full already. */
export async function compareSaves(
  stage: Stage,
  old: { db: Database },
  history: string,
  options: Options,
): Promise<string> {
  const young = await stage.addDatabase('young');
  const entrants = [await enter(young.db, 'young', options), await enter(old.db, 'old', options)];
  const results = await playRounds(stage.db, entrants, { ...options, concurrencies: [1] });

  const lines = CASES.map((name) => {
    const of = (way: string) => results.filter((one) => one.way === way && one.case === name);
    const ms = (all: readonly Result[]) =>
      (1_000 * options.batch) / middle(all.map((one) => one.figures)).postsPerSecond;
    const times = ratio(results, 'young', 'old', name, 1);
    return [
      name,
      ms(of('young')).toFixed(2),
      ms(of('old')).toFixed(2),
      times.toFixed(2),
      String(TARGET),
      times <= TARGET ? '✓' : '✗',
    ];
  });
  const table = aligned([['case', 'empty ms', 'history ms', 'times', 'target', ''], ...lines]);
  return `a batch, one at a time, with ${history}:\n${table}\n`;
}

async function enter(db: Database, name: string, options: Options): Promise<Entrant> {
  const { serviceId, searchIds } = await furnish(db, name, searchesOf({ ...options, concurrencies: [1] }));
  return { way: { ...ours(db, serviceId), name }, searchIds, counts: true };
}

/** Posts are short here: their size does not matter to the save of others, their number does. */
async function fill({ db, url }: { db: Database; url: string }, rows: number): Promise<void> {
  const { serviceId } = await furnish(db, 'past', 1);
  const posts = Math.ceil(rows / SNAPSHOTS_PER_POST);
  const client = await connect(url, 'strandline bench');
  try {
    await client.query(
      `SELECT strandline.ensure_snapshot_partitions('2026-02-01'::timestamptz, '2026-11-21'::timestamptz)`,
    );
    await client.query(
      `INSERT INTO strandline.posts (service_id, created_at, first_seen_at, observed_at, external_id,
         text, hashtags, mentions, urls, media, entities)
       SELECT $1, t, t, t, '16' || lpad(n::text, 17, '0'), repeat('old news ', 8), '{}', '{}', '{}', '[]', '{}'
       FROM generate_series(1, $2::int) n, LATERAL (SELECT '2026-02-01'::timestamptz + n * interval '1 second') AS at(t)`,
      [serviceId, posts],
    );
    await client.query(
      `INSERT INTO strandline.post_counters (post_id, observed_at, like_count)
       SELECT id, observed_at, substr(external_id, 3)::bigint FROM strandline.posts WHERE service_id = $1 ORDER BY id`,
      [serviceId],
    );
    await client.query(
      `INSERT INTO strandline.post_snapshots (post_id, observed_at, reply_count, like_count, view_count)
       SELECT p.id, '2026-02-01'::timestamptz + k * interval '29 days', k, k * 2, k * 100
       FROM strandline.posts p, generate_series(0, $2::int - 1) k WHERE p.service_id = $1 ORDER BY k, p.id`,
      [serviceId, SNAPSHOTS_PER_POST],
    );
    await client.query(
      `INSERT INTO strandline.post_sightings (search_id, post_id, first_run_id, first_seen_at, post_created_at)
       SELECT 1000000 + (p.id + k * 7) % $3, p.id, 0, p.first_seen_at, p.created_at
       FROM strandline.posts p, generate_series(0, $2::int - 1) k WHERE p.service_id = $1`,
      [serviceId, SNAPSHOTS_PER_POST, SEARCHES],
    );
    await client.query(
      'VACUUM ANALYZE strandline.posts, strandline.post_counters, strandline.post_snapshots, strandline.post_sightings',
    );
  } finally {
    await client.end();
  }
}
