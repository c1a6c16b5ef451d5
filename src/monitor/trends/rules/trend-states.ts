/**
 * The state of a search: rising or falling over days, at a new level, silent, or normal. One at a time. docs/internals/trends.md
 * explains the rules. Pure.
 */

import { DAY, QUARTER_MS } from '../../../lib/time.ts';
import { findCourse, type ReportedState, type StateChange } from './day-courses.ts';
import { findSilence, MIN_SILENCE_EVIDENCE } from './silence.ts';
import type { Series } from './time-series.ts';

/** History that is compared. */
export const STATE_HISTORY_MS = 35 * DAY;
/** Posts that end a silence. */
export const MIN_RETURN_POSTS = 3;

/**
 * The change of state that a series shows; null if there is none.
 * @param series from the start of a day (UTC) to the last complete observed quarter
 * @param reported what was reported in its time and the state before it, oldest first; the last one is the current state
 * @param options.isDayOver whether a day has ended since the last evaluation
 * @param options.changedAt when the query changed, ms since 1970; 0 if never
 */
export function findStateChange(
  series: Series,
  reported: readonly ReportedState[],
  { isDayOver, changedAt }: { isDayOver: boolean; changedAt: number },
): StateChange | null {
  const current = reported.at(-1);
  const unchanged = {
    comparedSince: current?.comparedSince ?? 0,
    before: null,
    rate: null,
    score: null,
    threshold: null,
  };
  const isOpen = current !== undefined && current.state !== 'normal';
  if (isOpen && current.since < changedAt)
    return { ...unchanged, ...UNKNOWN, since: changedAt, comparedSince: changedAt };
  if (current?.state === 'silent') {
    const since = findReturn(series, current.since);
    return since === null ? null : { ...unchanged, ...UNKNOWN, since };
  }
  const spoken = withoutTime(series, [
    // Results of another query are no measure of this query.
    { since: 0, until: changedAt },
    ...reported.flatMap(({ state, since }, i) =>
      state === 'silent' ? [{ since, until: reported[i + 1]?.since ?? since }] : [],
    ),
  ]);
  const silence = findSilence(spoken);
  if (silence !== null) {
    const { evidence, ...figures } = silence;
    // What went on until then is over: its days are not compared with those after the silence.
    const comparedSince = isOpen ? silence.since : unchanged.comparedSince;
    return {
      ...unchanged,
      comparedSince,
      ...figures,
      state: 'silent',
      score: evidence,
      threshold: MIN_SILENCE_EVIDENCE,
    };
  }
  if (!isDayOver) return null;
  const compared = withoutTime(spoken, [{ since: 0, until: unchanged.comparedSince }]);
  const course = findCourse(compared, current);
  return course === null ? null : { ...unchanged, observedHours: null, expected: null, ...course };
}

/** A state that ends without figures: its search was changed, or too little was observed. */
const UNKNOWN = { state: 'normal', days: 0, observedHours: null, expected: null } as const;

/** When the posts that end a silence began; null if there are too few. */
function findReturn({ from, counts }: Series, since: number): number | null {
  let posts = 0;
  let first: number | null = null;
  for (let i = Math.max(0, Math.round((since - from) / QUARTER_MS)); i < counts.length; i += 1) {
    const count = counts[i] ?? 0;
    if (count > 0) first ??= from + i * QUARTER_MS;
    posts += count;
  }
  return posts < MIN_RETURN_POSTS ? null : first;
}

/** The series as if some time had not been observed. */
function withoutTime(
  { from, counts, seconds }: Series,
  spans: readonly { since: number; until: number }[],
): Series {
  const kept = { from, counts: Float64Array.from(counts), seconds: Float64Array.from(seconds) };
  for (const { since, until } of spans) {
    const at = (time: number) => Math.max(0, Math.round((time - from) / QUARTER_MS));
    for (const values of [kept.counts, kept.seconds]) values.fill(0, at(since), at(until));
  }
  return kept;
}
