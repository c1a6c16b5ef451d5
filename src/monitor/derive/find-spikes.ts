/** Finds spikes after runs: in the number of posts, and in the engagement that posts gained. */

import { DAY, QUARTER_MS } from '../../lib/time.ts';
import type { Id, Transaction } from '../../store/db/database.ts';
import type { SpikeCause, SpikeMeasure } from '../../model/closed-lists.ts';
import { type NewSpike, readSpikesSince } from '../../store/derive/trend-reports.ts';
import { runCooperatively } from '../../platform/run-cooperatively.ts';
import { startOfQuarter } from '../../store/volume/reach.ts';
import { readGains } from '../../store/volume/run-gains.ts';
import { readVolumeHistory, readWatched, type WatchedSearch } from '../../store/volume/volume-history.ts';
import { readVoices } from '../../store/volume/voices.ts';
import { readPostTime, readWindowPosts } from '../../store/volume/window-posts.ts';
import { offsetAt } from '../schedule/time-zone.ts';
import { buildGainSeries, findTopPost, isSpreadOverPosts } from '../trends/rules/engagement-gains.ts';
import { BASELINE_DAYS, HISTORY_MS } from '../trends/rules/history.ts';
import {
  detectSpike,
  MAX_SPIKE_AGE_MS,
  MIN_SPIKE_POSTS,
  type Spike,
} from '../trends/rules/spike-detection.ts';
import { findReasonInSteps } from '../trends/rules/spike-reason.ts';
import { composeReason, MIN_POST_SHARE } from '../trends/rules/reason-sentence.ts';
import { findCause, findLoudestAuthor, isOfMany } from '../trends/rules/voices.ts';
import { composeSpikeSentence } from '../trends/rules/spike-sentence.ts';
import type { Series } from '../trends/rules/time-series.ts';
import { computeWeekdayUsual, WEEKDAY_HISTORY_MS } from '../trends/rules/weekday-usual.ts';

/** The longest window, except for searches that run less than daily. */
const MAX_WINDOW_MS = DAY;

/** A run and the time of its response, at which it is evaluated. */
type EvaluatedRun = { run_id: Id; search_id: Id; at: Date };

/**
 * Evaluates the windows that closed in the six hours before each response, for posts and for engagement gains, and returns the
 * strongest spike of each. Stores no state but the spikes.
 * @param runs one per search
 */
export async function findSpikes(tx: Transaction, runs: readonly EvaluatedRun[]): Promise<NewSpike[]> {
  if (runs.length === 0) return [];
  const watched = await readWatched(
    tx,
    runs.map((run) => run.run_id),
    runs.map((run) => new Date(run.at.getTime() - MAX_SPIKE_AGE_MS - MAX_WINDOW_MS)),
  );
  const newSpikes: NewSpike[] = [];
  for (const run of runs) {
    const search = watched.get(run.run_id);
    if (search === undefined) continue;
    for (const measure of [
      measurePosts(tx, run.search_id, search.recent),
      measureEngagement(tx, run.search_id, search.gained),
    ]) {
      const spike = await findSpike(tx, run, search, measure);
      if (spike !== null) newSpikes.push(spike);
    }
  }
  return newSpikes;
}

async function findSpike(
  tx: Transaction,
  run: EvaluatedRun,
  watched: WatchedSearch,
  measure: Measure,
): Promise<NewSpike | null> {
  const { sensitivity, tz, every_seconds: everySeconds } = watched;
  if (sensitivity === 'off') return null;
  const longest = Math.max(MAX_WINDOW_MS, everySeconds * 1_000);
  if (longest === MAX_WINDOW_MS && measure.recent < MIN_SPIKE_POSTS) return null;

  const until = startOfQuarter(watched.observed_until.getTime());
  const since = watched.since === null ? 0 : startOfQuarter(watched.since.getTime()) + QUARTER_MS;
  const from = Math.max(until - measure.historyMs - MAX_SPIKE_AGE_MS - longest, since);
  if (from >= until) return null;
  const series = { ...(await measure.between(from, until)), offset: offsetAt(tz, until) };
  const watch = { sensitivity, everySeconds, now: run.at.getTime() };
  // Earlier spikes can only suppress one, and authors too, so they are read only if there is a candidate.
  if (detectSpike(series, { ...watch, alerted: [] }) === null) return null;
  const { isEligible, findOnlyBy, findTop } = await measure.examine(
    until - MAX_SPIKE_AGE_MS - longest,
    until,
  );
  const earlier = await readSpikesSince(tx, run.search_id, measure.name, new Date(from));
  const endsOf = (spikes: typeof earlier) => spikes.map(({ window_end }) => window_end.getTime());
  // A spike by one author does not suppress a spike by many authors.
  const alerted = endsOf(earlier.filter(({ only_by }) => only_by === null));
  const spike =
    detectSpike(series, { ...watch, isEligible, alerted }) ??
    detectSpike(series, {
      ...watch,
      isEligible: (candidate) => findOnlyBy(candidate) !== null,
      alerted: endsOf(earlier),
    });
  if (spike === null) return null;

  const weeksFrom = Math.max(until - WEEKDAY_HISTORY_MS - MAX_SPIKE_AGE_MS - longest, since);
  const weeks = from <= weeksFrom ? series : await measure.between(weeksFrom, until);
  const top = findTop(spike);
  const { start, end, spread: _spread, ...figures } = spike;
  const facts = {
    measure: measure.name,
    window_start: new Date(start),
    window_end: new Date(end),
    lower_bound: false,
    ...figures,
    days: Math.min(figures.days, measure.historyMs / DAY),
    weekday_usual: computeWeekdayUsual(weeks, spike),
    tz,
    top_post_id: top?.post ?? null,
    top_share: top?.postShare ?? null,
    top_author_id: top?.author ?? null,
    author_share: top?.authorShare ?? null,
    only_by: findOnlyBy(spike),
  } as const;
  const { run_id, search_id, at } = run;
  const why = { ...facts, ...(await explain(tx, search_id, spike, top)) };
  return {
    ...why,
    // What is stored names nobody.
    why: composeReason({ ...why, reason_author_username: null }),
    search_id,
    run_id,
    sensitivity,
    sentence: composeSpikeSentence(facts),
    at,
  };
}

const COMPARED_MS = 7 * DAY;
/** Posts of a window, and of the week before, that are compared: the newest. */
const MAX_WINDOW_POSTS = 1_000;
const MAX_POSTS_BEFORE = 2_000;

/** What distinguishes the posts of a spike, or of one of engagement, whether the post that gained most explains it. */
async function explain(
  tx: Transaction,
  searchId: Id,
  { start, end, n }: Spike,
  top: ReturnType<Examined['findTop']>,
) {
  if (top?.post !== undefined)
    return explainGain(tx, searchId, n, { id: top.post, share: top.postShare ?? 0 });
  const read = (from: number, until: number, most: number) =>
    readWindowPosts(tx, [searchId], { from: new Date(from), until: new Date(until), most });
  const posts = await read(start, end, MAX_WINDOW_POSTS);
  if (posts.length === 0) return UNEXPLAINED;
  const before = await read(start - COMPARED_MS, start, MAX_POSTS_BEFORE);
  const { rest, names, ...reason } = await runCooperatively(findReasonInSteps(posts, before));
  return { ...reason, n_without_reason: rest === null ? null : n * rest, distinct_names: names };
}

async function explainGain(tx: Transaction, searchId: Id, n: number, top: { id: Id; share: number }) {
  if (top.share < MIN_POST_SHARE) return { ...UNEXPLAINED, reason: 'none' as const };
  return {
    ...UNEXPLAINED,
    reason: 'post' as const,
    reason_share: top.share,
    reason_post_id: top.id,
    reason_post_at: await readPostTime(tx, searchId, top.id),
    n_without_reason: n * (1 - top.share),
  };
}

const UNEXPLAINED = {
  reason: null,
  reason_name: null,
  reason_share: null,
  reason_share_before: null,
  reason_post_id: null,
  reason_post_at: null,
  n_without_reason: null,
  window_authors: null,
  distinct_names: null,
};

/** A quantity in which spikes are detected. */
type Measure = {
  name: SpikeMeasure;
  /** Recent amount, to skip quiet searches quickly. */
  recent: number;
  /** Length of the history that is read before the windows. */
  historyMs: number;
  /** Times in ms since 1970, whole quarters of an hour. */
  between: (from: number, until: number) => Promise<Series>;
  /** Who and what is behind windows in this time. */
  examine: (from: number, until: number) => Promise<Examined>;
};

type Examined = {
  /** An additional condition for a spike of many. */
  isEligible: (spike: Spike) => boolean;
  /** What alone makes a spike; null for one of many, and if that is not reported. */
  findOnlyBy: (spike: Spike) => SpikeCause | null;
  /** The top post of a spike in engagement; the loudest author of one in posts. */
  findTop: (spike: Spike) => { post?: Id; postShare?: number; author?: Id; authorShare?: number } | null;
};

/** Posts of a search, by time of publication. */
function measurePosts(tx: Transaction, searchId: Id, recent: number): Measure {
  return {
    name: 'posts',
    recent,
    historyMs: HISTORY_MS,
    between: (from, until) => readVolumeHistory(tx, searchId, from, until),
    examine: async (from, until) => {
      const voices = await readVoices(tx, searchId, new Date(from), new Date(until));
      return {
        isEligible: (spike) => isOfMany(voices, spike),
        findOnlyBy: (spike) => findCause(voices, spike),
        findTop: (spike) => findLoudestAuthor(voices, spike),
      };
    },
  };
}

/** Engagement that the posts of a search gained between responses. */
function measureEngagement(tx: Transaction, searchId: Id, recent: number): Measure {
  const readSpan = (from: number, until: number) => readGains(tx, searchId, new Date(from), new Date(until));
  return {
    name: 'engagement',
    recent,
    historyMs: BASELINE_DAYS * DAY,
    between: async (from, until) => buildGainSeries(await readSpan(from, until), from, until),
    examine: async (from, until) => {
      const gains = await readSpan(from, until);
      return {
        isEligible: (spike) => isSpreadOverPosts(gains, spike),
        findOnlyBy: () => null,
        findTop: (spike) => {
          const top = findTopPost(gains, spike);
          return top && { post: top.post, postShare: Math.min(1, top.gained / spike.n) };
        },
      };
    },
  };
}
