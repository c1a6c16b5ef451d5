/**
 * Judges what topics with a goal found, with the language model. Every worker has a judge; it asks one question at a time, outside
 * of runs, of the follower and of recurring work, so that a model that does not respond delays judgements only.
 */
import { SECOND } from '../../lib/time.ts';
import { MAX_JUDGED_AT_ONCE } from '../../model/judging.ts';
import { inTransaction, readTime } from '../../store/db/database.ts';
import {
  findWaitingTopic,
  postponeJudgements,
  readIrrelevantTexts,
  takeWaitingStories,
  writeVerdicts,
} from '../../store/judgements/queue-judgements.ts';
import type { Context } from '../context.ts';
import { repeatPass } from '../repeat-pass.ts';

const INTERVAL_MS = 5 * SECOND;
/** Examples of what a person marked as not relevant. */
export const MAX_EXAMPLES = 5;
/** Questions of a pass; the next pass continues. */
const MAX_QUESTIONS = 10;

type JudgeContext = Pick<Context, 'db' | 'clock' | 'log' | 'judge'>;

/**
 * Judges stories that wait, up to {@link MAX_QUESTIONS} questions. Ends when the model is unavailable.
 * @returns the number of stories with a verdict
 */
export async function judgeWaiting(ctx: JudgeContext, signal: AbortSignal): Promise<number> {
  let judged = 0;
  for (let n = 0; n < MAX_QUESTIONS && !signal.aborted; n += 1) {
    const step = await judgeBatch(ctx, signal);
    judged += step.judged;
    if (step.isOver) break;
  }
  return judged;
}

async function judgeBatch(
  { db, clock, log, judge }: JudgeContext,
  signal: AbortSignal,
): Promise<{ judged: number; isOver: boolean }> {
  if (judge === null) return { judged: 0, isOver: true };
  const taken = await inTransaction(db, async (tx) => {
    const now = await readTime(tx, clock);
    const topic = await findWaitingTopic(tx, now);
    if (topic === undefined) return undefined;
    const stories = await takeWaitingStories(tx, topic, { most: MAX_JUDGED_AT_ONCE, now });
    return { topic, stories, irrelevant: await readIrrelevantTexts(tx, topic.id, MAX_EXAMPLES) };
  });
  if (taken === undefined) return { judged: 0, isOver: true };
  const { topic, stories, irrelevant } = taken;
  // All of them had a verdict, or were not waited for.
  if (stories.length === 0) return { judged: 0, isOver: false };
  const reply = await judge.judge(
    { goal: topic.goal, irrelevant, texts: stories.map(({ text }) => text) },
    signal,
  );
  const verdicts = reply.outcome === 'judged' ? reply.verdicts : [];
  const judged = stories.flatMap(({ items }, i) => {
    const verdict = verdicts[i] ?? null;
    return verdict === null ? [] : [{ items, verdict }];
  });
  const left = stories.flatMap(({ items }, i) => ((verdicts[i] ?? null) === null ? items : []));
  const isUnusable = reply.outcome !== 'unavailable';
  await inTransaction(db, async (tx) => {
    const now = await readTime(tx, clock);
    await writeVerdicts(tx, topic.hash, judged, now);
    await postponeJudgements(tx, topic.hash, left, { isUnusable, now });
  });
  const counts = { topic: topic.slug, judged: judged.length, left: stories.length - judged.length };
  if (reply.outcome === 'judged') log.debug(counts, 'stories judged');
  else log.warn({ ...counts, reason: reply.reason }, 'stories not judged');
  return { judged: judged.length, isOver: reply.outcome === 'unavailable' };
}

/**
 * Starts the judge of a worker. Without a language model it does nothing.
 * @param onJudged called after a pass that had verdicts
 * @returns stops it; a question in progress is aborted, and asked again by another worker
 */
export function startJudge(
  ctx: JudgeContext,
  onJudged: () => Promise<void>,
  intervalMs = INTERVAL_MS,
): () => Promise<void> {
  if (ctx.judge === null) return async () => {};
  const pass = async (signal: AbortSignal) => {
    if ((await judgeWaiting(ctx, signal)) > 0) await onJudged();
  };
  return repeatPass(ctx, 'judging', pass, intervalMs);
}
