/** Everything that the page of a topic, or of one of its searches, shows: a handful of reads, all at once. */
import { DAY, HOUR } from '../../../engine/clock.ts';
import type { Context } from '../../../monitor/context.ts';
import { type Pulse, pulseOf, usualOf } from '../../../monitor/trend/pulse.ts';
import { readAheadOfAge } from '../../../store/reads/growth.ts';
import { readLastRuns, readNewest, readRequestChanges } from '../../../store/reads/of-searches.ts';
import { readPostsOf } from '../../../store/reads/posts.ts';
import { readSearchDays, type SearchDay } from '../../../store/reads/overview.ts';
import { isBehind, oldestOf, readDerivedUntil } from '../../../store/derive/until.ts';
import { readRisingPosts } from '../../../store/reads/rising.ts';
import type { SearchRow } from '../../../store/reads/searches.ts';
import {
  readTopAuthors,
  readTopDomains,
  readTopHashtags,
  readTopLanguages,
} from '../../../store/reads/tops.ts';
import { readSpikes } from '../../../store/reads/trends.ts';
import { readVolumeSums, type SearchSum, type VolumeSums } from '../../../store/reads/volume.ts';
import { coverageOf, sumsOf, volumeOf } from './buckets.ts';
import { linksOnly } from './links-only.ts';
import type { Range } from './range.ts';
import { readComments } from './completion-read.ts';

/** A topic with all its searches, or one of them. */
export type Scope = { topic: string; search?: string; searches: readonly SearchRow[] };

const MOST_RUNS = 60;
const MOST_NEW = 16;
const MOST_TOPS = 8;
/** Who and what is spoken of changes within days: it is told of so many whole ones before today at most, */
const TOP_DAYS = 7;
/** and of fewer where they hold more posts than this: a busy topic has thousands of authors in each. */
const TOP_POSTS = 10_000;
const MOST_POSTS = 6;
/** What is usual is taken from so many whole days before today. */
const USUAL_DAYS = 14;

export type ScopeRead = Awaited<ReturnType<typeof readScope>>;

export async function readScope(ctx: Pick<Context, 'db'>, scope: Scope, range: Range, now: Date) {
  const { db } = ctx;
  const ids = scope.searches.map(({ id }) => id);
  const which = scope.search === undefined ? { topic: scope.topic } : { search: scope.search };
  const today = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const past = await readSearchDays(db, {
    from: new Date(today.getTime() - USUAL_DAYS * DAY),
    until: today,
    searchIds: ids,
  });
  const topsFrom = startOfDay(
    new Date(Math.max(range.from.getTime(), today.getTime() - topDaysOf(past, today) * DAY)),
  );
  const hours = range.name === '24h' ? 3 : 24;
  const tops = { ...which, from: topsFrom, until: range.until, limit: MOST_TOPS };
  // What takes longest, or several steps, begins first: all share a few connections.
  const [
    completions,
    authors,
    domains,
    sums,
    ahead,
    rising,
    hashtags,
    newest,
    runs,
    languages,
    spikes,
    changes,
    underived,
  ] = await Promise.all([
    readComments(db, scope.searches, range.from),
    readTopAuthors(db, tops),
    readTopDomains(db, tops),
    readVolume(db, scope, range),
    readAhead(db, { ...which, hours, since: range.from, limit: MOST_POSTS }),
    readRisingPosts(db, { ...which, since: new Date(now.getTime() - DAY), limit: MOST_POSTS }),
    readTopHashtags(db, tops),
    readNewest(db, ids, { kinds: ['post', 'link', 'completion'], limit: MOST_NEW }),
    readLastRuns(db, ids, MOST_RUNS),
    readTopLanguages(db, tops),
    readSpikes(db, ids, range.from),
    readRequestChanges(db, ids, range.from),
    readDerivedUntil(db, which),
  ]);
  const until = oldestOf(underived);
  const stepMs = range.per === 'hour' ? HOUR : DAY;
  const volume = volumeOf(sums.buckets, { ...range, stepMs });
  const counts = [...volume.values, ...past.map(({ posts }) => posts), ...authors.map(({ posts }) => posts)];
  return {
    linksOnly: linksOnly(scope.searches, counts),
    volume,
    coverage: coverageOf(sums.searches, volume.at.length * range.passed),
    pulse: pulseNow(scope, sums.searches, past, range),
    spikes,
    changes,
    runs: runs.toReversed(),
    newest,
    rising,
    ahead,
    tops: { from: topsFrom, authors, domains, hashtags, languages },
    completions,
    asOf: until !== null && isBehind(until, now) ? until : null,
  };
}

/** Posts of the range beside as many usual days. */
function pulseNow(
  { searches, search }: Scope,
  sums: readonly SearchSum[],
  past: readonly SearchDay[],
  range: Range,
): Pulse & { usualDay: number | null } {
  const days = (range.until.getTime() - range.from.getTime()) / DAY;
  const count = range.per === 'hour' ? days * 24 : days;
  // What is usual is counted as the volume beside it is: see readVolume.
  const once = range.per === 'day' && search === undefined;
  const each = searches.map(({ id }) => {
    const its = sums.find(({ search_id }) => search_id === id);
    const usual = usualOf(
      past
        .filter(({ search_id }) => search_id === id)
        .map((day) => ({ ...day, posts: once ? day.topic_posts : day.posts, lowerBound: day.lower_bound })),
    );
    return {
      now: {
        posts: its?.posts ?? 0,
        coverage: (its?.observed ?? 0) / count,
        lowerBound: its?.lower_bound ?? false,
      },
      usual: usual === null ? null : usual * days,
    };
  });
  const pulse = pulseOf(each);
  return { ...pulse, usualDay: pulse.usual === null ? null : pulse.usual / days };
}

/** Each post once, as it is now. */
async function readAhead(db: Context['db'], filter: Parameters<typeof readAheadOfAge>[1]) {
  const { hours, posts: ahead } = await readAheadOfAge(db, filter);
  const posts = await readPostsOf(
    db,
    ahead.map(({ post_id }) => post_id),
  );
  const found = posts.flatMap((post) => {
    const best = ahead.find(({ post_id }) => post_id === post.id);
    return best === undefined
      ? []
      : [{ post, engagement: best.engagement, engagement_ratio: best.engagement_ratio }];
  });
  return { hours, posts: found };
}

/** By hours as each search counts; by days each post of a topic once. */
async function readVolume(db: Context['db'], { searches, search }: Scope, range: Range): Promise<VolumeSums> {
  const searchIds = searches.map(({ id }) => id);
  const { from, until } = range;
  if (range.per === 'hour') return readVolumeSums(db, { searchIds, per: 'hour', from, until });
  const rows = await readSearchDays(db, { from, until, searchIds });
  return sumsOf(
    rows.map(({ day_at, topic_posts, ...row }) => ({
      ...row,
      at: day_at,
      posts: search === undefined ? topic_posts : row.posts,
    })),
  );
}

/** How many whole days before today the tops are taken from; one in any case. */
export function topDaysOf(past: readonly Pick<SearchDay, 'day_at' | 'posts'>[], today: Date): number {
  let held = 0;
  for (let days = 1; days <= TOP_DAYS; days += 1) {
    const day = today.getTime() - days * DAY;
    held += past.reduce((sum, { day_at, posts }) => (day_at.getTime() === day ? sum + posts : sum), 0);
    if (held > TOP_POSTS) return Math.max(1, days - 1);
  }
  return TOP_DAYS;
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY) * DAY);
}
