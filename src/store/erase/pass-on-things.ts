/**
 * Before discoveries are deleted: what is one thing with each takes its place in messages, so that the thing is not sent again;
 * another discovery of its item reports that item; and they leave their stories.
 */
import type { Id, Transaction } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import { settleKeys } from '../save/settle-keys.ts';
import type { TopicItem } from '../save/topic-items.ts';
import { DISCOVERIES_OF_THING, itemsOfDiscoveries, KEY_OF_ITEM } from '../stories/one-thing.ts';
import { leaveStories } from '../stories/leave-stories.ts';
import { lockStories } from '../stories/write-stories.ts';
import { clearBodies } from './erasure.ts';

/** Also clears the bodies of messages that contain the discoveries. */
export async function passOnThings(tx: Transaction, discoveryIds: readonly Id[]): Promise<void> {
  if (discoveryIds.length === 0) return;
  // Before rows are locked, as a pass that settles stories does.
  await lockStories(tx, { waits: true });
  const inMessages = statement`SELECT delivery_id FROM strandline.delivery_discoveries WHERE discovery_id = ANY (${discoveryIds})`;
  await execute(tx, clearBodies(statement`id IN (${inMessages})`));
  await passOnDeliveries(tx, await chooseNext(tx, discoveryIds));
  const items = await rowsOf<TopicItem>(
    tx,
    statement`SELECT DISTINCT x.topic_id AS "topicId", ${KEY_OF_ITEM} AS key FROM ${itemsOfDiscoveries(discoveryIds)} x`,
  );
  await settleKeys(tx, items, discoveryIds);
  await leaveStories(tx, discoveryIds);
}

/** For discoveries in messages: the first of those that are one thing with each, and stay. */
function chooseNext(tx: Transaction, discoveryIds: readonly Id[]): Promise<{ id: Id; next: Id }[]> {
  return rowsOf<{ id: Id; next: Id }>(
    tx,
    statement`SELECT u.id, n.next FROM ${itemsOfDiscoveries(discoveryIds)} u
      CROSS JOIN LATERAL (
        SELECT o.id AS next FROM ${DISCOVERIES_OF_THING}
        WHERE o.id <> ALL (${discoveryIds}::bigint[]) ORDER BY o.first_in_topic DESC, o.baseline, o.id LIMIT 1
      ) n
      WHERE EXISTS (SELECT FROM strandline.delivery_discoveries WHERE discovery_id = u.id)`,
  );
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
