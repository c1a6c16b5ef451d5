/** Who and what was forgotten, as digests: enough to know them again in an answer, too little to read anyone out of. */
import { createHash } from 'node:crypto';
import type { Database, Id, Transaction } from '../database.ts';

/** Ids of authors and posts are unique within a service; an address belongs to none. */
export type Forgettable =
  | { kind: 'author' | 'post'; serviceId: Id; externalId: string }
  | { kind: 'link'; address: string };

/** SHA-256, plain: whoever holds an id can ask whether it was forgotten, and nobody can list who was. */
export function digestOf(thing: Forgettable): Buffer {
  const words = thing.kind === 'link' ? [thing.address] : [String(thing.serviceId), thing.externalId];
  return createHash('sha256')
    .update([thing.kind, ...words].join('\n'))
    .digest();
}

/** Writes tombstones; those that are there stay. In the order of the digests, so that two writers cannot wait for each other. */
export async function raiseTombstones(
  tx: Transaction,
  things: readonly Forgettable[],
  now: Date,
): Promise<void> {
  if (things.length === 0) return;
  await tx.query(
    `INSERT INTO strandline.forgotten (digest, at)
     SELECT DISTINCT d, $2::timestamptz FROM unnest($1::bytea[]) d ORDER BY d ON CONFLICT (digest) DO NOTHING`,
    [things.map(digestOf), now],
  );
}

/** Which of the given are forgotten, as a question to be asked of each. */
export async function forgottenAmong(
  db: Pick<Transaction, 'query'> | Database['pool'],
  things: readonly Forgettable[],
): Promise<(thing: Forgettable) => boolean> {
  const digests = [...new Map(things.map((thing) => [keyOf(thing), digestOf(thing)])).values()];
  const { rows } = await db.query<{ digest: Buffer }>(
    'SELECT digest FROM strandline.forgotten WHERE digest = ANY ($1::bytea[])',
    [digests],
  );
  const found = new Set(rows.map(({ digest }) => digest.toString('hex')));
  return (thing) => found.size > 0 && found.has(digestOf(thing).toString('hex'));
}

function keyOf(thing: Forgettable): string {
  return thing.kind === 'link' ? `link ${thing.address}` : `${thing.kind} ${thing.externalId}`;
}
