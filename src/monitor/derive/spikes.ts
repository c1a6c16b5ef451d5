import { DAY } from '../../engine/clock.ts';
import type { Id, Transaction } from '../../store/database.ts';
import { type NewSpike, spikesSince } from '../../store/spikes.ts';
import { type Watched, watchedAt } from '../../store/volume/history.ts';
import { quarterOf, QUARTER_MS } from '../../store/volume/quarters.ts';
import { detect, HISTORY_MS, LEAST, NEWS_MS } from '../trend/detect.ts';
import { sentenceOf } from '../trend/sentence.ts';
import { usualOnWeekday, WEEKS_MS } from '../trend/weekday.ts';
import { engagementOf, type Measure, postsOf } from './measures.ts';

/** The longest window, but for searches that run less than daily. */
const LONGEST_MS = DAY;

/** A run, and the time of its response: the time at which it is judged. */
export type Judged = { run_id: Id; search_id: Id; at: Date };

/**
 * Looks at the windows that closed in the six hours before each response, for posts and for what their counters gained, and
 * finds of each the one that stands out most. It remembers nothing but the spikes.
 * @param runs one of each search
 */
export async function findSpikes(tx: Transaction, runs: readonly Judged[]): Promise<NewSpike[]> {
  if (runs.length === 0) return [];
  const watched = await watchedAt(
    tx,
    runs.map((run) => run.run_id),
    runs.map((run) => new Date(run.at.getTime() - NEWS_MS - LONGEST_MS)),
  );
  const found: NewSpike[] = [];
  for (const run of runs) {
    const of = watched.get(run.run_id);
    if (of === undefined) continue;
    for (const measure of [
      postsOf(tx, run.search_id, of.recent),
      engagementOf(tx, run.search_id, of.gained),
    ]) {
      const spike = await findSpike(tx, run, of, measure);
      if (spike !== null) found.push(spike);
    }
  }
  return found;
}

async function findSpike(
  tx: Transaction,
  run: Judged,
  watched: Watched,
  measure: Measure,
): Promise<NewSpike | null> {
  const { sensitivity, tz, every_seconds: everySeconds } = watched;
  if (sensitivity === 'off') return null;
  const longest = Math.max(LONGEST_MS, everySeconds * 1_000);
  if (longest === LONGEST_MS && measure.recent < LEAST) return null;

  const until = quarterOf(watched.observed_until.getTime());
  const since = watched.since === null ? 0 : quarterOf(watched.since.getTime()) + QUARTER_MS;
  const from = Math.max(until - HISTORY_MS - NEWS_MS - longest, since);
  if (from >= until) return null;
  const { series, mayTell, topOf } = await measure.between(from, until);
  const watch = { sensitivity, everySeconds, now: run.at.getTime(), mayTell };
  // Those before can only forbid one.
  if (detect(series, { ...watch, alerted: [] }) === null) return null;
  const alerted = await spikesSince(tx, run.search_id, measure.name, new Date(from));
  const spike = detect(series, { ...watch, alerted: alerted.map((end) => end.getTime()) });
  if (spike === null) return null;

  const weeks = await measure.between(Math.max(until - WEEKS_MS - NEWS_MS - longest, since), until);
  const top = topOf(spike);
  const { start, end, lowerBound, ...figures } = spike;
  const told = {
    measure: measure.name,
    window_start: new Date(start),
    window_end: new Date(end),
    lower_bound: lowerBound,
    ...figures,
    weekday_usual: usualOnWeekday(weeks.series, spike),
    tz,
    top_post_id: top?.post ?? null,
    top_share: top?.share ?? null,
  } as const;
  const { run_id, search_id, at } = run;
  return { ...told, search_id, run_id, sensitivity, sentence: sentenceOf(told), at };
}
