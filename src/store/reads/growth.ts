import { and, asc, desc, eq, exists, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import {
  postAtAgeView,
  postGrowthView,
  postSightingsView,
  searchesView,
  searchGrowthDailyView,
  searchGrowthHourlyView,
  typicalAtAgeView,
} from '../schema/analytics.ts';
import { searchIs } from './searches.ts';

type Reads = Pick<Database, 'orm'>;
type Which = { search?: string | undefined; topic?: string | undefined };

export type PostGrowthRow = typeof postGrowthView.$inferSelect;
export type SearchGrowthRow = typeof searchGrowthDailyView.$inferSelect;
export type PostAtAgeRow = typeof postAtAgeView.$inferSelect;
export type TypicalAtAgeRow = typeof typicalAtAgeView.$inferSelect;

export const GROWTH_ORDERS = ['engagement', 'likes', 'views', 'reposts', 'pace'] as const;
export type GrowthOrder = (typeof GROWTH_ORDERS)[number];

/** What each order goes by, the most first; what is unknown comes last. `pace`: likes an hour over the last day. */
const BY = {
  engagement: postGrowthView.gained_engagement,
  likes: postGrowthView.gained_like_count,
  views: postGrowthView.gained_view_count,
  reposts: postGrowthView.gained_repost_count,
  pace: postGrowthView.likes_per_hour_24h,
} as const;

/** Posts that a search found and that grew, those that gained most first; counters as in the view `post_growth`. */
export async function readGrowth(
  { orm }: Reads,
  filter: Which & {
    /** Of which a counter was seen to differ at this time or later. */
    since?: Date | undefined;
    order: GrowthOrder;
    limit: number;
  },
): Promise<PostGrowthRow[]> {
  const { since, order, limit } = filter;
  return orm
    .select()
    .from(postGrowthView)
    .where(and(foundBy(filter), since === undefined ? undefined : gte(postGrowthView.changed_at, since)))
    .orderBy(sql`${BY[order]} desc nulls last`, desc(postGrowthView.post_id))
    .limit(limit);
}

/** The growth of one post. */
export async function readGrowthOf({ orm }: Reads, postId: Id): Promise<PostGrowthRow | undefined> {
  const [row] = await orm.select().from(postGrowthView).where(eq(postGrowthView.post_id, postId)).limit(1);
  return row;
}

/** Posts that no search returns any more, those that were lost last first. */
export async function readUnseen(
  { orm }: Reads,
  filter: Which & { limit: number },
): Promise<PostGrowthRow[]> {
  return orm
    .select()
    .from(postGrowthView)
    .where(and(foundBy(filter), sql`${postGrowthView.not_seen_since} is not null`))
    .orderBy(desc(postGrowthView.not_seen_since), desc(postGrowthView.post_id))
    .limit(filter.limit);
}

/** What searches gained per hour or day, oldest first. No row: nobody looked. */
export async function readSearchGrowth(
  { orm }: Reads,
  filter: Which & { per: 'hour' | 'day'; from: Date; until: Date; limit: number },
): Promise<SearchGrowthRow[]> {
  const view = filter.per === 'hour' ? searchGrowthHourlyView : searchGrowthDailyView;
  return orm
    .select()
    .from(view)
    .where(
      and(
        filter.search === undefined ? undefined : eq(view.search, filter.search),
        filter.topic === undefined ? undefined : eq(view.topic, filter.topic),
        gte(view.bucket_at, filter.from),
        lt(view.bucket_at, filter.until),
      ),
    )
    .orderBy(asc(view.bucket_at), asc(view.search))
    .limit(filter.limit);
}

/** Posts at one age, those furthest above what is typical of their search first; without a ratio by what they have. */
export async function readPostsAtAge(
  { orm }: Reads,
  filter: Which & { hours: number; since?: Date | undefined; limit: number },
): Promise<PostAtAgeRow[]> {
  const { since } = filter;
  return orm
    .select()
    .from(postAtAgeView)
    .where(
      and(
        ...which(postAtAgeView, filter),
        eq(postAtAgeView.hours, filter.hours),
        since === undefined ? undefined : gte(postAtAgeView.reached_at, since),
      ),
    )
    .orderBy(
      sql`${postAtAgeView.engagement_ratio} desc nulls last`,
      sql`${postAtAgeView.engagement} desc nulls last`,
      desc(postAtAgeView.post_id),
    )
    .limit(filter.limit);
}

/** One post at each age at which it was observed, by each search that has it. */
export async function readAgesOf({ orm }: Reads, postId: Id): Promise<PostAtAgeRow[]> {
  return orm
    .select()
    .from(postAtAgeView)
    .where(eq(postAtAgeView.post_id, postId))
    .orderBy(asc(postAtAgeView.search), asc(postAtAgeView.hours))
    .limit(1_000);
}

/** What is typical of searches at each age. */
export async function readTypical(
  { orm }: Reads,
  filter: Which & { limit: number },
): Promise<TypicalAtAgeRow[]> {
  return orm
    .select()
    .from(typicalAtAgeView)
    .where(and(...which(typicalAtAgeView, filter)))
    .orderBy(asc(typicalAtAgeView.search), asc(typicalAtAgeView.hours))
    .limit(filter.limit);
}

function which(
  view: typeof postAtAgeView | typeof typicalAtAgeView,
  { search, topic }: Which,
): (SQL | undefined)[] {
  return [
    search === undefined ? undefined : eq(view.search, search),
    topic === undefined ? undefined : eq(view.topic, topic),
  ];
}

function foundBy(filter: Which): SQL | undefined {
  if (filter.search === undefined && filter.topic === undefined) return undefined;
  return exists(
    sql`(select from ${postSightingsView} join ${searchesView} on ${searchesView.id} = ${postSightingsView.search_id}
      where ${postSightingsView.post_id} = ${postGrowthView.post_id} and ${searchIs(filter)})`,
  );
}
