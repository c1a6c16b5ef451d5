/** Trends of searches: volume, baseline, spikes and states. */
import { DAY, HOUR, QUARTER_MS } from '../../lib/time.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import { type HourRow, readHours } from '../../store/queries/volume.ts';
import {
  readSpikes,
  readTrendStates,
  type SpikeRow,
  type TrendStateRow,
} from '../../store/queries/trend-reports.ts';
import { startOfQuarter } from '../../store/volume/reach.ts';
import { type CurrentHistory, readCurrentHistories } from '../../store/volume/volume-history.ts';
import type { Context } from '../context.ts';
import { BASELINE_DAYS } from './rules/history.ts';
import { countLearnedHours, LEARNING_HOURS, PROVISIONAL_HOURS } from './rules/spike-detection.ts';
import {
  type VolumeHours,
  computeRatio,
  type VolumeSpan,
  splitIntoSpans,
  sumSpan,
  TYPICAL_DAY_HISTORY_MS,
  computeTypicalDay,
} from './rules/volume-comparison.ts';

/** A time bucket, as in the views `volume_hourly` and `volume_daily`. */
export type VolumeBucket = {
  bucket_at: Date;
  posts: number;
  coverage: number;
  lower_bound: boolean;
  /** Posts among `posts` that were published in observed time. */
  observed_posts: number;
};

/** The trend of a search. */
export type SearchTrend = Pick<SearchRow, 'topic' | 'operation' | 'state' | 'sensitivity' | 'created_at'> & {
  search_id: bigint;
  search: string;
  /** Whole hours (UTC), up to the last complete one. */
  from: Date;
  until: Date;
  /** Posts counted in that time; `coverage` is the share of it that was observed. */
  posts: number;
  coverage: number;
  lower_bound: boolean;
  /** Posts on a typical day, scaled up by coverage; null if too little was observed. */
  usual_per_day: number | null;
  /** Posts relative to the previous period of the same length; null if coverage is too low to compare. */
  ratio: number | null;
  previous: VolumeBucket;
  /** Hours observed in the last 14 days, with the current request, as detection counts them. */
  observed_hours: number;
  /** Too little was observed to detect spikes. `provisional`: only clear spikes are reported. */
  learning: boolean;
  provisional: boolean;
  bucket_seconds: number;
  buckets: VolumeBucket[];
  spikes: SpikeRow[];
  /** Changes of its state in that time, and a state that goes on. */
  states: TrendStateRow[];
};

/** Hours read at once; all hours of hundreds of searches would block the event loop. */
const MAX_HOURS_PER_READ = 5_000;

/** Reads the trends of searches, in their order. @param options.hoursEach length of a bucket */
export async function readTrends(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  searches: readonly SearchRow[],
  options: { days: number; hoursEach: number },
): Promise<SearchTrend[]> {
  const now = clock.now().getTime();
  const until = Math.floor(now / HOUR) * HOUR;
  const from = until - options.days * DAY;
  const before = from - options.days * DAY;
  const ids = searches.map(({ id }) => id);
  const since = Math.min(before, until - TYPICAL_DAY_HISTORY_MS);
  const spikes = await readSpikes(db, ids, new Date(from));
  const states = await readTrendStates(db, ids, new Date(from));
  const buildTrend = (
    search: SearchRow,
    rows: readonly HourRow[],
    history: CurrentHistory | undefined,
  ): SearchTrend => {
    const hours = toHours(rows.filter((row) => row.search_id === search.id));
    const whole = sumSpan(hours, from, until);
    const previous = sumSpan(hours, before, from);
    const observed_hours = history === undefined ? 0 : countHoursSoFar(history);
    const { slug, topic, operation, state, sensitivity, created_at } = search;
    const { posts, coverage, lower_bound } = toBucket(whole);
    return {
      search_id: search.id,
      search: slug,
      topic,
      operation,
      state,
      sensitivity,
      created_at,
      from: new Date(from),
      until: new Date(until),
      posts,
      coverage,
      lower_bound,
      usual_per_day: computeTypicalDay(hours, until),
      ratio: computeRatio(whole, previous),
      previous: toBucket(previous),
      observed_hours,
      learning: observed_hours < LEARNING_HOURS,
      provisional: observed_hours < PROVISIONAL_HOURS,
      bucket_seconds: options.hoursEach * 3_600,
      buckets: splitIntoSpans(hours, from, until, options.hoursEach).map(toBucket),
      spikes: spikes.filter((spike) => spike.search_id === search.id),
      states: states.filter(({ search_id }) => search_id === search.id),
    };
  };
  const searchesPerRead = Math.max(1, Math.floor(MAX_HOURS_PER_READ / ((until - since) / HOUR)));
  const trends: SearchTrend[] = [];
  for (let n = 0; n < searches.length; n += searchesPerRead) {
    const batch = searches.slice(n, n + searchesPerRead);
    const batchIds = batch.map(({ id }) => id);
    const rows = await readHours(db, batchIds, new Date(since));
    const histories = await readCurrentHistories(
      db,
      batchIds,
      startOfQuarter(now) - BASELINE_DAYS * DAY,
      startOfQuarter(now),
    );
    trends.push(...batch.map((search) => buildTrend(search, rows, histories.get(search.id))));
  }
  return trends;
}

/** Up to the last complete quarter that was observed, where the series of detection ends. */
function countHoursSoFar({ from, counts, seconds, everySeconds, observedUntil }: CurrentHistory): number {
  const end = Math.max(0, (startOfQuarter(observedUntil) - from) / QUARTER_MS);
  const series = { from, counts: counts.subarray(0, end), seconds: seconds.subarray(0, end) };
  return countLearnedHours(series, everySeconds);
}

function toHours(rows: readonly HourRow[]): VolumeHours {
  return new Map(
    rows.map(({ bucket_at, posts, observed_posts, coverage, lower_bound }) => {
      const at = bucket_at.getTime();
      return [at, { at, posts, observedPosts: observed_posts, coverage, lowerBound: lower_bound }];
    }),
  );
}

function toBucket({ from, posts, observedPosts, coverage, lowerBound }: VolumeSpan): VolumeBucket {
  return {
    bucket_at: new Date(from),
    posts,
    coverage,
    lower_bound: lowerBound,
    observed_posts: observedPosts,
  };
}
