/** What takes the place of items that are deleted: the next members of the things that they were part of. */
import { groupCopies } from '../../model/copies.ts';
import { chooseFirst, markFirst, readGroups, readTopicItems } from '../topics/copies.ts';
import type { Id, Transaction } from '../db/database.ts';
import { clearBodiesSql } from './erasure.ts';

const S = 'strandline';

/** $1 discoveries. */
const CLEAR_BODIES = clearBodiesSql(
  `id IN (SELECT delivery_id FROM ${S}.delivery_discoveries WHERE discovery_id = ANY ($1))`,
);

/** An entry of a message, which stays there once for each rule. $1 discoveries, $2 those that take their places. */
const PASS_ON_DELIVERIES = `
UPDATE ${S}.delivery_discoveries x SET discovery_id = r.next FROM unnest($1::bigint[], $2::bigint[]) r(id, next)
WHERE x.discovery_id = r.id
  AND NOT EXISTS (SELECT FROM ${S}.delivery_discoveries o
    WHERE o.rule_id = x.rule_id AND o.channel_id = x.channel_id AND o.discovery_id = r.next)
  AND r.id = (SELECT min(y.discovery_id) FROM ${S}.delivery_discoveries y
    JOIN unnest($1::bigint[], $2::bigint[]) k(id, next) ON k.id = y.discovery_id
    WHERE k.next = r.next AND y.rule_id = x.rule_id AND y.channel_id = x.channel_id)`;

/**
 * Before discoveries are deleted: the next member of each of their things becomes its first, and takes its place in messages, so
 * that the thing is not sent again. Bodies of messages that contain the discoveries are cleared.
 */
export async function passOnThings(tx: Transaction, discoveryIds: readonly Id[]): Promise<void> {
  if (discoveryIds.length === 0) return;
  await tx.query(CLEAR_BODIES, [discoveryIds]);
  const items = await readTopicItems(tx, discoveryIds);
  const leaving = new Set(discoveryIds);
  const first: Id[] = [];
  const pairs: { id: Id; next: Id }[] = [];
  for (const members of await readGroups(tx, items)) {
    // What leaves may be all that joined the others.
    const staying = groupCopies(members.filter(({ id }) => !leaving.has(id)));
    const firsts = staying.flatMap((part) => chooseFirst(part)?.id ?? []);
    first.push(...firsts);
    const [next] = firsts;
    if (next !== undefined)
      pairs.push(...members.flatMap(({ id }) => (leaving.has(id) ? [{ id, next }] : [])));
  }
  await tx.query(PASS_ON_DELIVERIES, [pairs.map(({ id }) => id), pairs.map(({ next }) => next)]);
  await markFirst(tx, first, true);
}
