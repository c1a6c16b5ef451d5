import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Client, escapeIdentifier } from 'pg';
import copyStreams from 'pg-copy-streams';
import { Refused } from '../../model/errors.ts';
import { onlyRow } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';
import { readMigrations } from '../db/migrations-folder.ts';
import { MIGRATIONS_TABLE, readState, SCHEMA } from '../db/schema-state.ts';
import { type BackedUpTable, createDigest, type Manifest, tableFile, writeManifest } from './manifest.ts';
import { listTables, openCopySession, type Table } from './backup-tables.ts';

type BackupOptions = {
  url: string;
  /** The folder to create. Must not exist. */
  directory: string;
  version: string;
  now: Date;
  signal?: AbortSignal | undefined;
  onTable?: ((table: BackedUpTable) => void) | undefined;
};

/**
 * Writes a consistent snapshot of the database into a folder: one file per table, and a manifest. Saves continue meanwhile.
 * The folder has a temporary name until it is complete.
 * @throws Refused if there is nothing to back up, or the folder cannot be written
 */
export async function backUp(options: BackupOptions): Promise<Manifest> {
  const { url, signal } = options;
  const directory = path.resolve(options.directory);
  await assertAbsent(directory);
  const client = await openCopySession(url, 'strandline backup');
  const partial = `${directory}.partial-${process.pid}`;
  try {
    const tables = await openSnapshotTransaction(client);
    await mkdir(partial, { mode: 0o700 }); // readable only by the owner, whatever the umask
    const written: BackedUpTable[] = [];
    for (const table of tables) {
      const done = await copyOut(client, table, tableFile(partial, table.name), signal);
      written.push(done);
      options.onTable?.(done);
    }
    const manifest = await describeBackup(client, tables, written, options);
    await writeManifest(partial, manifest);
    signal?.throwIfAborted();
    await assertAbsent(directory);
    await rename(partial, directory);
    await syncDirectory(path.dirname(directory));
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw describeBackupFailure(error, directory);
  } finally {
    await client.end();
  }
}

/**
 * Opens a snapshot transaction. First locks the tables against DDL, such as dropped columns or partitions; rows can still
 * be read and written.
 */
async function openSnapshotTransaction(client: Client): Promise<Table[]> {
  const { state } = await readState(client, await readMigrations());
  if (state === 'empty' || state === 'foreign')
    throw new Refused('not_found', 'nothing to back up: the database has no strandline tables');
  const names = (await listTables(client)).map(({ name }) => `${SCHEMA}.${name}`);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`);
  return listTables(client);
}

async function copyOut(
  client: Client,
  table: Table,
  file: string,
  signal: AbortSignal | undefined,
): Promise<BackedUpTable> {
  const { name, columns, order } = table;
  const rows = client.query(
    copyStreams.to(
      `COPY (SELECT ${columns.map(escapeIdentifier).join(', ')} FROM ${SCHEMA}.${name} ORDER BY ${order.join(', ')}) TO STDOUT`,
    ),
  );
  const digest = createDigest();
  const target = createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true });
  await pipeline(rows, createGzip(), digest.stream, target, { signal });
  return { name, columns, rows: rows.rowCount, ...digest.result() };
}

async function describeBackup(
  client: Client,
  tables: readonly Table[],
  written: BackedUpTable[],
  { version, now }: BackupOptions,
): Promise<Manifest> {
  const { rows } = await client.query<{
    when: string;
    postgres: string;
    first: string | null;
    last: string | null;
  }>(
    `SELECT (SELECT max(created_at) FROM ${SCHEMA}.${MIGRATIONS_TABLE})::text AS "when", current_setting('server_version') AS postgres,
       min(m) AS first, max(m) AS last
     FROM (SELECT replace(right(c.relname, 7), '_', '-') AS m FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind = 'r') months`,
  );
  const facts = onlyRow(rows);
  const when = Number(facts.when);
  const known = (await readMigrations()).find((migration) => migration.when === when);
  return {
    format: 'strandline backup 1',
    created_at: now.toISOString(),
    strandline: version,
    postgres: facts.postgres,
    migration: { name: known?.name ?? 'unknown here', when },
    months: facts.first === null || facts.last === null ? null : [facts.first, facts.last],
    tables: written,
    next: await readSequences(client, tables),
  };
}

/** Sequences are not transactional: read after the rows, their values are beyond all of them. */
async function readSequences(client: Client, tables: readonly Table[]): Promise<Record<string, string>> {
  const next: Record<string, string> = {};
  for (const { name, identities } of tables) {
    for (const column of identities) {
      const { rows: named } = await execute<{ sequence: string }>(
        client,
        statement`SELECT pg_get_serial_sequence(${`${SCHEMA}.${name}`}, ${column}) AS sequence`,
      );
      const { rows } = await client.query<{ next: string }>(
        `SELECT (last_value + is_called::int)::text AS next FROM ${named[0]?.sequence}`,
      );
      next[`${name}.${column}`] = rows[0]?.next ?? '1';
    }
  }
  return next;
}

async function assertAbsent(directory: string): Promise<void> {
  const existing = await stat(directory).catch(() => undefined);
  if (existing !== undefined)
    throw new Refused('conflict', `${directory} already exists; name a new folder for the backup`);
}

/** A rename survives a power failure only if the parent folder is synced. */
async function syncDirectory(parent: string): Promise<void> {
  const handle = await open(parent).catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

function describeBackupFailure(error: unknown, directory: string): unknown {
  const isOfFiles = error instanceof Error && 'code' in error && 'syscall' in error && 'path' in error;
  if (!isOfFiles) return error;
  if (error.code === 'ENOENT' && error.syscall === 'mkdir')
    return new Refused('unavailable', `the folder ${path.dirname(directory)} does not exist`);
  return new Refused('unavailable', `cannot write the backup to ${directory}: ${error.message}`);
}
