import { InvalidInput, type Problem } from '../../errors.ts';
import { setName } from '../../store/topics.ts';
import type { Context } from '../context.ts';
import { checkName } from './create-topic.ts';
import { assertTopicKept } from './find.ts';

/**
 * Gives a topic another name; its slug, by which everything finds it, stays.
 * @throws InvalidInput at `name`, Refused `not_found`, or `conflict` where the topic was removed
 */
export async function renameTopic(ctx: Context, slug: string, name: string): Promise<void> {
  const problems: Problem[] = [];
  const checked = checkName(name, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  await assertTopicKept(ctx.db, slug);
  await setName(ctx.db.pool, slug, checked);
}
