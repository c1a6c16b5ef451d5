/**
 * The variables of this shell beside those of the server that owns the data directory. A server acts by its own, so a variable
 * that is set in the shell alone has no effect: `config show`, `status` and `doctor` say so. Loads no schema.
 */
import { findSetting, openConfigFile } from '../config/set-variables.ts';
import type { Cli } from './command-context.ts';
import { findOwnServer, type ServerSetting } from './running-server.ts';
import { createHmac } from 'node:crypto';

/** A variable of the server that has another value in this shell. `isSet`: somebody set it here, to no effect. */
type Difference = { name: string; isSet: boolean };

/** @returns empty without a server */
export async function compareSettings(cli: Pick<Cli, 'io'>): Promise<Difference[]> {
  const server = await findOwnServer(cli.io.env);
  if (server === undefined) return [];
  const file = openConfigFile(cli.io.env);
  return server.settings.flatMap(({ name, secret, isOfShell, used, standard }) => {
    if (isOfShell) return [];
    const named = secret ? ({ name, secret: 'whole' } as const) : { name };
    const set = findSetting(named, cli.io.env, file);
    const own = set === undefined ? standard : digestSetting(server.key, set.text);
    return own === used ? [] : [{ name, isSet: set !== undefined }];
  });
}

/** Variables that somebody set in the shell, to no effect. @returns their names */
export async function listIneffective(cli: Pick<Cli, 'io'>): Promise<string[]> {
  return (await compareSettings(cli)).flatMap(({ name, isSet }) => (isSet ? [name] : []));
}

/** With it, secrets can be compared and not read. */
export function digestSetting(key: string, text: string): ServerSetting['used'] {
  return createHmac('sha256', key).update(text).digest('base64url');
}
