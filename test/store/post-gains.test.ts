/** Gains of posts in their counters: what a database had in a table of its own, and sums that are made again. */
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

test('gains that were counted, and changes that wait, are those of the snapshots', async () => {
  const { url, drop } = await emptyDatabase();
  onTestFinished(drop);
  const client = await connect(url, 'test');
  onTestFinished(() => client.end());
  await migrate({ url, log, folder: await migrationsUntil('0059') });
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
