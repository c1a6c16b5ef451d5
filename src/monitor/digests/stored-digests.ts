/** Digests that were sent or kept, as the API and pages show them. */
import { createNotFound } from '../../domain/errors.ts';
import type { Id, Pooled } from '../../store/database.ts';
import { findDigest, type StoredDigest } from '../../store/digests.ts';
import { Digest } from './digest-shapes.ts';

export type PastDigest = Omit<StoredDigest, 'value'> & { digest: Digest };

/** @throws Refused `not_found` */
export async function findPastDigest({ pool }: Pooled, id: Id): Promise<PastDigest> {
  const row = await findDigest(pool, id);
  if (row === null) throw createNotFound('digest', id);
  const { value, ...rest } = row;
  return { ...rest, digest: Digest.parse(value) };
}
