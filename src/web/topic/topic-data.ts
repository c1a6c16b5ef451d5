/** The chart of a topic or search with what is drawn on it, and its figures. */

import { listTopicNotes } from '../../store/topics/topic-notes.ts';
import { awaitMembers } from '../../lib/await-members.ts';
import type { Context } from '../../monitor/context.ts';
import { offsetAt } from '../../monitor/schedule/time-zone.ts';
import { computeUsualHours } from '../../monitor/trends/rules/usual-hours.ts';
import { HISTORY_MS } from '../../monitor/trends/rules/history.ts';
import {
  computePulse,
  computeTypicalVolume,
  type ObservedDay,
  TYPICAL_DAY_HISTORY_MS,
  type VolumePulse,
} from '../../monitor/trends/rules/volume-comparison.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import type { Id } from '../../store/db/database.ts';
import { isBehind } from '../../model/figures-lag.ts';
import { findOldest, readDerivedUntil } from '../../store/derive/pending-derivations.ts';
import type { DiscoveryView } from '../../store/queries/discoveries.ts';
import {
  readRequestChanges,
  readSearchDays,
  type SearchDay,
  type SearchNow,
} from '../../store/queries/search-activity.ts';
import { readUnresponsiveTools } from '../../store/queries/run-tools.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import {
  type BucketSum,
  NEARLY_FULL_COVERAGE,
  readVolumeSums,
  type SearchSum,
  type VolumeSums,
} from '../../store/queries/volume.ts';
import { readSpikes, readTrendStates, type SpikeRow } from '../../store/queries/trend-reports.ts';
import { readCurrentHistories } from '../../store/volume/volume-history.ts';
import type { Expected } from '../components/chart-scale.tsx';
import type { Range } from './time-range.ts';
import type { PageView, Window } from './view-address.ts';
import { setImmediate } from 'node:timers/promises';

/** A topic with all its searches, or one of them. */
export type TopicScope = {
  topic: string;
  topicId: Id;
  search?: string;
  searches: readonly SearchRow[];
  /** These, and removed searches of the topic: what they found still counts. */
  everySearch: readonly Pick<SearchRow, 'id'>[];
  view: DiscoveryView;
};

export type TopicData = Awaited<ReturnType<typeof readTopicData>>;

export async function readTopicData(
  ctx: Pick<Context, 'db'>,
  scope: TopicScope,
  { range, window, earlier: withEarlier }: Pick<PageView, 'range' | 'window' | 'earlier'>,
  now: Date,
) {
  const { db } = ctx;
  const ids = scope.searches.map(({ id }) => id);
  const which = scope.search === undefined ? { topic: scope.topic } : { search: scope.search };
  const today = new Date(Math.floor(now.getTime() / DAY) * DAY);
  // The slowest reads come first: all share a few connections.
  const { past, sums, earlier, inWindow, underived, histories, ...read } = await awaitMembers({
    sums: readVolume(db, scope, range),
    earlier: withEarlier ? readVolume(db, scope, computePeriodBefore(range)) : null,
    inWindow: window.isPart ? readWindowVolume(db, scope, window) : null,
    histories: readHistories(db, ids, range),
    past: readSearchDays(db, {
      from: new Date(today.getTime() - TYPICAL_DAY_HISTORY_MS),
      until: today,
      searchIds: scope.everySearch.map(({ id }) => id),
    }),
    spikes: readSpikes(db, ids, range.from),
    states: readTrendStates(db, ids, range.from),
    changes: readRequestChanges(db, ids, range.from),
    notes: listTopicNotes(db, scope.topicId, range),
    underived: readDerivedUntil(db, which),
    unresponsive: readUnresponsiveTools(db, which),
  });
  const until = findOldest(underived);
  const stepMs = range.per === 'hour' ? HOUR : DAY;
  const volume = buildVolume(sums.buckets, { ...range, stepMs });
  const pulse = computeTopicPulse(scope, sums.searches, past, range);
  return {
    ...read,
    past,
    linksOnly: findsLinksOnly(scope.searches, [...volume.values, ...past.map(({ posts }) => posts)]),
    volume,
    /** Of the period before, one value per bucket of the range; null if it was not asked for. */
    earlier: earlier && buildVolume(earlier.buckets, { ...computePeriodBefore(range), stepMs }).values,
    /** Of a window that was chosen; null if none was, or nothing in it was observed or found. */
    windowPosts: inWindow && sumPosts(inWindow.buckets),
    coverage: computeCoverage(
      sums.searches.filter(({ search_id }) => ids.includes(search_id)),
      volume.at.length * range.passed,
    ),
    least: sums.searches.some(({ lower_bound }) => lower_bound),
    pulse,
    expected: await computeExpected(scope, { histories, spikes: read.spikes, past, pulse }, range),
    asOf: until !== null && isBehind(until, now) ? until : null,
  };
}

/** The period of the same length that ends where a range begins. */
export function computePeriodBefore({ per, from, until }: Range): Pick<Range, 'per' | 'from' | 'until'> {
  return { per, from: new Date(2 * from.getTime() - until.getTime()), until: from };
}

/** Posts of a window of whole quarters of an hour. */
function readWindowVolume(
  db: Context['db'],
  { everySearch, search }: TopicScope,
  { from, until }: Window,
): Promise<VolumeSums> {
  const searchIds = everySearch.map(({ id }) => id);
  return readVolumeSums(db, { searchIds, per: 'quarter', from, until, once: search === undefined });
}

function sumPosts(buckets: readonly BucketSum[]): number | null {
  return buckets.length === 0 ? null : buckets.reduce((sum, { posts }) => sum + posts, 0);
}

/** With more searches, the usual hours of a topic are not computed: each takes about three milliseconds, and all of the rest of a page about thirty. */
export const MAX_USUAL_SEARCHES = 8;

async function readHistories(db: Context['db'], ids: readonly Id[], { per, from, until }: Range) {
  if (per === 'day' || ids.length > MAX_USUAL_SEARCHES) return null;
  return readCurrentHistories(db, ids, from.getTime() - HISTORY_MS, until.getTime());
}

/**
 * What the chart compares buckets with: per hour, the usual as in sentences of spikes; per day, the typical day. In a topic, only the usual
 * share of the posts of a search that no other search has before.
 */
async function computeExpected(
  { searches, search: ofSearch }: TopicScope,
  {
    histories,
    spikes,
    past,
    pulse: { typicalDay },
  }: {
    histories: Awaited<ReturnType<typeof readHistories>>;
    spikes: readonly SpikeRow[];
    past: readonly SearchDay[];
    pulse: { typicalDay: number | null };
  },
  { per, from, until }: Range,
): Promise<Expected | undefined> {
  if (per === 'day') {
    const days = Math.round((until.getTime() - from.getTime()) / DAY);
    const values = Array.from({ length: days }, () => typicalDay);
    return typicalDay === null ? undefined : { name: 'Typical day', values };
  }
  const hours = Math.round((until.getTime() - from.getTime()) / HOUR);
  const usual = Array.from<unknown, number | null>({ length: hours }, () => 0);
  const variance = Array.from({ length: hours }, () => 0);
  for (const [id, history] of histories ?? []) {
    const windows = spikes
      .filter(({ search_id, measure }) => search_id === id && measure === 'posts')
      .map(({ window_start, window_end }) => ({ start: window_start.getTime(), end: window_end.getTime() }));
    const offset = offsetAt(searches.find((search) => search.id === id)?.tz ?? 'UTC', until.getTime());
    const share = ofSearch === undefined ? computeOwnShare(past.filter((day) => day.search_id === id)) : 1;
    for (const [i, hour] of computeUsualHours({ ...history, offset }, from.getTime(), windows).entries()) {
      const sum = usual[i] ?? null;
      usual[i] = hour === null || sum === null ? null : sum + share * hour.usual;
      variance[i] = (variance[i] ?? 0) + (share * (hour?.sd ?? 0)) ** 2;
    }
    await setImmediate();
  }
  const isKnown = (histories?.size ?? 0) > 0 && usual.some((value) => value !== null);
  return isKnown
    ? { name: 'Usual', values: usual, spread: variance.map((value) => 2 * Math.sqrt(value)) }
    : undefined;
}

/** Share of the posts of a search that no other search of the topic had before, 0 to 1. */
function computeOwnShare(days: readonly SearchDay[]): number {
  const posts = days.reduce((sum, day) => sum + day.posts, 0);
  return posts === 0 ? 1 : days.reduce((sum, day) => sum + day.topic_posts, 0) / posts;
}

/** Posts of the range against a typical day. */
function computeTopicPulse(
  { searches, search }: TopicScope,
  sums: readonly SearchSum[],
  past: readonly SearchDay[],
  range: Range,
): VolumePulse & { typicalDay: number | null; hasTypical: boolean } {
  const days = (range.until.getTime() - range.from.getTime()) / DAY;
  const count = range.per === 'hour' ? days * 24 : days;
  const countedAs = <Row extends CountedPosts>(row: Row) => (search === undefined ? countOnce(row) : row);
  const each = searches.map(({ id }) => {
    const sum = sums.find(({ search_id }) => search_id === id);
    const its = sum === undefined ? undefined : countedAs(sum);
    const known = past.filter(({ search_id }) => search_id === id);
    const typical = computeTypicalVolume(known.map((day) => toObservation(countedAs(day))));
    return {
      now: {
        posts: its?.posts ?? 0,
        observedPosts: its?.observed_posts ?? 0,
        coverage: (its?.observed ?? 0) / count,
        hours: (its?.touched ?? 0) / count,
        lowerBound: its?.lower_bound ?? false,
      },
      typical: typical === null ? null : typical * days,
    };
  });
  const pulse = computePulse(each);
  return {
    ...pulse,
    typicalDay: pulse.typical === null ? null : pulse.typical / days,
    hasTypical: each.some(({ typical }) => typical !== null),
  };
}

/** What the rules compare; without a row, nothing was observed. */
export function toObservation(
  row: Pick<SearchNow, 'posts' | 'observed_posts' | 'coverage' | 'hours' | 'lower_bound'> | undefined,
): ObservedDay {
  return {
    posts: row?.posts ?? 0,
    observedPosts: row?.observed_posts ?? 0,
    coverage: row?.coverage ?? 0,
    hours: row?.hours ?? 0,
    lowerBound: row?.lower_bound ?? false,
  };
}

type CountedPosts = Pick<SearchDay, 'posts' | 'topic_posts' | 'observed_posts'>;

/** Posts of a search in any time, with each post of the topic counted once; `observed_posts` is then an estimate. */
export function countOnce<Row extends CountedPosts>(row: Row): Row {
  const { posts, topic_posts, observed_posts } = row;
  return { ...row, posts: topic_posts, observed_posts: (topic_posts * observed_posts) / Math.max(1, posts) };
}

/** The buckets of a topic count each post once. */
async function readVolume(
  db: Context['db'],
  { everySearch, search }: TopicScope,
  range: Pick<Range, 'per' | 'from' | 'until'>,
): Promise<VolumeSums> {
  const searchIds = everySearch.map(({ id }) => id);
  const { from, until } = range;
  const once = search === undefined;
  if (range.per === 'hour') return readVolumeSums(db, { searchIds, per: 'hour', from, until, once });
  const rows = await readSearchDays(db, { from, until, searchIds });
  return sumBuckets(
    rows.map((row) => ({ ...row, at: row.day_at })),
    once,
  );
}

/** Posts and coverage of a search in one hour or day. */
type SearchBucket = {
  search_id: Id;
  at: Date;
  posts: number;
  topic_posts: number;
  /** Of `posts`, the ones of the observed time. */
  observed_posts: number;
  /** Share observed, 0 to 1. */
  coverage: number;
  lower_bound: boolean;
};

/** Posts of a search or topic per bucket. */
export type Volume = {
  at: Date[];
  /** As counted; null if nothing was found and nothing observed. */
  values: (number | null)[];
  /** Lower bounds: a response was cut at its limit. */
  least: boolean[];
  /** Observed in part. */
  partial: boolean[];
};

/** The result of `readVolumeSums` from rows that were read for other reasons. @param once as there */
export function sumBuckets(rows: readonly SearchBucket[], once: boolean): VolumeSums {
  const buckets = new Map<number, BucketSum>();
  const searches = new Map<Id, SearchSum>();
  for (const { search_id, at, posts, topic_posts, observed_posts, coverage, lower_bound } of rows) {
    const search = searches.get(search_id) ?? {
      search_id,
      posts: 0,
      topic_posts: 0,
      observed_posts: 0,
      observed: 0,
      touched: 0,
      lower_bound: false,
    };
    search.posts += posts;
    search.topic_posts += topic_posts;
    search.observed_posts += observed_posts;
    search.observed += Math.min(1, coverage);
    search.touched += coverage > 0 ? 1 : 0;
    search.lower_bound ||= lower_bound;
    searches.set(search_id, search);
    if (coverage === 0 && posts === 0) continue;
    const bucket = buckets.get(at.getTime()) ?? { at, posts: 0, least: false, partial: false };
    bucket.posts += once ? topic_posts : posts;
    bucket.least ||= lower_bound;
    bucket.partial ||= coverage < NEARLY_FULL_COVERAGE;
    buckets.set(at.getTime(), bucket);
  }
  return { buckets: [...buckets.values()], searches: [...searches.values()] };
}

/** One value per bucket from `from` to `until`, with or without a row. */
export function buildVolume(
  buckets: readonly BucketSum[],
  { from, until, stepMs }: { from: Date; until: Date; stepMs: number },
): Volume {
  const byTime = new Map(buckets.map((bucket) => [bucket.at.getTime(), bucket]));
  const volume: Volume = { at: [], values: [], least: [], partial: [] };
  for (let time = from.getTime(); time < until.getTime(); time += stepMs) {
    const its = byTime.get(time);
    volume.at.push(new Date(time));
    volume.values.push(its?.posts ?? null);
    volume.least.push(its?.least ?? false);
    volume.partial.push(its?.partial ?? false);
  }
  return volume;
}

/**
 * Mean coverage of the searches that observed anything; null if none did.
 * @param buckets how many have elapsed
 */
function computeCoverage(searches: readonly SearchSum[], buckets: number): number | null {
  const looking = searches.filter(({ observed }) => observed > 0);
  if (looking.length === 0 || buckets === 0) return null;
  const sum = looking.reduce((all, { observed }) => all + observed, 0);
  return Math.min(1, sum / (looking.length * buckets));
}

/** Shown instead of post counts for topics with AI searches only. */
export const NO_POSTS_TEXT = 'links only; no post volume';

/** Days that are lower bounds or half observed do not count. */
const NO_TYPICAL_TEXT = 'no typical day yet: needs 3 days of complete counts';

/** Why volume is not compared with a typical day. @param words the range, after "last" */
export function explainNoRatio(hasTypical: boolean, words: string): string {
  return hasTypical ? `no comparison: counts of the last ${words} are incomplete` : NO_TYPICAL_TEXT;
}

/**
 * Whether all searches are AI searches and none found a post. Some services list posts among their links; most do not.
 * @param counts of posts, per any time and search; null is not observed
 */
export function findsLinksOnly(
  searches: readonly Pick<SearchRow, 'operation'>[],
  counts: readonly (number | null)[],
): boolean {
  const ai = searches.length > 0 && searches.every(({ operation }) => operation === 'ai');
  return ai && counts.every((posts) => posts === null || posts === 0);
}
