/** Dismisses things as not relevant for a topic, and restores them. */
import { Refused } from '../../model/errors.ts';
import {
  type DismissedItem,
  dismissItem,
  findTopicItem,
  isDismissed,
  restoreItem,
} from '../../store/alerts/dismissals.ts';
import { nameActor, recordAudit } from '../../store/access/audit-entries.ts';
import { type Id, inTransaction, type Transaction } from '../../store/db/database.ts';
import { readStory } from '../../store/queries/stories.ts';
import type { ActingContext } from '../context.ts';
import { requireTopic } from '../topics/find-by-slug.ts';

/** A post or link, for the topic with that slug. */
export type Dismissal = { topic: string; kind: DismissedItem['kind']; id: Id };

/**
 * Marks a thing and its story as not relevant for a topic: lists, counts of lists, feeds, rules, digests and messages that are not
 * composed yet leave them out, and what joins the story later. Charts, exports and SQL keep them.
 * @returns whether it was not dismissed before
 * @throws Refused `not_found` for an unknown topic, and for what the topic has not found
 */
export async function dismiss(ctx: ActingContext, dismissal: Dismissal): Promise<boolean> {
  return change(ctx, dismissal, 'dismissed', async (tx, item) => {
    const known = await findTopicItem(tx, item);
    if (known !== null) await dismissItem(tx, known, { at: ctx.clock.now(), by: nameActor(ctx.actor) });
  });
}

/** Undoes {@link dismiss}: what is found from now on is reported. @returns whether it was dismissed @throws as there */
export async function restore(ctx: ActingContext, dismissal: Dismissal): Promise<boolean> {
  return change(ctx, dismissal, 'restored', restoreItem);
}

/** {@link dismiss} by the key of a story. @throws Refused `not_found` */
export async function dismissStory(ctx: ActingContext, id: Id): Promise<boolean> {
  return dismiss(ctx, await findFirstItem(ctx, id));
}

/** {@link restore} by the key of a story. @throws Refused `not_found` */
export async function restoreStory(ctx: ActingContext, id: Id): Promise<boolean> {
  return restore(ctx, await findFirstItem(ctx, id));
}

async function findFirstItem({ db }: ActingContext, id: Id): Promise<Dismissal> {
  const story = await readStory(db, id);
  if (story === undefined) throw new Refused('not_found', `there is no story ${id}`);
  const { topic, first_kind, first_item_id } = story;
  return { topic, kind: first_kind === 'link' ? 'link' : 'post', id: first_item_id };
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
