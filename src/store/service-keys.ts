import { and, arrayContains, desc, eq, isNull, lt, or } from 'drizzle-orm';
import { MINUTE, systemClock } from '../engine/clock.ts';
import type { Database } from './database.ts';
import { tokens } from './schema/workers.ts';

/** A key of the search service, without anything that opens it. */
export type ServiceKeyRow = {
  id: bigint;
  prefix: string;
  name: string;
  scopes: string[];
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
};

const { id, prefix, name, scopes, created_at, last_used_at, revoked_at } = tokens;
const SHOWN = { id, prefix, name, scopes, created_at, last_used_at, revoked_at };
const ofService = arrayContains(scopes, ['service']);

/** Keys of the search service, the newest first; revoked ones too. */
export async function readServiceKeys(
  { orm }: Pick<Database, 'orm'>,
  limit: number,
): Promise<ServiceKeyRow[]> {
  return orm.select(SHOWN).from(tokens).where(ofService).orderBy(desc(id)).limit(limit);
}

/** @param key.hash SHA-256 of the whole key; the key itself is never kept */
export async function insertServiceKey(
  { orm }: Pick<Database, 'orm'>,
  key: { prefix: string; name: string; hash: Buffer; now: Date },
): Promise<ServiceKeyRow> {
  const [row] = await orm
    .insert(tokens)
    .values({
      prefix: key.prefix,
      name: key.name,
      hash: key.hash.toString('hex'),
      scopes: ['service'],
      created_at: key.now,
    })
    .returning(SHOWN);
  if (row === undefined) throw new Error('the key row was not returned');
  return row;
}

/**
 * @param given the prefix of a key, or its id
 * @returns the key as it is now; undefined where there is none
 */
export async function revokeServiceKey(
  { orm }: Pick<Database, 'orm'>,
  given: string,
  now: Date,
): Promise<ServiceKeyRow | undefined> {
  // A prefix has eight characters: fewer digits are the id.
  const named = /^\d{1,7}$/.test(given) ? eq(id, BigInt(given)) : eq(prefix, given);
  const which = and(named, ofService);
  // The first revocation is the one that counts: a second changes nothing.
  await orm
    .update(tokens)
    .set({ revoked_at: now })
    .where(and(which, isNull(revoked_at)));
  const [row] = await orm.select(SHOWN).from(tokens).where(which).limit(1);
  return row;
}

/** The hash of a key, by the part of it that names it; undefined when the key is unknown or revoked. */
export async function findServiceKeyHash(
  { orm }: Pick<Database, 'orm'>,
  named: string,
): Promise<Buffer | undefined> {
  const valid = and(eq(prefix, named), ofService, isNull(revoked_at));
  const [row] = await orm.select({ hash: tokens.hash }).from(tokens).where(valid).limit(1);
  if (row === undefined) return undefined;
  // Nobody waits for it and nobody is told where it fails: an answer matters more than when a key was used.
  touchServiceKey({ orm }, named, systemClock.now()).catch(() => {});
  return Buffer.from(row.hash, 'hex');
}

/** Writes down that a key was used, at most once a minute. */
export async function touchServiceKey(
  { orm }: Pick<Database, 'orm'>,
  named: string,
  now: Date,
): Promise<void> {
  const stale = or(isNull(last_used_at), lt(last_used_at, new Date(now.getTime() - MINUTE)));
  await orm
    .update(tokens)
    .set({ last_used_at: now })
    .where(and(eq(prefix, named), ofService, stale));
}
