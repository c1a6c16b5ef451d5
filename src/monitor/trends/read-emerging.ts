/** What a topic began to speak of, day by day. */
import { DAY } from '../../lib/time.ts';
import type { EmergingKind } from '../../model/closed-lists.ts';
import { runCooperatively } from '../../platform/run-cooperatively.ts';
import type { Id } from '../../store/db/database.ts';
import { readBuckets } from '../../store/queries/volume.ts';
import { readWindowPosts } from '../../store/volume/window-posts.ts';
import type { Context } from '../context.ts';
import { findSearches } from '../topics/find-by-slug.ts';
import { COMPARED_DAYS, type CountedDay, countDayInSteps, findEmerging } from './rules/emerging-names.ts';
import { countDaysBack } from './trend-operation.ts';

export type EmergingDay = {
  /** Its start (UTC). */
  day: Date;
  /** Posts that were compared; null: the day was not observed. */
  posts: number | null;
  authors: number | null;
  /** How many of the seven days before were observed. */
  compared_days: number;
  /** The largest difference first; null: the day, or the week before it, was not observed. */
  names: EmergingRow[] | null;
};

export type EmergingRow = {
  kind: EmergingKind;
  name: string;
  /** Distinct authors of the day with the name. */
  authors: number;
  /** Their share of all authors of the day, and of the week before; 0 to 1. */
  share: number;
  share_before: number;
  first_post_id: Id;
  first_post_at: Date;
};

/** The newest posts of a day, of all searches together: more say nothing new, and cost processor time. */
const MAX_POSTS = 1_000;
/** Of each of many searches. */
const MIN_POSTS_EACH = 50;

/** @param days number of days (UTC), today among them @returns newest day first */
export async function readEmerging(ctx: Context, topic: string, days: number): Promise<EmergingDay[]> {
  const { db } = ctx;
  const searches = await findSearches(db, { topic, search: undefined }, { removed: true });
  const searchIds = searches.flatMap(({ id, operation }) => (operation === 'microblog' ? [id] : []));
  if (searchIds.length === 0) return [];
  const { from, until } = countDaysBack(ctx, days + COMPARED_DAYS);
  const buckets = await readBuckets(db, {
    searchIds,
    per: 'day',
    from,
    until,
    limit: searchIds.length * (days + COMPARED_DAYS),
  });
  const observed = new Set(
    buckets.flatMap(({ bucket_at, coverage, posts }) =>
      coverage > 0 || posts > 0 ? [bucket_at.getTime()] : [],
    ),
  );
  const most = Math.max(MIN_POSTS_EACH, Math.floor(MAX_POSTS / searchIds.length));
  const before: (CountedDay['counts'] | null)[] = [];
  const found: EmergingDay[] = [];
  for (let at = from.getTime(); at < until.getTime(); at += DAY) {
    const day = observed.has(at)
      ? await countDay(ctx, searchIds, { from: new Date(at), until: new Date(at + DAY), most })
      : null;
    if (before.length === COMPARED_DAYS) {
      found.push(describeDay(new Date(at), day, before));
      before.shift();
    }
    before.push(day?.counts ?? null);
  }
  return found.toReversed();
}

async function countDay(
  { db }: Context,
  searchIds: readonly Id[],
  window: Parameters<typeof readWindowPosts>[2],
): Promise<CountedDay> {
  return runCooperatively(countDayInSteps(await readWindowPosts(db.pool, searchIds, window)));
}

function describeDay(
  at: Date,
  day: CountedDay | null,
  week: readonly (CountedDay['counts'] | null)[],
): EmergingDay {
  const before = week.flatMap((counts) => (counts === null ? [] : [{ counts }]));
  return {
    day: at,
    posts: day?.posts.length ?? null,
    authors: day?.counts.everybody.size ?? null,
    compared_days: before.length,
    names:
      day === null || before.length === 0
        ? null
        : findEmerging(day, before).map(({ first, ...name }) => ({
            ...name,
            first_post_id: first.id,
            first_post_at: new Date(first.at),
          })),
  };
}
