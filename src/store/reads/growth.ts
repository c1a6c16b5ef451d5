import { and, asc, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import {
  postAtAgeView,
  postGrowthView,
  searchGrowthDailyView,
  searchGrowthHourlyView,
  searchPostGainsView,
  typicalAtAgeView,
  unseenPostsView,
} from '../schema/analytics.ts';

type Reads = Pick<Database, 'orm'>;
type Which = { search?: string | undefined; topic?: string | undefined };

export type PostGrowthRow = typeof postGrowthView.$inferSelect;
export type SearchGrowthRow = typeof searchGrowthDailyView.$inferSelect;
export type PostAtAgeRow = typeof postAtAgeView.$inferSelect;
export type TypicalAtAgeRow = typeof typicalAtAgeView.$inferSelect;

export const GROWTH_ORDERS = ['engagement', 'likes', 'views', 'reposts'] as const;
export type GrowthOrder = (typeof GROWTH_ORDERS)[number];

/** What each order goes by, the most first; what is unknown comes last. */
const BY = {
  engagement: searchPostGainsView.gained_engagement,
  likes: searchPostGainsView.gained_like_count,
  views: searchPostGainsView.gained_view_count,
  reposts: searchPostGainsView.gained_repost_count,
} as const;

/**
 * Posts that a search found and of which a counter was seen to differ, those that gained most first; counters as in
 * the view `post_growth`.
 */
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
  const v = searchPostGainsView;
  const by = sql`max(${BY[order]}) desc nulls last`;
  const most = await orm
    .select({ post_id: v.post_id })
    .from(v)
    .where(and(...which(v, filter), since === undefined ? undefined : gte(v.changed_at, since)))
    .groupBy(v.post_id)
    .orderBy(by, desc(v.post_id))
    .limit(limit);
  return growthOf({ orm }, most);
}

/** The growth of one post. */
export async function readGrowthOf({ orm }: Reads, postId: Id): Promise<PostGrowthRow | undefined> {
  const [row] = await orm.select().from(postGrowthView).where(eq(postGrowthView.post_id, postId)).limit(1);
  return row;
}

export type UnseenRow = PostGrowthRow & { search: string };

/** Posts that no search returns any more, once for each search that had them, those that were lost last first. */
export async function readUnseen({ orm }: Reads, filter: Which & { limit: number }): Promise<UnseenRow[]> {
  const v = unseenPostsView;
  const lost = await orm
    .select({ post_id: v.post_id, search: v.search })
    .from(v)
    .where(and(...which(v, filter), eq(v.seen_elsewhere, false)))
    .orderBy(desc(v.not_seen_since))
    .limit(filter.limit);
  const rows = new Map((await growthOf({ orm }, lost)).map((row) => [row.post_id, row]));
  return lost.flatMap(({ post_id, search }) => {
    const row = rows.get(post_id);
    return row === undefined ? [] : [{ ...row, search }];
  });
}

/** The growth of posts, in the order in which they are given. */
async function growthOf({ orm }: Reads, posts: readonly { post_id: Id }[]): Promise<PostGrowthRow[]> {
  if (posts.length === 0) return [];
  const ids = posts.map(({ post_id }) => post_id);
  const rows = await orm
    .select()
    .from(postGrowthView)
    .where(inArray(postGrowthView.post_id, ids))
    .limit(ids.length);
  const byId = new Map(rows.map((row) => [row.post_id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
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
  view: typeof postAtAgeView | typeof typicalAtAgeView | typeof searchPostGainsView | typeof unseenPostsView,
  { search, topic }: Which,
): (SQL | undefined)[] {
  return [
    search === undefined ? undefined : eq(view.search, search),
    topic === undefined ? undefined : eq(view.topic, topic),
  ];
}
