/** Topics as the overview shows them, put together from what is read of all searches at once. */
import { DAY, HOUR } from '../../../engine/clock.ts';
import { type Pulse, pulseOf, usualOf } from '../../../monitor/trend/pulse.ts';
import { LEAST_COVERAGE } from '../../../monitor/trend/series.ts';
import type { SearchDay, SearchNow, SpikeDay } from '../../../store/reads/overview.ts';
import type { Id } from '../../../store/database.ts';
import type { SilentSearch } from '../../../store/reads/silence.ts';
import type { SearchRow } from '../../../store/reads/searches.ts';
import type { TopicRow } from '../../../store/reads/topics.ts';
import type { SpikeRow } from '../../../store/reads/trends.ts';
import type { BucketRow } from '../../../store/reads/volume.ts';
import { sumsOf, volumeOf } from '../topic/buckets.ts';
import { linksOnly } from '../topic/links-only.ts';
import { isYoung } from '../topic/range.ts';

/** How many whole days before today are shown, and are what is usual. */
export const DAYS = 14;
/** Of a topic that is watched for less than two days, so many hours are shown in their place. */
export const HOURS = 24;

export type TopicPulse = {
  topic: TopicRow;
  searches: readonly SearchRow[];
  labels: readonly string[];
  /** All of its searches look in the sandbox. */
  simulated: boolean;
  pulse: Pulse;
  /** Posts per day (UTC), each once, scaled up by coverage; null where less than half was observed. */
  days: readonly (number | null)[];
  /** Posts per hour, as counted, of a young topic; null of any other. */
  hours: readonly (number | null)[] | null;
  /** Days on which something is unusual. */
  spikeDays: readonly number[];
  /** Current ones. */
  spikes: readonly SpikeRow[];
  lastRunAt: Date | null;
  nextRunAt: Date | null;
  /** Searches that need attention, and why. */
  amiss: readonly Amiss[];
};

/** A search that is stopped, silent, or whose last run failed. */
export type Amiss = { search: SearchRow; run: SearchNow | undefined; silent: SilentSearch | undefined };

type Read = {
  topics: readonly TopicRow[];
  searches: readonly SearchRow[];
  now: readonly SearchNow[];
  silent: readonly SilentSearch[];
  days: readonly SearchDay[];
  /** Of young searches. */
  hours: readonly BucketRow[];
  spikeDays: readonly SpikeDay[];
  /** Current ones. */
  spikes: readonly SpikeRow[];
  /** Where today begins (UTC). */
  today: Date;
  /** Where the hour ends. */
  hour: Date;
};

/** Searches of topics whose every search is young. */
export function youngOf(searches: readonly SearchRow[], now: Date): Id[] {
  return [...grouped(searches, (row) => row.topic).values()]
    .filter((its) => isYoung(its, now))
    .flatMap((its) => its.map(({ id }) => id));
}

export function pulsesOf(read: Read): TopicPulse[] {
  const { topics, searches, now, days, hours, spikes, today, hour } = read;
  const nowOf = new Map(now.map((row) => [row.search_id, row]));
  const silentOf = new Map(read.silent.map((row) => [row.slug, row]));
  const daysOf = grouped(days, (row) => row.search_id);
  const searchesOf = grouped(searches, (row) => row.topic);
  const spikesOf = grouped(spikes, (row) => row.topic);
  const spikeDaysOf = grouped(read.spikeDays, (row) => row.search_id);
  const from = today.getTime() - DAYS * DAY;
  const hoursOf = grouped(hours, (row) => row.search_id);
  const lately = { from: new Date(hour.getTime() - HOURS * HOUR), until: hour, stepMs: HOUR };
  return topics.map((topic) => {
    const its = searchesOf.get(topic.slug) ?? [];
    const itsSpikes = spikesOf.get(topic.slug) ?? [];
    const known = its.map((search) => ({
      search,
      run: nowOf.get(search.id),
      silent: silentOf.get(search.slug),
      days: daysOf.get(search.id) ?? [],
    }));
    return {
      topic,
      searches: its,
      labels: [...new Set(its.flatMap(({ labels }) => labels))].toSorted(),
      simulated: its.length > 0 && its.every(({ service_kind }) => service_kind === 'sandbox'),
      pulse: pulseOf(
        known.map(({ run, days: past }) => ({
          now: observed(run),
          usual: usualOf(
            past.map(({ posts, coverage, lower_bound }) => ({ posts, coverage, lowerBound: lower_bound })),
          ),
        })),
      ),
      days: daysFrom(
        from,
        known.flatMap(({ days: past }) => past),
      ),
      hours: its.every(({ id }) => !hoursOf.has(id))
        ? null
        : volumeOf(
            sumsOf(
              its.flatMap(({ id }) =>
                (hoursOf.get(id) ?? []).map(({ bucket_at, ...row }) => ({ ...row, at: bucket_at })),
              ),
            ).buckets,
            lately,
          ).values,
      spikeDays: its
        .flatMap(({ id }) => spikeDaysOf.get(id) ?? [])
        .map(({ day_at }) => (day_at.getTime() - from) / DAY)
        .filter((day) => day >= 0 && day < DAYS),
      spikes: itsSpikes,
      lastRunAt: latest(known.map(({ run }) => run?.run_ended_at ?? null)),
      nextRunAt: earliest(its.map(({ next_due_at }) => next_due_at)),
      amiss: known.filter(
        ({ search, run, silent }) =>
          isStopped(search) || silent !== undefined || run?.run_status === 'failed',
      ),
    };
  });
}

/** Neither by a person nor for good. */
export function isStopped({ state }: Pick<SearchRow, 'state'>): boolean {
  return state === 'broken' || state === 'capped';
}

/** Whether a topic has AI searches alone and none of them found a post. */
export function countsNothing({ searches, pulse, days, hours }: TopicPulse): boolean {
  return linksOnly(searches, [pulse.posts, ...days, ...(hours ?? [])]);
}

function observed(run: SearchNow | undefined) {
  return { posts: run?.posts ?? 0, coverage: run?.coverage ?? 0, lowerBound: run?.lower_bound ?? false };
}

function daysFrom(from: number, days: readonly SearchDay[]): (number | null)[] {
  const byDay = grouped(
    days.filter(({ coverage }) => coverage > 0),
    ({ day_at }) => day_at.getTime(),
  );
  return Array.from({ length: DAYS }, (_, i) => dayOf(byDay.get(from + i * DAY) ?? []));
}

/** A topic's day: its searches' posts, each once, over the mean of what those observed that looked at all. */
function dayOf(its: readonly SearchDay[]): number | null {
  if (its.length === 0) return null;
  const coverage = its.reduce((sum, one) => sum + Math.min(1, one.coverage), 0) / its.length;
  const posts = its.reduce((sum, one) => sum + one.topic_posts, 0);
  return coverage < LEAST_COVERAGE ? null : posts / coverage;
}

function grouped<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

function latest(times: readonly (Date | null)[]): Date | null {
  return times.reduce((best, at) => (at !== null && (best === null || at > best) ? at : best), null);
}

function earliest(times: readonly (Date | null)[]): Date | null {
  return times.reduce((best, at) => (at !== null && (best === null || at < best) ? at : best), null);
}
