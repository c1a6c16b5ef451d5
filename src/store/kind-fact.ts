/** The kind of a database: a fact that its first migration writes. */
import type { Client } from 'pg';
import { type DatabaseKind, DATABASE_KINDS } from '../domain/database-kind.ts';
import { Refused } from '../domain/errors.ts';

/** Databases from before there were kinds are real. @returns null for a database without our tables */
async function readKind(client: Client): Promise<DatabaseKind | null> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('strandline.facts') IS NOT NULL AS exists`,
  );
  if (found[0]?.exists !== true) return null;
  const { rows } = await client.query<{ value: string }>(
    `SELECT value FROM strandline.facts WHERE name = 'kind'`,
  );
  const written = rows[0]?.value ?? 'real';
  return DATABASE_KINDS.find((kind) => kind === written) ?? 'real';
}

const WORDS: Readonly<Record<DatabaseKind, string>> = {
  real: 'has real data, so it cannot be the sandbox. Set SANDBOX_DATABASE_URL to a database of its own, or unset it.',
  sandbox: 'is the sandbox, whose data is simulated. Set DATABASE_URL to another database.',
};

/** @param where names the database in the message @throws Refused `conflict` for a database of the other kind */
export async function assertKind(client: Client, kind: DatabaseKind, where: string): Promise<void> {
  const found = await readKind(client);
  if (found !== null && found !== kind)
    throw new Refused('conflict', `The database ${where} ${WORDS[found]}`);
}

/** Which kind a new database becomes: for its migration, which marks it, in the same transaction. */
export async function announceKind(client: Client, kind: DatabaseKind): Promise<void> {
  await client.query(`SELECT set_config('strandline.kind', $1, true)`, [kind]);
}
