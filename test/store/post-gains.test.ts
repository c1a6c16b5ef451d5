/** Gains in counters and in coverage: what a database had in tables of their own, and sums that are made again. */
import { expect, onTestFinished, test } from 'vitest';
import { POST_COUNTERS } from '../../src/model/counters.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { sumGains } from '../../src/store/derive/post-gains.ts';
import { emptyDatabase } from '../database.ts';
import { migrationsUntil } from './folders.ts';

const log = createLogger('silent');
const T = (minutes: number) => `'2026-11-21T12:00:00Z'::timestamptz + ${minutes} * interval '1 minute'`;

/** Likes and views of a post in its snapshots. */
const SERIES: Readonly<Record<number, readonly (readonly [number | null, number | null])[]>> = {
  1: [
    [5, null],
    [9, 100],
    [7, null],
    [8, 90],
  ],
  2: [[3, 30]],
  // Its last two changes wait to be counted.
  3: [
    [1, 1],
    [4, 1],
    [2, 6],
    [6, null],
  ],
  4: [
    [null, 10],
    [2, null],
  ],
};
const WAITING = 3;

/** A database before these migrations. */
async function openBefore(migration: string) {
  const { url, drop } = await emptyDatabase();
  onTestFinished(drop);
  const client = await connect(url, 'test');
  onTestFinished(() => client.end());
  await migrate({ url, log, folder: await migrationsUntil(migration) });
  return { url, client };
}

test('gains that were counted, and changes that wait, are those of the snapshots', async () => {
  const { url, client } = await openBefore('0059');
  await client.query(`SELECT strandline.ensure_snapshot_partitions(${T(0)}, ${T(0)})`);
  for (const [post, series] of Object.entries(SERIES)) {
    for (const [n, [likes, views]] of series.entries())
      await client.query(
        `INSERT INTO strandline.post_snapshots (post_id, observed_at, like_count, view_count) VALUES ($1, ${T(n)}, $2, $3)`,
        [post, likes, views],
      );
    const newest = (of: 0 | 1) => series.findLast((counts) => counts[of] !== null)?.[of] ?? null;
    await client.query(
      `INSERT INTO strandline.post_counters (post_id, observed_at, like_count, view_count) VALUES ($1, ${T(series.length - 1)}, $2, $3)`,
      [post, newest(0), newest(1)],
    );
  }
  await client.query(`INSERT INTO strandline.post_gains
    (post_id, changed_at, changed_before_at, step_like_count, step_engagement, first_like_count, gained_like_count, lost_like_count,
      first_view_count, gained_view_count, lost_view_count) VALUES
    (1, ${T(3)}, ${T(2)}, 1, 1, 5, 5, 2, 100, 0, 10),
    (3, ${T(1)}, ${T(0)}, 3, 3, 1, 3, 0, 1, 0, 0),
    (4, ${T(1)}, ${T(0)}, NULL, NULL, 2, NULL, NULL, 10, NULL, NULL)`);
  await client.query(
    `INSERT INTO strandline.pending_derivations (search_id, run_id, at, new_posts, new_links, changed_posts, touched_posts,
       touched_links, checked, notify)
     VALUES (1, 1, ${T(2)}, '{}', '{}', $1, '{}', '{}', true, true), (1, 2, ${T(3)}, '{}', '{}', $1, '{}', '{}', true, true)`,
    [[WAITING]],
  );
  await migrate({ url, log });

  const kept = async () => (await client.query('SELECT * FROM strandline.post_counters ORDER BY 1')).rows;
  const moved = await kept();
  expect(
    moved.map((row) => [
      row.first_like_count,
      row.gained_like_count,
      row.lost_like_count,
      row.was_like_count,
    ]),
  ).toEqual([
    ['5', '5', '2', '7'],
    [null, null, null, null],
    ['1', '7', '2', '2'],
    ['2', null, null, null],
  ]);
  const clear = POST_COUNTERS.flatMap((counter) =>
    ['first', 'gained', 'lost', 'was'].map((kind) => `${kind}_${counter} = 77`),
  );
  await client.query(`UPDATE strandline.post_counters SET changed_before_at = ${T(77)}, ${clear.join(', ')}`);
  await sumGains(client, [1n, 2n, 3n, 4n]);
  expect(await kept()).toEqual(moved);
});

test('gains between two runs are with what the later one observed', async () => {
  const { url, client } = await openBefore('0060');
  await client.query(`ALTER TABLE strandline.coverage DROP CONSTRAINT coverage_run_id_runs_id_fk;
    ALTER TABLE strandline.run_gains DROP CONSTRAINT run_gains_run_id_runs_id_fk`);
  for (const run of [1, 2, 3])
    await client.query(`INSERT INTO strandline.coverage
      (run_id, search_id, request_version, observed_until, observed_from, reached_from, every_seconds, posts, most_posts)
      VALUES (${run}, 1, 1, ${T(15 * run)}, ${T(0)}, ${T(0)}, 900, 2, 2)`);
  await client.query(`INSERT INTO strandline.run_gains (run_id, search_id, from_at, until_at, posts, gained, top_post_id, top_gained)
    VALUES (2, 1, ${T(15)}, ${T(30)}, 2, 7, 4, 5), (3, 1, ${T(30)}, ${T(45)}, 0, 0, NULL, NULL)`);
  await migrate({ url, log });
  const { rows } = await client.query(
    `SELECT run_id::int AS run, (extract(epoch FROM observed_until - compared_from) / 60)::int AS minutes, compared_posts AS posts,
       gained::int, top_post_id::int AS top, top_gained::int FROM strandline.coverage ORDER BY 1`,
  );
  expect(rows).toEqual([
    { run: 1, minutes: null, posts: null, gained: null, top: null, top_gained: null },
    { run: 2, minutes: 15, posts: 2, gained: 7, top: 4, top_gained: 5 },
    { run: 3, minutes: 15, posts: 0, gained: 0, top: null, top_gained: null },
  ]);
});
