/** Digests that were sent or kept, as the API and pages show them. */
import { createNotFound } from '../../model/errors.ts';
import { type HeldRow, readHeld } from '../../store/alerts/held-deliveries.ts';
import type { Id, Pooled } from '../../store/db/database.ts';
import { findDigest, type StoredDigest } from '../../store/alerts/digests.ts';
import { Digest, type DigestHeld } from './digest-shapes.ts';

export type PastDigest = Omit<StoredDigest, 'value' | 'brief'> & { digest: Digest };

/** @throws Refused `not_found` */
export async function findPastDigest({ pool }: Pooled, id: Id): Promise<PastDigest> {
  const row = await findDigest(pool, id);
  if (row === null) throw createNotFound('digest', id);
  const { value, brief, ...rest } = row;
  const digest = Digest.parse(value);
  return {
    ...rest,
    digest: { ...digest, brief, held: [...digest.held, ...describeHeld(await readHeld(pool, id, null))] },
  };
}

/** What messages about a digest contain of rules that were muted, as its members. */
export function describeHeld(rows: readonly HeldRow[]): DigestHeld[] {
  return rows.map(({ delivery, rule, rule_name, counts }) => ({
    topic: null,
    rule,
    name: rule_name,
    since: null,
    counts,
    page: `/alerts/deliveries/${delivery}`,
  }));
}
