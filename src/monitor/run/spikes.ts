import { DAY } from '../../engine/clock.ts';
import type { Id } from '../../store/database.ts';
import type { Diff } from '../../store/save/save.ts';
import { spikesSince, tellSpike } from '../../store/spikes.ts';
import { volumeBetween, watchedAt } from '../../store/volume/history.ts';
import { quarterOf, QUARTER_MS } from '../../store/volume/quarters.ts';
import type { Context } from '../context.ts';
import { COOLDOWN_MS, detect, HISTORY_MS, LEAST, NEWS_MS } from '../trend/detect.ts';
import { sentenceOf } from '../trend/sentence.ts';

/** The longest window, but for searches that run less than daily. */
const LONGEST_MS = DAY;

/**
 * Looks at the windows that closed in the last six hours, and tells the first one that holds more than usual.
 * It remembers nothing: what was not looked at because of a fault is looked at by the next run.
 * @returns the id of the spike; `null` where nothing is unusual
 */
export async function findSpike(
  ctx: Pick<Context, 'db' | 'clock'>,
  run: { id: Id; search_id: Id },
): Promise<Id | null> {
  const now = ctx.clock.now();
  const watched = await watchedAt(ctx.db, run.id, new Date(now.getTime() - NEWS_MS - LONGEST_MS));
  if (watched === null || watched.sensitivity === 'off') return null;
  const longest = Math.max(LONGEST_MS, watched.every_seconds * 1_000);
  if (watched.recent < LEAST && longest === LONGEST_MS) return null;

  const until = quarterOf(watched.observed_until.getTime());
  const history = until - HISTORY_MS - NEWS_MS - longest;
  const since = watched.since === null ? 0 : quarterOf(watched.since.getTime()) + QUARTER_MS;
  const from = Math.max(history, since);
  if (from >= until) return null;
  const series = await volumeBetween(ctx.db, run.search_id, from, until);
  const alerted = await spikesSince(ctx.db, run.search_id, 'posts', new Date(from));
  const { sensitivity, tz } = watched;
  const spike = detect(series, {
    sensitivity,
    everySeconds: watched.every_seconds,
    alerted: alerted.map((end) => end.getTime()),
    now: now.getTime(),
  });
  if (spike === null) return null;
  const { start, end, lowerBound, ...figures } = spike;
  const told = {
    measure: 'posts',
    window_start: new Date(start),
    window_end: new Date(end),
    lower_bound: lowerBound,
    ...figures,
    tz,
    top_post_id: null,
    top_share: null,
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
  if (diff.baseline) return;
  try {
    await findSpike(ctx, run);
  } catch (error) {
    ctx.log.error({ err: error, search: run.search }, 'spikes were not looked for; the next run does');
  }
}
