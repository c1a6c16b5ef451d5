import { InvalidInput, type Problem } from '../../errors.ts';
import { recordAudit } from '../../store/audit.ts';
import { inTransaction } from '../../store/database.ts';
import { lockTopic, setName } from '../../store/topics.ts';
import type { Acting } from '../context.ts';
import { checkName } from './create-topic.ts';
import { assertTopicKept } from './find.ts';

/**
 * Gives a topic another name; its slug, by which everything finds it, stays.
 * @throws InvalidInput at `name`, Refused `not_found`, or `conflict` where the topic was removed
 */
export async function renameTopic(ctx: Acting, slug: string, name: string): Promise<void> {
  const problems: Problem[] = [];
  const checked = checkName(name, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  await assertTopicKept(ctx.db, slug);
  await inTransaction(ctx.db, async (tx) => {
    const before = (await lockTopic(tx, slug))?.name;
    if (before === checked) return;
    await setName(tx, slug, checked);
    const changes = { name: { before, after: checked } };
    await recordAudit(tx, ctx, { action: 'topic.updated', subject: slug, changes });
  });
}
