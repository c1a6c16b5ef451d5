/** Topics as the overview shows them, assembled from reads over all searches. */
import { groupBy } from '../../lib/group-by.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import {
  type VolumePulse,
  computePulse,
  measuresDay,
  computeTypicalVolume,
} from '../../monitor/trends/rules/volume-comparison.ts';
import { judgeTopic, type SearchStatus, type TopicStatus } from '../../monitor/status/search-status.ts';
import type { SearchDay, SearchNow, SpikeDay } from '../../store/queries/search-activity.ts';
import type { Id } from '../../store/db/database.ts';
import type { NewOfTopic, RunPart } from '../../store/queries/overview-activity.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import type { BucketRow } from '../../store/queries/volume.ts';
import type { HeatPart } from '../components/heat-strip.tsx';
import { buildVolume, countOnce, findsLinksOnly, sumBuckets, toObservation } from '../topic/topic-data.ts';
import { isYoung, type Range } from '../topic/time-range.ts';

/** Whole days before today that are shown and that the typical day is computed from. */
export const PULSE_DAYS = 14;
/** Equal parts of the range of the page, in which runs are shown. */
export const RUN_PARTS = 24;

export type TopicPulse = {
  topic: TopicRow;
  searches: readonly SearchRow[];
  labels: readonly string[];
  /** Of the last 24 hours, each post once; `coverage` is of the time that has elapsed. */
  pulse: VolumePulse;
  /** Whether the typical day of any search is known. */
  hasTypical: boolean;
  /** Distinct posts per day (UTC), scaled up by coverage; null if less than half was observed. */
  days: readonly (number | null)[];
  /** Posts per hour, as counted, of a young topic; null for any other. */
  hours: readonly (number | null)[] | null;
  /** Indices of days with a spike. */
  spikeDays: readonly number[];
  /** Between which the middle half of its days are; null if fewer than a week is known. */
  band: readonly [low: number, high: number] | null;
  status: TopicStatus;
  /** Discoveries in the range of the page, and the first of them; null: none. */
  news: NewOfTopic | null;
  /** Runs in equal parts of the range of the page. */
  runs: readonly (HeatPart | undefined)[];
};

type OverviewData = {
  topics: readonly TopicRow[];
  searches: readonly SearchRow[];
  /** These, and removed searches: what they found still counts. */
  everySearch: readonly Pick<SearchRow, 'id' | 'topic'>[];
  now: readonly SearchNow[];
  statuses: readonly SearchStatus[];
  days: readonly SearchDay[];
  /** Young searches only. */
  hours: readonly BucketRow[];
  spikeDays: readonly SpikeDay[];
  news: readonly NewOfTopic[];
  runs: readonly RunPart[];
  /** Start of today (UTC). */
  today: Date;
  /** The last 24 hours. */
  lately: Range;
};

/** Searches of topics whose every search is young. */
export function findYoungSearches(searches: readonly SearchRow[], now: Date): Id[] {
  return [...groupBy(searches, (row) => row.topic).values()]
    .filter((its) => isYoung(its, now))
    .flatMap((its) => its.map(({ id }) => id));
}

export function buildPulses(data: OverviewData): TopicPulse[] {
  const { topics, searches, now, days, hours, today, lately } = data;
  const currentById = new Map(now.map((row) => [row.search_id, row]));
  const nowByTopic = groupBy(now, (row) => row.topic);
  const everySearchByTopic = groupBy(data.everySearch, (row) => row.topic);
  const statusesByTopic = groupBy(data.statuses, (row) => row.topic);
  const daysById = groupBy(days, (row) => row.search_id);
  const searchesByTopic = groupBy(searches, (row) => row.topic);
  const newsByTopic = new Map(data.news.map((row) => [row.topic_id, row]));
  const runsByTopic = groupBy(data.runs, (row) => row.topic_id);
  const spikeDaysById = groupBy(data.spikeDays, (row) => row.search_id);
  const from = today.getTime() - PULSE_DAYS * DAY;
  const hoursById = groupBy(hours, (row) => row.search_id);
  return topics.map((topic) => {
    const its = searchesByTopic.get(topic.slug) ?? [];
    const statuses = statusesByTopic.get(topic.slug) ?? [];
    const known = its.map((search) => ({
      search,
      run: currentById.get(search.id),
      days: daysById.get(search.id) ?? [],
    }));
    const observed = known.map(({ run, days: past }) => ({
      now: toObservation(run === undefined ? undefined : countOnce(run)),
      typical: computeTypicalVolume(past.map((day) => toObservation(countOnce(day)))),
    }));
    const all = nowByTopic.get(topic.slug) ?? [];
    const pulse = computePulse(observed);
    const dailyPosts = computeDays(
      from,
      (everySearchByTopic.get(topic.slug) ?? []).flatMap(({ id }) => daysById.get(id) ?? []),
    );
    return {
      topic,
      searches: its,
      labels: [...new Set(its.flatMap(({ labels }) => labels))].toSorted(),
      pulse: {
        ...pulse,
        posts: all.reduce((sum, { topic_posts }) => sum + topic_posts, 0),
        lowerBound: all.some(({ lower_bound }) => lower_bound),
        coverage: pulse.coverage === null ? null : Math.min(1, pulse.coverage / lately.passed),
      },
      hasTypical: observed.some(({ typical }) => typical !== null),
      days: dailyPosts,
      band: computeBand(dailyPosts),
      hours: its.every(({ id }) => !hoursById.has(id))
        ? null
        : buildVolume(
            sumBuckets(
              its.flatMap(({ id }) =>
                (hoursById.get(id) ?? []).map(({ bucket_at, ...row }) => ({ ...row, at: bucket_at })),
              ),
              true,
            ).buckets,
            { ...lately, stepMs: HOUR },
          ).values,
      spikeDays: its
        .flatMap(({ id }) => spikeDaysById.get(id) ?? [])
        .map(({ day_at }) => (day_at.getTime() - from) / DAY)
        .filter((day) => day >= 0 && day < PULSE_DAYS),
      status: judgeTopic(statuses),
      news: newsByTopic.get(topic.id) ?? null,
      runs: placeParts(runsByTopic.get(topic.id) ?? []),
    };
  });
}

function placeParts(rows: readonly RunPart[]): (HeatPart | undefined)[] {
  const byPart = new Map(rows.map((row) => [row.part, row]));
  return Array.from({ length: RUN_PARTS }, (_, i) => byPart.get(i));
}

/** Fewer days have no middle half to speak of. */
const MIN_BAND_DAYS = 7;

/** Quartiles, each a day that was measured. */
function computeBand(days: readonly (number | null)[]): [number, number] | null {
  const known = days.filter((day) => day !== null).toSorted((a, b) => a - b);
  if (known.length < MIN_BAND_DAYS) return null;
  const at = (share: number) => known[Math.round(share * (known.length - 1))] ?? 0;
  return [at(0.25), at(0.75)];
}

/** Whether a topic has only AI searches and none of them found a post. */
export function hasNoPosts({ searches, pulse, days, hours }: TopicPulse): boolean {
  return findsLinksOnly(searches, [pulse.posts, ...days, ...(hours ?? [])]);
}

function computeDays(from: number, days: readonly SearchDay[]): (number | null)[] {
  const byDay = groupBy(
    days.filter(({ coverage }) => coverage > 0),
    ({ day_at }) => day_at.getTime(),
  );
  return Array.from({ length: PULSE_DAYS }, (_, i) => computeDay(byDay.get(from + i * DAY) ?? []));
}

/** Posts of a topic's day, divided by the mean coverage of the searches that observed any of it. */
function computeDay(its: readonly SearchDay[]): number | null {
  if (its.length === 0) return null;
  const coverage = its.reduce((sum, searchDay) => sum + Math.min(1, searchDay.coverage), 0) / its.length;
  const hours = its.reduce((sum, searchDay) => sum + searchDay.hours, 0) / its.length;
  const observedPosts = its.reduce((sum, searchDay) => sum + countOnce(searchDay).observed_posts, 0);
  return measuresDay({ observedPosts, coverage, hours }) ? observedPosts / coverage : null;
}
