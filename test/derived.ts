/** The tables written while deriving, for comparison with a rebuild of the same runs. */
import { rebuildTrends } from '../src/monitor/derive/follower.ts';
import type { Context } from '../src/monitor/context.ts';
import type { Id } from '../src/store/db/database.ts';

/** And how their rows are told apart. */
export const DERIVED: Readonly<Record<string, string>> = {
  coverage: 'run_id',
  volume: 'search_id, bucket_at',
  search_days: 'search_id, day_at',
  search_tops: 'search_id, kind, day_at, name',
  post_counters: 'post_id',
  search_gains: 'search_id, hour_at',
  post_counters_at_age: 'search_id, post_id, hours',
  latest_results: 'search_id',
  dropped_posts: 'search_id, post_id',
  search_typical: 'search_id, hours',
  search_rising: 'search_id, post_id',
};

/** All rows of all of them. */
export async function readDerived({ db }: Pick<Context, 'db'>): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const [table, key] of Object.entries(DERIVED)) {
    const { rows } = await db.pool.query(`SELECT * FROM strandline.${table} ORDER BY ${key}`);
    tables[table] = rows;
  }
  return tables;
}

/** The same after searches were derived again from their first run; all of them if none are named. */
export async function readRebuilt(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'log'>,
  searches?: readonly { id: Id }[],
): Promise<Record<string, unknown[]>> {
  const { rows } = await ctx.db.pool.query<{ id: Id }>('SELECT id FROM strandline.searches ORDER BY id DESC');
  for (const { id } of searches ?? rows) await rebuildTrends(ctx, id);
  return readDerived(ctx);
}
