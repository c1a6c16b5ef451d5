/** Which server a command is sent to. Read without schemas, because most commands need nothing else of the configuration. */

import { InvalidInput } from '../model/errors.ts';
import { parseUrl, trimEndSlashes } from '../model/links/link.ts';
import {
  DATA_DIR_DEFAULT,
  DATA_DIR_VARIABLE,
  type Env,
  findSetting,
  openConfigFile,
  type Setting,
} from './set-variables.ts';
import path from 'node:path';

export type ServerPlace = {
  /** A server anywhere; undefined: that of the data directory. */
  remote: { url: string; token: string | undefined } | undefined;
  /** Absolute path. */
  dataDir: string;
  /** Whether `DATABASE_URL` is set: then no server owns the data directory. */
  hasDatabaseUrl: boolean;
  /** Whether a configuration file sets anything. Every command then reports the mistakes in the file. */
  hasFile: boolean;
};

/** @throws InvalidInput */
export function readServerPlace(env: Env): ServerPlace {
  const file = openConfigFile(env);
  const find = (name: string, secret?: 'whole') =>
    findSetting({ name, ...(secret === undefined ? {} : { secret }) }, env, file);
  const url = find('STRANDLINE_URL');
  return {
    remote: url === undefined ? undefined : readRemote(url, find('STRANDLINE_TOKEN', 'whole')),
    dataDir: path.resolve(find(DATA_DIR_VARIABLE)?.text ?? DATA_DIR_DEFAULT),
    hasDatabaseUrl: find('DATABASE_URL', 'whole') !== undefined,
    hasFile: file.entries.size > 0,
  };
}

function readRemote(set: Setting, token: Setting | undefined): NonNullable<ServerPlace['remote']> {
  const url = parseUrl(set.text);
  const refuse = (expected: string) => new InvalidInput([{ path: set.where, given: set.text, expected }]);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw refuse('the address of a server, such as https://watch.example');
  if (url.username !== '' || url.password !== '')
    throw new InvalidInput([
      {
        path: set.where,
        given: '(hidden)',
        expected: 'an address without a password; the token is in STRANDLINE_TOKEN',
      },
    ]);
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token.text))
    throw new InvalidInput([{ path: token.where, given: '(hidden)', expected: 'a token: st_...' }]);
  if (token !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname))
    throw refuse('https: others could read the token on its way; plain http is for this machine only');
  return { url: trimEndSlashes(url.href), token: token?.text };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
