/** Dismisses things as not relevant for a topic, and restores them. */
import { Refused } from '../../model/errors.ts';
import {
  type DismissedItem,
  dismissItem,
  findTopicItem,
  isDismissed,
  restoreItem,
} from '../../store/alerts/dismissals.ts';
import { recordAudit } from '../../store/access/audit-entries.ts';
import { type Id, inTransaction, type Transaction } from '../../store/db/database.ts';
import type { ActingContext } from '../context.ts';
import { requireTopic } from '../topics/find-by-slug.ts';

/** A post or link, for the topic with that slug. */
export type Dismissal = { topic: string; kind: DismissedItem['kind']; id: Id };

/**
 * Marks a thing as not relevant for a topic: rules do not report it again, messages that are not composed yet leave it out, and
 * digests do not list it. Lists, exports and counts keep it.
 * @returns whether it was not dismissed before
 * @throws Refused `not_found` for an unknown topic, and for what the topic has not found
 */
export async function dismiss(ctx: ActingContext, dismissal: Dismissal): Promise<boolean> {
  return change(ctx, dismissal, 'dismissed', async (tx, item) => {
    const known = await findTopicItem(tx, item);
    if (known !== null) await dismissItem(tx, known, ctx.clock.now());
  });
}

/** Undoes {@link dismiss}: what is found from now on is reported. @returns whether it was dismissed @throws as there */
export async function restore(ctx: ActingContext, dismissal: Dismissal): Promise<boolean> {
  return change(ctx, dismissal, 'restored', restoreItem);
}

async function change(
  ctx: ActingContext,
  dismissal: Dismissal,
  done: 'dismissed' | 'restored',
  write: (tx: Transaction, item: DismissedItem) => Promise<void>,
): Promise<boolean> {
  return inTransaction(ctx.db, async (tx) => {
    const { id: topicId } = await requireTopic(tx, dismissal.topic);
    const item = { topicId, kind: dismissal.kind, thing: dismissal.id };
    if ((await findTopicItem(tx, item)) === null)
      throw new Refused(
        'not_found',
        `the topic "${dismissal.topic}" has found no ${dismissal.kind} ${dismissal.id}`,
      );
    const isNow = await isDismissed(tx, item);
    if (isNow === (done === 'dismissed')) return false;
    await write(tx, item);
    await recordAudit(tx, ctx, {
      action: `topic.item_${done}`,
      subject: dismissal.topic,
      changes: { [dismissal.kind]: { before: null, after: String(dismissal.id) } },
    });
    return true;
  });
}
