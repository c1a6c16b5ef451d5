/**
 * Promotes the next copy of an item that is deleted: the copy becomes the first discovery in its topic, and replaces the deleted
 * discovery in messages.
 */
import { groupCopies } from '../../model/copies.ts';
import { chooseFirst, markFirst, readGroups, readTopicItems } from '../topics/copies.ts';
import type { Id, Transaction } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';
import { leaveStories } from '../stories/write-stories.ts';
import { clearBodies } from './erasure.ts';

/**
 * Before discoveries are deleted: the next member of each of their things becomes its first, and takes its place in messages, so
 * that the thing is not sent again. Bodies of messages that contain the discoveries are cleared, and their stories are taken apart.
 */
export async function passOnThings(tx: Transaction, discoveryIds: readonly Id[]): Promise<void> {
  if (discoveryIds.length === 0) return;
  const inMessages = statement`SELECT delivery_id FROM strandline.delivery_discoveries WHERE discovery_id = ANY (${discoveryIds})`;
  await execute(tx, clearBodies(statement`id IN (${inMessages})`));
  const items = await readTopicItems(tx, discoveryIds);
  const leaving = new Set(discoveryIds);
  const first: Id[] = [];
  const pairs: { id: Id; next: Id }[] = [];
  for (const members of await readGroups(tx, items)) {
    // The leaving members may have joined the remaining members, which are therefore grouped again.
    const staying = groupCopies(members.filter(({ id }) => !leaving.has(id)));
    const firsts = staying.flatMap((part) => chooseFirst(part)?.id ?? []);
    first.push(...firsts);
    const [next] = firsts;
    if (next !== undefined)
      pairs.push(...members.flatMap(({ id }) => (leaving.has(id) ? [{ id, next }] : [])));
  }
  await passOnDeliveries(tx, pairs);
  await markFirst(tx, first, true);
  await leaveStories(tx, discoveryIds);
}

/** Replaces discoveries in messages by the next ones, each once for each rule. */
async function passOnDeliveries(tx: Transaction, pairs: readonly { id: Id; next: Id }[]): Promise<void> {
  const ids = pairs.map(({ id }) => id);
  const nextIds = pairs.map(({ next }) => next);
  const replaced = statement`unnest(${ids}::bigint[], ${nextIds}::bigint[])`;
  await execute(
    tx,
    statement`UPDATE strandline.delivery_discoveries x SET discovery_id = r.next FROM ${replaced} r(id, next)
      WHERE x.discovery_id = r.id
        AND NOT EXISTS (
          SELECT FROM strandline.delivery_discoveries o
          WHERE o.rule_id = x.rule_id AND o.channel_id = x.channel_id AND o.discovery_id = r.next)
        AND r.id = (
          SELECT min(y.discovery_id) FROM strandline.delivery_discoveries y JOIN ${replaced} k(id, next) ON k.id = y.discovery_id
          WHERE k.next = r.next AND y.rule_id = x.rule_id AND y.channel_id = x.channel_id)`,
  );
}
