/** Finds changes of the state of searches after runs: rising, falling, a new level, silence, and back to normal. */

import { DAY } from '../../lib/time.ts';
import type { Id, Transaction } from '../../store/db/database.ts';
import {
  type NewTrendState,
  readReportedStates,
  readStateCandidates,
  type StateCandidate,
} from '../../store/derive/trend-reports.ts';
import { startOfQuarter } from '../../store/volume/reach.ts';
import { readVolumeHistory } from '../../store/volume/volume-history.ts';
import { explainState } from './explain-states.ts';
import { MIN_SILENCE_EVIDENCE, MIN_SILENT_HOURS, SILENCE_DAYS } from '../trends/rules/silence.ts';
import { composeStateSentence } from '../trends/rules/state-sentence.ts';
import { findStateChange, MIN_RETURN_POSTS, STATE_HISTORY_MS } from '../trends/rules/trend-states.ts';

/** @param runs one per search; `oldest`: when the first response of its search in the batch was received */
export async function findStates(
  tx: Transaction,
  runs: readonly { run_id: Id; at: Date; oldest: Date }[],
): Promise<NewTrendState[]> {
  if (runs.length === 0) return [];
  const limits = {
    evidence: MIN_SILENCE_EVIDENCE,
    hours: MIN_SILENT_HOURS,
    returnPosts: MIN_RETURN_POSTS,
    historyDays: STATE_HISTORY_MS / DAY,
    comparedDays: SILENCE_DAYS,
  };
  const candidates = await readStateCandidates(tx, runs, limits);
  const atRun = new Map(runs.map(({ run_id, at }) => [run_id, at]));
  const newStates: NewTrendState[] = [];
  for (const candidate of candidates) {
    const state = await findState(tx, candidate, atRun.get(candidate.run_id) ?? candidate.observed_until);
    if (state !== null) newStates.push(state);
  }
  return newStates;
}

async function findState(
  tx: Transaction,
  candidate: StateCandidate,
  at: Date,
): Promise<NewTrendState | null> {
  const { search_id, run_id, tz, observed_until, changed_at, is_day_over } = candidate;
  const until = startOfQuarter(observed_until.getTime());
  const from = Math.floor((until - STATE_HISTORY_MS) / DAY) * DAY;
  const series = await readVolumeHistory(tx, search_id, from, until);
  const reported = await readReportedStates(tx, search_id, new Date(from));
  const change = findStateChange(
    series,
    reported.map(({ state, since, compared_since, rate_before, rate }) => ({
      state,
      since: since.getTime(),
      comparedSince: compared_since?.getTime() ?? 0,
      before: rate_before,
      rate,
    })),
    { isDayOver: is_day_over, changedAt: changed_at?.getTime() ?? 0 },
  );
  if (change === null) return null;
  const { state, since, comparedSince, before, rate, score, threshold, days, observedHours, expected } =
    change;
  const previous = reported.at(-1);
  const facts = {
    state,
    since: new Date(since),
    previous_state: previous?.state ?? null,
    previous_since: previous?.since ?? null,
    compared_since: comparedSince === 0 ? null : new Date(comparedSince),
    rate_before: before,
    rate,
    observed_hours: observedHours,
    expected,
    tz,
    at,
  };
  const explained = await explainState(tx, search_id, facts, observed_until);
  return {
    search_id,
    run_id,
    ...facts,
    ...explained,
    score,
    threshold,
    days,
    sentence: composeStateSentence(facts),
  };
}
