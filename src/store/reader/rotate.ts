/** The reader's password, replaced: in the embedded Postgres with its file, in one of your own as far as our role may. */
import { randomBytes } from 'node:crypto';
import { escapeIdentifier, escapeLiteral } from 'pg';
import type { Clock } from '../../engine/clock.ts';
import { codeOf } from '../../engine/postgres/connect.ts';
import { scramVerifier } from '../../engine/postgres/scram.ts';
import { Refused } from '../../errors.ts';
import { type Actor, recordAudit } from '../audit.ts';
import { type Database, inTransaction } from '../database.ts';
import { READER } from './prepare.ts';

/**
 * @param at.url of our own role in this database
 * @param at.readerUrl of the reader; null where nobody named one: it is the role {@link READER} then
 * @param at.embedded undefined where the Postgres is one of your own
 * @returns the reader's new address, with its password
 * @throws Refused `unavailable` where our role may not change the reader's
 */
export async function rotateReader(
  { db, ...by }: { db: Database; clock: Clock; actor: Actor },
  at: { url: string; readerUrl: string | null; embedded: { rotateReader(): Promise<string> } | null },
): Promise<string> {
  const address = new URL(at.readerUrl ?? at.url);
  if (at.readerUrl === null) address.username = READER;
  const name = decodeURIComponent(address.username);
  address.password = randomBytes(32).toString('base64url');
  return inTransaction(db, async (tx) => {
    await recordAudit(tx, by, { action: 'reader.rotated', subject: name });
    // Of another database and of files: done last, so that there is no entry where it fails.
    if (at.embedded !== null) return at.embedded.rotateReader();
    const verifier = escapeLiteral(scramVerifier(address.password));
    await tx
      .query(`ALTER ROLE ${escapeIdentifier(name)} PASSWORD ${verifier}`)
      .catch((error: unknown) => Promise.reject(inWords(error, name)));
    return address.href;
  });
}

function inWords(error: unknown, name: string): unknown {
  const code = codeOf(error);
  if (code === '42704')
    return new Refused('not_found', `role ${name} does not exist; run \`strandline migrate\``);
  if (code !== '42501') return error;
  return new Refused(
    'unavailable',
    `this Postgres' role may not change ${name}; whoever administers it can run: ALTER ROLE ${escapeIdentifier(name)} PASSWORD '...'; and then set DATABASE_READER_URL`,
  );
}
