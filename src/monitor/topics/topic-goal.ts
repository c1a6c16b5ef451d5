/** The goal of a topic: what its news is about, in words. A language model judges each story by it. */
import { createNotFound, InvalidInput, type Problem } from '../../model/errors.ts';
import { hashGoal, readGoal } from '../../model/judging.ts';
import { MAX_GOAL_LENGTH } from '../../model/value-shapes.ts';
import { recordAudit } from '../../store/access/audit-entries.ts';
import { type Id, inTransaction, readTime, type Transaction } from '../../store/db/database.ts';
import { writeGoal } from '../../store/judgements/queue-judgements.ts';
import { lockTopic } from '../../store/topics/topics.ts';
import type { ActingContext, Context } from '../context.ts';
import { assertTopicNotRemoved } from './find-by-slug.ts';

/** Why a goal cannot be set; undefined: it can be. */
export function describeMissingJudge({ judge, kind }: Pick<Context, 'judge' | 'kind'>): string | undefined {
  if (judge !== null) return undefined;
  return kind === 'sandbox'
    ? 'none: no language model is asked about simulated texts'
    : 'none: a goal needs a language model; set LLM_BASE_URL and LLM_MODEL, and restart';
}

/**
 * Reads a goal; adds a problem at `goal` if it is too long, or if no language model could judge by it.
 * @param current the goal of the topic, which may stay as it is without a model
 * @returns null: none
 */
export function checkGoal(
  ctx: Pick<Context, 'judge' | 'kind'>,
  given: string | null | undefined,
  problems: Problem[],
  current: string | null = null,
): string | null {
  const goal = readGoal(given ?? '');
  const expected =
    goal === undefined
      ? `a goal of at most ${MAX_GOAL_LENGTH} characters`
      : goal === null || goal === current
        ? undefined
        : describeMissingJudge(ctx);
  if (expected !== undefined) problems.push({ path: 'goal', given: given?.slice(0, 400), expected });
  return goal ?? null;
}

/** Writes the goal of a new topic. */
export async function insertGoal(
  ctx: Context,
  tx: Transaction,
  topicId: Id,
  goal: string | null,
): Promise<void> {
  if (goal === null) return;
  await writeGoal(tx, { topicId, goal, hash: hashGoal(goal), now: await readTime(tx, ctx.clock) });
}

/**
 * Sets or removes the goal of a topic. New stories are judged by it, and the newest of the last day.
 * @param given null: none
 * @returns the current slug of the topic, and the goal as it is stored
 * @throws InvalidInput at `goal`; Refused `not_found`, `conflict` for a removed topic
 */
export async function setGoal(
  ctx: ActingContext,
  slug: string,
  given: string | null,
): Promise<{ topic: string; goal: string | null }> {
  const topic = await assertTopicNotRemoved(ctx.db, slug);
  const problems: Problem[] = [];
  const goal = checkGoal(ctx, given, problems, topic.goal);
  if (problems.length > 0) throw new InvalidInput(problems);
  return inTransaction(ctx.db, async (tx) => {
    const before = await lockTopic(tx, slug);
    if (before === null) throw createNotFound('topic', slug);
    if (before.goal === goal) return { topic: before.slug, goal };
    const hash = goal === null ? null : hashGoal(goal);
    await writeGoal(tx, { topicId: before.id, goal, hash, now: await readTime(tx, ctx.clock) });
    await recordAudit(tx, ctx, {
      action: 'topic.updated',
      subject: before.slug,
      changes: { goal: { before: before.goal, after: goal } },
    });
    return { topic: before.slug, goal };
  });
}
