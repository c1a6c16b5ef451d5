import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { giveTo } from './files.ts';
import type { Home } from './home.ts';

/** What a setting of postgresql.conf may be changed to for a purpose, such as tests without fsync. */
export type Settings = Readonly<Record<string, string>>;

/**
 * The settings we stand by. Loopback only and no socket in a shared place: whoever can read the password
 * file may connect, nobody else. No statement and no value gets into the log: both can hold secrets.
 */
const OURS: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  password_encryption: 'scram-sha-256',
  max_connections: '100',
  shared_buffers: '128MB',
  synchronous_commit: 'on',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A statement whose process was killed ends within this time, also in the middle of its work.
  ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '10s' }),
  // One file per weekday, written over after a week.
  logging_collector: 'on',
  log_directory: '../log',
  log_filename: 'postgres-%a.log',
  log_truncate_on_rotation: 'on',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_line_prefix: '%m [%p] %a ',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
};

const FILE = 'strandline.conf';

/** Writes our settings beside Postgres' own file, which includes them last, so that ours win. */
export async function writeSettings(home: Home, changed: Settings = {}): Promise<void> {
  const lines = Object.entries({ ...OURS, ...changed }).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`,
  );
  const text = ['# Written by strandline at every start; changes here are lost.', ...lines, ''].join('\n');
  const file = path.join(home.data, FILE);
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return;
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, text, { mode: 0o600 });
  await giveTo(home.account, partial);
  await rename(partial, file);
}

/** The line in Postgres' own file that brings ours in. */
export const INCLUDE = `\ninclude_if_exists = '${FILE}'\n`;
