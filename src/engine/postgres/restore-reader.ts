/** A role may change its own password and settings, the reader's too: a superuser puts right what it changed. */
import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { READER_CONNECTIONS, READER_SETTINGS } from './reader-role.ts';
import { matchesVerifier, scramVerifier } from './scram.ts';

/** What only a superuser can set, and the role cannot undo. */
const LIMITS: Readonly<Record<string, string>> = { temp_file_limit: '256MB' };

/** Brings password, settings and limits of the reader to what they should be, where they are not. */
export async function restoreReader(client: Client, name: string, password: string): Promise<void> {
  const role = escapeIdentifier(name);
  const { rows } = await client.query<{ verifier: string | null; limit: number }>(
    'SELECT rolpassword AS verifier, rolconnlimit AS limit FROM pg_authid WHERE rolname = $1',
    [name],
  );
  const [now] = rows;
  if (now?.verifier == null || !matchesVerifier(password, now.verifier))
    await client.query(`ALTER ROLE ${role} PASSWORD ${escapeLiteral(scramVerifier(password))}`);
  if (now?.limit !== READER_CONNECTIONS)
    await client.query(`ALTER ROLE ${role} CONNECTION LIMIT ${READER_CONNECTIONS}`);

  const wanted = Object.entries({ ...READER_SETTINGS, ...LIMITS });
  const found = await settingsOf(client, name);
  const everywhere = new Set(found.find(({ database }) => database === null)?.settings);
  if (
    found.every(({ database }) => database === null) &&
    everywhere.size === wanted.length &&
    wanted.every(([setting, value]) => everywhere.has(`${setting}=${value}`))
  )
    return;
  for (const { database } of found)
    await client.query(
      `ALTER ROLE ${role} ${database === null ? '' : `IN DATABASE ${escapeIdentifier(database)}`} RESET ALL`,
    );
  for (const [setting, value] of wanted)
    await client.query(`ALTER ROLE ${role} SET ${setting} = ${escapeLiteral(value)}`);
}

/** What holds for a role: everywhere (no database), and in single databases. */
async function settingsOf(
  client: Client,
  name: string,
): Promise<{ database: string | null; settings: string[] }[]> {
  const { rows } = await client.query<{ database: string | null; settings: string[] }>(
    `SELECT d.datname AS database, s.setconfig AS settings
       FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase
      WHERE r.rolname = $1`,
    [name],
  );
  return rows;
}
