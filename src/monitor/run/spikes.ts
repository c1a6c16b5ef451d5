import { DAY } from '../../engine/clock.ts';
import type { Id } from '../../store/database.ts';
import type { Diff } from '../../store/save/save.ts';
import { spikesSince, tellSpike } from '../../store/spikes.ts';
import { keepGains } from '../../store/volume/gains.ts';
import { keepRising } from '../../store/volume/rising.ts';
import { type Watched, watchedAt } from '../../store/volume/history.ts';
import { quarterOf, QUARTER_MS } from '../../store/volume/quarters.ts';
import type { Context } from '../context.ts';
import { COOLDOWN_MS, detect, HISTORY_MS, LEAST, NEWS_MS } from '../trend/detect.ts';
import { sentenceOf } from '../trend/sentence.ts';
import { usualOnWeekday, WEEKS_MS } from '../trend/weekday.ts';
import { engagementOf, type Measure, postsOf } from './measures.ts';

/** The longest window, but for searches that run less than daily. */
const LONGEST_MS = DAY;

type Parts = Pick<Context, 'db' | 'clock'>;
type Run = { id: Id; search_id: Id };

/**
 * Looks at the windows that closed in the last six hours, for posts and for what their counters gained, and tells
 * of each the one that stands out most. It remembers nothing: what was not looked at because of a fault is
 * looked at by the next run.
 * @returns the ids of the spikes; none where nothing is unusual
 */
export async function findSpikes(ctx: Parts, run: Run): Promise<Id[]> {
  const now = ctx.clock.now().getTime();
  const recentFrom = new Date(now - NEWS_MS - LONGEST_MS);
  const watched = await watchedAt(ctx.db, run.id, recentFrom);
  if (watched === null) return [];
  const since = new Date(now - NEWS_MS);
  const gained = await keepGains(ctx.db, run.search_id, { since, recentFrom });
  if (watched.sensitivity === 'off') return [];
  const told: Id[] = [];
  for (const measure of [
    postsOf(ctx, run.search_id, watched.recent),
    engagementOf(ctx, run.search_id, gained),
  ]) {
    const id = await findSpike(ctx, run, watched, measure);
    if (id !== null) told.push(id);
  }
  return told;
}

async function findSpike(ctx: Parts, run: Run, watched: Watched, measure: Measure): Promise<Id | null> {
  const { sensitivity, tz, every_seconds: everySeconds } = watched;
  if (sensitivity === 'off') return null;
  const longest = Math.max(LONGEST_MS, everySeconds * 1_000);
  if (longest === LONGEST_MS && measure.recent < LEAST) return null;

  const now = ctx.clock.now();
  const until = quarterOf(watched.observed_until.getTime());
  const since = watched.since === null ? 0 : quarterOf(watched.since.getTime()) + QUARTER_MS;
  const from = Math.max(until - HISTORY_MS - NEWS_MS - longest, since);
  if (from >= until) return null;
  const { series, mayTell, topOf } = await measure.between(from, until);
  const alerted = await spikesSince(ctx.db, run.search_id, measure.name, new Date(from));
  const spike = detect(series, {
    sensitivity,
    everySeconds,
    alerted: alerted.map((end) => end.getTime()),
    now: now.getTime(),
    mayTell,
  });
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
  const sentence = sentenceOf(told);
  return tellSpike(
    ctx.db,
    { ...told, search_id: run.search_id, run_id: run.id, sensitivity, sentence, at: now },
    COOLDOWN_MS,
  );
}

/** The step of the journey: a run that was saved is a success, whatever happens while it is compared. */
export async function noticeSpike(
  ctx: Context,
  run: { id: Id; search_id: Id; search: string },
  diff: Diff,
): Promise<void> {
  try {
    await keepRising(ctx.db, run.search_id);
    // What a first look finds is no more than usual, however much it is.
    if (!diff.baseline) await findSpikes(ctx, run);
  } catch (error) {
    ctx.log.error(
      { err: error, search: run.search },
      'spikes and rising posts were not looked for; the next run does',
    );
  }
}
