/** What makes work on a server impossible although it responds: a standby, a read-only setting, a setting that this role may not fix. */

import { FIXED_IF_ALLOWED } from './session.ts';
import { type Client, escapeIdentifier } from 'pg';

/** What is wrong, with the setting, and the command that fixes it. */
export type Obstacle = { problem: string; advice: string };

/**
 * Settings with other values than work needs, and who set them. Where a role or database sets it, its command resets it.
 * $1 names, $2 values
 */
const SELECT_OBSTACLES = `
SELECT s.name, s.setting, s.source, w.value AS wanted, session_user AS login, current_database() AS database
FROM unnest($1::text[], $2::text[]) AS w (name, value) JOIN pg_settings s USING (name) WHERE s.setting <> w.value`;

type SettingRow = {
  name: string;
  setting: string;
  source: string;
  wanted: string;
  login: string;
  database: string;
};

/** Everything that must be another way before this role can write; empty if nothing. */
export async function findObstacles(client: Client): Promise<Obstacle[]> {
  const { rows: standby } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
  if (standby[0]?.standby === true)
    return [
      {
        problem: 'the server is a standby, which is read-only (pg_is_in_recovery)',
        advice: 'set DATABASE_URL to its primary, or promote it: SELECT pg_promote()',
      },
    ];
  const wanted = { default_transaction_read_only: 'off', ...FIXED_IF_ALLOWED };
  const { rows } = await client.query<SettingRow>(SELECT_OBSTACLES, [
    Object.keys(wanted),
    Object.values(wanted),
  ]);
  return rows.map((row) => ({
    problem: `${row.name} is ${row.setting} (set by: ${row.source}); it must be ${row.wanted}`,
    advice: `to change it: ${composeReset(row)}`,
  }));
}

/** The command for the place in which a setting was set, as `pg_settings.source` names it. */
function composeReset({ name, source, wanted, login, database }: SettingRow): string {
  const [role, base] = [escapeIdentifier(login), escapeIdentifier(database)];
  switch (source) {
    case 'database':
      return `ALTER DATABASE ${base} RESET ${name}`;
    case 'user':
      return `ALTER ROLE ${role} RESET ${name}`;
    case 'database user':
      return `ALTER ROLE ${role} IN DATABASE ${base} RESET ${name}`;
    case 'global':
      return `ALTER ROLE ALL RESET ${name}`;
    case 'client':
      return `remove it from "options" in DATABASE_URL`;
    default:
      return `ALTER SYSTEM SET ${name} = ${wanted}; SELECT pg_reload_conf()`;
  }
}
