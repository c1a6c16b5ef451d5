/** Tries a goal on what a topic found in the last day, without saving anything but the count of the requests. */
import { DAY } from '../../lib/time.ts';
import { InvalidInput, type Problem, Refused } from '../../model/errors.ts';
import { MAX_JUDGED_AT_ONCE, type Verdict } from '../../model/judging.ts';
import { inTransaction } from '../../store/db/database.ts';
import { readIrrelevantTexts } from '../../store/judgements/queue-judgements.ts';
import { type FoundStory, readFoundStories } from '../../store/queries/judgements.ts';
import { followStories } from '../../store/stories/follow-stories.ts';
import type { Context } from '../context.ts';
import { assertTopicNotRemoved } from '../topics/find-by-slug.ts';
import { checkGoal } from '../topics/topic-goal.ts';
import { MAX_EXAMPLES } from './judge-stories.ts';

/** Requests of a trial. */
const MAX_QUESTIONS = 2;
/** Batches of a thousand items whose stories are decided first. */
const MAX_BATCHES_BEFORE = 3;

/** @property text cut for display */
export type TriedStory = FoundStory & { verdict: Verdict | null };

export type GoalTrial = {
  topic: string;
  goal: string;
  since: Date;
  /** Stories that were found since then; the newest of them are judged. */
  found: number;
  stories: TriedStory[];
  /** Why some were not judged; null: all were. */
  problem: string | null;
};

/**
 * Asks the language model which of yesterday's stories a goal would report: one or two requests, which count.
 * @throws InvalidInput at `goal`; Refused `not_found`, `conflict`, `unavailable` if the model is
 */
export async function tryGoal(
  ctx: Pick<Context, 'db' | 'clock' | 'judge' | 'kind'>,
  slug: string,
  given: string,
  signal: AbortSignal,
): Promise<GoalTrial> {
  const topic = await assertTopicNotRemoved(ctx.db, slug);
  const problems: Problem[] = [];
  const goal = checkGoal(ctx, given, problems);
  if (problems.length === 0 && goal === null)
    problems.push({ path: 'goal', given, expected: 'what the news of the topic is about, in words' });
  const { judge } = ctx;
  if (problems.length > 0 || goal === null || judge === null) throw new InvalidInput(problems);
  await followStories(ctx.db, { batches: MAX_BATCHES_BEFORE });
  const since = new Date(ctx.clock.now().getTime() - DAY);
  const limit = MAX_QUESTIONS * MAX_JUDGED_AT_ONCE;
  const { stories, total } = await readFoundStories(ctx.db, { topicId: topic.id, since, limit });
  const irrelevant = await inTransaction(ctx.db, (tx) => readIrrelevantTexts(tx, topic.id, MAX_EXAMPLES));
  const tried: TriedStory[] = [];
  let problem: string | null = null;
  for (let from = 0; from < stories.length; from += MAX_JUDGED_AT_ONCE) {
    const asked = stories.slice(from, from + MAX_JUDGED_AT_ONCE);
    const reply = await judge.judge({ goal, irrelevant, texts: asked.map(({ text }) => text) }, signal);
    if (reply.outcome === 'unavailable' && tried.length === 0)
      throw new Refused('unavailable', `the language model ${reply.reason}`);
    if (reply.outcome !== 'judged') problem = `The language model ${reply.reason}.`;
    tried.push(
      ...asked.map((story, i) => ({
        ...story,
        verdict: reply.outcome === 'judged' ? (reply.verdicts[i] ?? null) : null,
      })),
    );
  }
  return { topic: topic.slug, goal, since, found: total, stories: tried, problem };
}
