import { type DatabaseAccess, openDatabaseAccess } from '../app/program.ts';
import { VERSION } from '../config/version.ts';
import { readSealedSecrets } from '../monitor/alerts/channel-secrets.ts';
import { systemClock } from '../platform/clock.ts';
import { backUp } from '../store/backup/backup.ts';
import type { BackedUpTable, Manifest } from '../store/backup/manifest.ts';
import { restore } from '../store/backup/restore.ts';
import { openDatabase } from '../store/database.ts';
import { describeDatabase } from '../store/migrate.ts';
import { type Cli, Interrupted } from './command-context.ts';
import { describeSealedSecrets, MASTER_KEY_ADVICE } from './master-key-check.ts';
import { listenForShutdown } from './process-exit.ts';
import type { TerminalPage } from './terminal-io.ts';
import { oneLine } from './terminal-text.ts';
import { formatBytes, formatQuantity } from './value-formatting.ts';
import type { Command } from 'commander';
import path from 'node:path';

export function registerBackup(command: Command, cli: Cli): void {
  command
    .description(
      'Writes the database as it is at this moment into a new folder. Whatever runs goes on. See also: restore.',
    )
    .argument('<folder>', 'the folder to make')
    .option('--json', 'print what was written as JSON')
    .addHelpText('after', '\nExample:\n  $ strandline backup /backups/2026-11-21\n')
    .action((folder: string, { json }: { json?: boolean }) =>
      withDatabase(cli, async ({ url }, signal) => {
        const manifest = await reportInterruption(cli, signal, () =>
          backUp({
            url,
            directory: folder,
            version: VERSION,
            now: systemClock.now(),
            signal,
            onTable: (table) => cli.say(describeBackedUpTable(table, cli.page)),
          }),
        );
        await printManifest(cli, json, folder, manifest);
        cli.say(
          `${describeTotal(manifest, cli.page)} of ${describeDatabase(url)} are in ${oneLine(path.resolve(folder))}`,
        );
      }),
    );
}

export function registerRestore(command: Command, cli: Cli): void {
  command
    .description(
      'Loads a backup into an empty database: a new STRANDLINE_DATA_DIR, or the database that DATABASE_URL names. ' +
        'It is whole afterwards, or as empty as before.',
    )
    .argument('<folder>', 'what `strandline backup` wrote')
    .option('--json', 'print what was loaded as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ STRANDLINE_DATA_DIR=.strandline-new strandline restore /backups/2026-11-21\n',
    )
    .action((folder: string, { json }: { json?: boolean }) =>
      withDatabase(cli, async ({ url, readerUrl }, signal) => {
        const { manifest, notes } = await reportInterruption(cli, signal, () =>
          restore({
            url,
            readerUrl: readerUrl() ?? undefined,
            directory: folder,
            log: cli.log(),
            signal,
            onTable: (table) => cli.say(describeBackedUpTable(table, cli.page)),
          }),
        );
        for (const note of notes) cli.say(`note: ${oneLine(note)}`);
        await printManifest(cli, json, folder, manifest);
        cli.say(
          `${describeTotal(manifest, cli.page)}, from ${manifest.created_at}, are in ${describeDatabase(url)}`,
        );
        await warnAboutSealedSecrets(cli, url);
      }),
    );
}

/** A backup has no master key: without it no message is sent to its channels. */
async function warnAboutSealedSecrets(cli: Cli, url: string): Promise<void> {
  const db = openDatabase(url, { log: cli.log(), name: 'strandline restore' });
  try {
    const sealed = await readSealedSecrets(db);
    if (sealed.channels > 0) cli.say(`${describeSealedSecrets(sealed)}: ${MASTER_KEY_ADVICE}`);
  } finally {
    await db.close();
  }
}

/** Reports Ctrl-C as such, not as the error that it caused. */
async function reportInterruption<T>(cli: Cli, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted) throw error;
    cli.say('stopped: nothing is left of it');
    throw new Interrupted();
  }
}

async function printManifest(
  cli: Cli,
  json: boolean | undefined,
  folder: string,
  manifest: Manifest,
): Promise<void> {
  const { created_at, migration, tables } = manifest;
  const shown = tables.map(({ name, rows, bytes: size }) => ({ table: name, rows, bytes: size }));
  await cli.show(
    json,
    { folder: path.resolve(folder), created_at, migration: migration.name, tables: shown },
    () => [],
  );
}

function describeBackedUpTable({ name, rows, bytes: size }: BackedUpTable, page: TerminalPage): string {
  return `${name}: ${formatQuantity(rows, 'row')}, ${formatBytes(size, page)}`;
}

function describeTotal({ tables }: Manifest, page: TerminalPage): string {
  const sum = (of: (table: BackedUpTable) => number) => tables.reduce((n, table) => n + of(table), 0);
  const rows = formatQuantity(
    sum(({ rows: n }) => n),
    'row',
  );
  return `${rows} of ${formatQuantity(tables.length, 'table')} (${formatBytes(
    sum(({ bytes: n }) => n),
    page,
  )})`;
}

/**
 * Opens the database alone, unmigrated and without a queue, and closes it after `work`.
 * @throws the signal's reason where Ctrl-C ended the work
 */
export async function withDatabase<T>(
  cli: Cli,
  work: (database: DatabaseAccess, stopping: AbortSignal) => Promise<T>,
): Promise<T> {
  const database = await openDatabaseAccess({ config: cli.config(), log: cli.log(), role: 'guest' });
  const stopping = new AbortController();
  const ending = listenForShutdown();
  void ending.requested.then(() => stopping.abort());
  for (const note of database.notes) cli.say(`note: ${oneLine(note)}`);
  try {
    return await work(database, stopping.signal);
  } finally {
    ending.release();
    await database.close();
  }
}
