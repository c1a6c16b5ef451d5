import { type DatabaseAccess, openDatabaseAccess } from '../app/database-access.ts';
import { VERSION } from '../config/version.ts';
import { readSealedSecrets } from '../monitor/alerts/channel-secrets.ts';
import { systemClock } from '../platform/clock.ts';
import { backUp } from '../store/backup/backup.ts';
import type { BackedUpTable, Manifest } from '../store/backup/manifest.ts';
import { restore } from '../store/backup/restore.ts';
import { openDatabase } from '../store/db/database.ts';
import { describeDatabase } from '../store/db/migrate.ts';
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
      'Writes a consistent copy of the database to a new folder. Running workers continue. See also: restore.',
    )
    .argument('<folder>', 'the folder to create')
    .option('--json', 'print what was written as JSON')
    .addHelpText('after', '\nExample:\n  $ strandline backup /backups/2026-11-21\n')
    .action((folder: string, { json }: { json?: boolean }) =>
      withDatabase(cli, async ({ url }, signal) => {
        const manifest = await reportInterruption(cli, signal, () =>
          showProgress(cli, (onTable) =>
            backUp({ url, directory: folder, version: VERSION, now: systemClock.now(), signal, onTable }),
          ),
        );
        await printManifest(cli, json, folder, manifest);
        cli.say(
          `Backed up ${describeTotal(manifest, cli.page)} of ${describeDatabase(url)} to ${oneLine(path.resolve(folder))}`,
        );
      }),
    );
}

export function registerRestore(command: Command, cli: Cli): void {
  command
    .description(
      'Loads a backup into an empty database: a new STRANDLINE_DATA_DIR, or the one in DATABASE_URL. If it fails, ' +
        'the database stays empty.',
    )
    .argument('<folder>', 'the folder that `strandline backup` wrote')
    .option('--json', 'print what was loaded as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ STRANDLINE_DATA_DIR=.strandline-new strandline restore /backups/2026-11-21\n',
    )
    .action((folder: string, { json }: { json?: boolean }) =>
      withDatabase(cli, async ({ url, readerUrl }, signal) => {
        const { manifest, notes } = await reportInterruption(cli, signal, () =>
          showProgress(cli, (onTable) =>
            restore({
              url,
              kind: cli.page.kind,
              readerUrl: readerUrl() ?? undefined,
              directory: folder,
              log: cli.log(),
              signal,
              onTable,
            }),
          ),
        );
        for (const note of notes) cli.say(`note: ${oneLine(note)}`);
        await printManifest(cli, json, folder, manifest);
        cli.say(
          `Restored ${describeTotal(manifest, cli.page)}, backed up at ${manifest.created_at}, to ${describeDatabase(url)}`,
        );
        await warnAboutSealedSecrets(cli, url);
      }),
    );
}

/** A backup does not contain the master key, and channels cannot send without it. */
async function warnAboutSealedSecrets(cli: Cli, url: string): Promise<void> {
  const db = openDatabase(url, { log: cli.log(), name: 'strandline restore' });
  try {
    const sealed = await readSealedSecrets(db);
    if (sealed.channels > 0) cli.say(`${describeSealedSecrets(sealed)}: ${MASTER_KEY_ADVICE}`);
  } finally {
    await db.close();
  }
}

/** Reports Ctrl-C instead of the error it caused. */
async function reportInterruption<T>(cli: Cli, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted) throw error;
    cli.say('Stopped. Partial data was removed.');
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

/** On a terminal, one line that names the table that was done last. */
function showProgress<T>(
  { page, io }: Cli,
  work: (onTable: (table: BackedUpTable) => void) => Promise<T>,
): Promise<T> {
  if (!page.live) return work(() => {});
  const print = (text: string) =>
    void io.stderr.write(`\r${text.slice(0, page.width - 1).padEnd(page.width - 1)}`);
  let tables = 0;
  return work(({ name }) => {
    tables += 1;
    print(`${formatQuantity(tables, 'table')}: ${name}`);
  }).finally(() => {
    print('');
    io.stderr.write('\r');
  });
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
 * Opens only the database, without migrating it and without a queue, and closes it after `work`.
 * @throws the signal's reason if Ctrl-C ended the work
 */
async function withDatabase<T>(
  cli: Cli,
  work: (database: DatabaseAccess, stopping: AbortSignal) => Promise<T>,
): Promise<T> {
  const database = await openDatabaseAccess({
    config: cli.config(),
    log: cli.log(),
    role: 'guest',
    kind: cli.page.kind,
  });
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
