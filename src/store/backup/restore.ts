import { execute, statement } from '../db/statement.ts';
import { formatCount } from '../../lib/display-format.ts';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Client, escapeIdentifier } from 'pg';
import copyStreams from 'pg-copy-streams';
import type { Logger } from '../../platform/logger.ts';
import type { DatabaseKind } from '../../model/database-kind.ts';
import { readErrorCode, Refused } from '../../model/errors.ts';
import { applyMigrations, assertServer, describeDatabase, lockMigrations, migrate } from '../db/migrate.ts';
import { LAST_SQUASHED, type Migration, readMigrations } from '../db/migrations-folder.ts';
import { assertKind, readState, SCHEMA } from '../db/schema-state.ts';
import { type BackedUpTable, createDigest, type Manifest, readManifest, tableFile } from './manifest.ts';
import { listTables, openCopySession, type Table } from './backup-tables.ts';

type RestoreOptions = {
  url: string;
  /** Kind of the database; a backup of the other kind is refused. Default: real. */
  kind?: DatabaseKind | undefined;
  readerUrl?: string | undefined;
  directory: string;
  log: Logger;
  signal?: AbortSignal | undefined;
  onTable?: ((table: BackedUpTable) => void) | undefined;
  /** For tests: other migrations. */
  folder?: string | undefined;
};

/**
 * Loads a backup into an empty database: creates the tables of its version and loads all rows in one transaction,
 * then applies later migrations. If anything fails before that transaction commits, the database stays empty.
 * @throws Refused if the backup is incomplete or made by a newer strandline, or the database is not empty
 */
export async function restore(options: RestoreOptions): Promise<{ manifest: Manifest; notes: string[] }> {
  const { url, kind = 'real', readerUrl, log, signal, folder } = options;
  const directory = path.resolve(options.directory);
  const manifest = await readManifest(directory);
  const migrations = selectMigrations(manifest, await readMigrations(folder));
  await verifyFiles(directory, manifest, signal);
  const client = await openCopySession(url, 'strandline restore');
  try {
    await assertServer(client);
    await lockMigrations(client, log);
    await assertEmpty(client, url, folder);
    // Loaded events were counted when they happened: see the triggers of 0000_tables.
    await client.query(`BEGIN; SET LOCAL strandline.restoring = 'on'`);
    await applyMigrations(client, migrations);
    await loadTables(client, directory, manifest, options);
    await detachFromOriginal(client);
    await assertKind(client, kind, describeDatabase(url));
    await client.query('COMMIT');
    for (const { name } of manifest.tables) await client.query(`ANALYZE ${SCHEMA}.${name}`);
  } finally {
    // Also ends an open transaction.
    await client.end();
  }
  const { notes } = await migrate({ url, kind, readerUrl, log, folder });
  return { manifest, notes };
}

function selectMigrations({ migration, strandline }: Manifest, known: readonly Migration[]): Migration[] {
  const { when, name } = migration;
  if (when < LAST_SQUASHED.when)
    throw new Refused(
      'conflict',
      `the backup is too old for this strandline (migration ${name}). Restore it with the last release whose newest ` +
        `migration is ${LAST_SQUASHED.name}, then run strandline migrate of this version on that database`,
    );
  // Backups made just before `0000_tables` have the same tables.
  const last = when === LAST_SQUASHED.when ? known[0]?.when : when;
  if (!known.some((candidate) => candidate.when === last))
    throw new Refused(
      'conflict',
      `the backup was created by a newer strandline (${strandline}, migration ${name}). Restore it with that version`,
    );
  return known.filter((candidate) => candidate.when <= (last ?? 0));
}

/** Verifies all bytes before loading any. */
async function verifyFiles(
  directory: string,
  { tables }: Manifest,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { name, sha256 } of tables) {
    const file = tableFile(directory, name);
    const digest = createDigest();
    digest.stream.resume();
    await pipeline(createReadStream(file), digest.stream, { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      const why = readErrorCode(error) ?? String(error);
      throw new Refused('conflict', `the backup is incomplete: cannot read ${file} (${why})`);
    });
    if (digest.result().sha256 !== sha256)
      throw new Refused('conflict', `the backup is damaged: the checksum of ${file} does not match`);
  }
}

async function assertEmpty(client: Client, url: string, folder: string | undefined): Promise<void> {
  const { state } = await readState(client, await readMigrations(folder));
  if (state === 'empty') return;
  throw new Refused(
    'conflict',
    `the database ${describeDatabase(url)} is not empty. Restore requires an empty database: ` +
      'set a new folder in STRANDLINE_DATA_DIR, or a new database in DATABASE_URL',
  );
}

async function loadTables(
  client: Client,
  directory: string,
  manifest: Manifest,
  { signal, onTable }: RestoreOptions,
): Promise<void> {
  const tables = await listTables(client);
  assertSame(tables, manifest);
  // Deletes rows created by migrations, which the backup contains too. CASCADE, because tables excluded from backups
  // may refer to them.
  await client.query(`TRUNCATE ${tables.map(({ name }) => `${SCHEMA}.${name}`).join(', ')} CASCADE`);
  if (manifest.months !== null) {
    const [first, last] = manifest.months;
    await execute(
      client,
      statement`SELECT strandline.ensure_snapshot_partitions(${`${first}-01T00:00:00Z`}, ${`${last}-01T00:00:00Z`})`,
    );
  }
  for (const table of tables) {
    const kept = manifest.tables.find(({ name }) => name === table.name);
    if (kept === undefined) continue;
    await copyIn(client, kept, tableFile(directory, kept.name), signal);
    onTable?.(kept);
  }
  for (const [where, next] of Object.entries(manifest.next)) {
    const [table = '', column = ''] = where.split('.');
    await execute(
      client,
      statement`SELECT setval(pg_get_serial_sequence(${`${SCHEMA}.${table}`}, ${column}), ${next}::bigint, false)`,
    );
  }
}

function assertSame(tables: readonly Table[], manifest: Manifest): void {
  const has = (list: readonly { name: string }[], name: string) => list.some((item) => item.name === name);
  const lacking = tables.find(({ name }) => !has(manifest.tables, name));
  const beyond = manifest.tables.find(({ name }) => !has(tables, name));
  const odd = lacking ?? beyond;
  if (odd === undefined) return;
  const where = lacking === undefined ? 'holds a table that its schema has not' : 'lacks a table';
  throw new Refused('conflict', `the backup is incomplete: it ${where}: ${odd.name}`);
}

async function copyIn(
  client: Client,
  { name, columns, rows }: BackedUpTable,
  file: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const target = client.query(
    copyStreams.from(`COPY ${SCHEMA}.${name} (${columns.map(escapeIdentifier).join(', ')}) FROM STDIN`),
  );
  await pipeline(createReadStream(file), createGunzip(), target, { signal });
  if (target.rowCount !== rows)
    throw new Refused(
      'conflict',
      `the backup is damaged: ${file} contains ${target.rowCount} of ${formatCount(rows, 'row')}`,
    );
}

/**
 * Deletes what belongs to the processes of the original: its instance name, so that the restored database does not take the
 * jobs of the original from a shared Redis; its workers; and its leases, so that the scan enqueues runs that were in progress.
 */
async function detachFromOriginal(client: Client): Promise<void> {
  await client.query(`DELETE FROM ${SCHEMA}.facts WHERE name = 'instance'`);
  await client.query(`DELETE FROM ${SCHEMA}.workers`);
  await client.query(
    `UPDATE ${SCHEMA}.runs SET lease_until = least(lease_until, clock_timestamp()) WHERE status = 'running'`,
  );
}
