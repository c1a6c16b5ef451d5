/** Spikes and states of searches, as the views show them. */

import { amongIds, type Id, type Orm, type Pooled, prepareOnce } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import { spikesView, trendStatesView } from '../schema/analytics-views.ts';
import { countedAtSql, measurableBetween } from '../volume/post-time.ts';
import type { DataScope } from './data-scope.ts';
import { equals, within } from './view-conditions.ts';
import { and, asc, desc, eq, gte, isNull, lt, ne, or, sql } from 'drizzle-orm';

export type SpikeRow = typeof spikesView.$inferSelect;
export type TrendStateRow = typeof trendStatesView.$inferSelect;

type PageFilter = DataScope & {
  /** Detection time; `until` is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
  before?: Id | undefined;
  limit: number;
};

/** A page of spikes, newest first. */
export async function readSpikePage(
  { orm }: Orm,
  filter: PageFilter & { measure?: SpikeRow['measure'] | undefined },
): Promise<SpikeRow[]> {
  const { search, topic, measure } = filter;
  const v = spikesView;
  return orm
    .select()
    .from(v)
    .where(and(equals(v, { search, topic, measure }), isOnPage(v, filter)))
    .orderBy(desc(v.id))
    .limit(filter.limit);
}

export async function readSpike({ orm }: Orm, id: Id): Promise<SpikeRow | undefined> {
  const [row] = await orm.select().from(spikesView).where(eq(spikesView.id, id));
  return row;
}

/** A post in the window of a spike. */
export type SpikePost = {
  id: Id;
  first_run_id: Id;
  first_seen_at: Date;
  created_at: Date | null;
  author_username: string | null;
  url: string | null;
  text: string;
};

const COUNTED_AT = verbatim(countedAtSql('g'));
const IN_WINDOW = measurableBetween('g', verbatim('k.window_start'), verbatim('k.window_end'));

/** The posts that the search of a spike found in its window, earliest first. @returns at most 100 */
export async function readPostsOfSpike({ pool }: Pooled, id: Id): Promise<SpikePost[]> {
  return rowsOf<SpikePost>(
    pool,
    statement`SELECT p.id, g.first_run_id, g.first_seen_at, p.created_at, a.username AS author_username, p.url, p.text
      FROM strandline.spikes k
      JOIN strandline.post_sightings g ON g.search_id = k.search_id AND ${IN_WINDOW}
      JOIN strandline.posts p ON p.id = g.post_id LEFT JOIN strandline.authors a ON a.id = p.author_id
      WHERE k.id = ${id} ORDER BY ${COUNTED_AT}, p.id LIMIT 100`,
  );
}

/** A page of states, newest first. */
export async function readTrendStatePage(
  { orm }: Orm,
  filter: PageFilter & { state?: TrendStateRow['state'] | undefined },
): Promise<TrendStateRow[]> {
  const { search, topic, state } = filter;
  const v = trendStatesView;
  return orm
    .select()
    .from(v)
    .where(and(equals(v, { search, topic, state }), isOnPage(v, filter)))
    .orderBy(desc(v.id))
    .limit(filter.limit);
}

function isOnPage(v: typeof spikesView | typeof trendStatesView, filter: PageFilter) {
  return and(within(v.at, filter), filter.before === undefined ? undefined : lt(v.id, filter.before));
}

/** Spikes of searches whose windows ended since then, by window end. */
export async function readSpikes({ orm }: Orm, searchIds: readonly Id[], since: Date): Promise<SpikeRow[]> {
  const view = spikesView;
  return prepareOnce(orm, 'spikes_of', () =>
    orm
      .select()
      .from(view)
      .where(and(amongIds(view.search_id), gte(view.window_end, sql.placeholder('since'))))
      .orderBy(asc(view.window_start), asc(view.id)),
  ).execute({ ids: searchIds, since });
}

/** States of searches that were found since then, and those that still go on, oldest first. */
export async function readTrendStates(
  { orm }: Orm,
  searchIds: readonly Id[],
  since: Date,
): Promise<TrendStateRow[]> {
  const view = trendStatesView;
  return prepareOnce(orm, 'trend_states_of', () =>
    orm
      .select()
      .from(view)
      .where(
        and(
          amongIds(view.search_id),
          or(gte(view.at, sql.placeholder('since')), and(isNull(view.until), ne(view.state, 'normal'))),
        ),
      )
      .orderBy(asc(view.id)),
  ).execute({ ids: searchIds, since });
}
