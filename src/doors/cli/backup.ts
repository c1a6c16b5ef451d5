import type { Command } from 'commander';
import path from 'node:path';
import { systemClock } from '../../engine/clock.ts';
import { readSealed } from '../../monitor/tell/sealed.ts';
import { backUp } from '../../store/backup/backup.ts';
import type { BackedUpTable, Manifest } from '../../store/backup/manifest.ts';
import { restore } from '../../store/backup/restore.ts';
import { openDatabase } from '../../store/database.ts';
import { describeDatabase } from '../../store/migrate.ts';
import { VERSION } from '../../version.ts';
import { BRING_KEY, sealedWords } from './checks-of-secrets.ts';
import { type Cli, Interrupted } from './cli.ts';
import type { Page } from './page.ts';
import { oneLine } from './text.ts';
import { withDatabase } from './with-database.ts';
import { bytes, counted } from './words.ts';

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
        const manifest = await unlessStopped(cli, signal, () =>
          backUp({
            url,
            directory: folder,
            version: VERSION,
            now: systemClock.now(),
            signal,
            onTable: (table) => cli.say(lineOf(table, cli.page)),
          }),
        );
        await show(cli, json, folder, manifest);
        cli.say(
          `${total(manifest, cli.page)} of ${describeDatabase(url)} are in ${oneLine(path.resolve(folder))}`,
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
        const { manifest, notes } = await unlessStopped(cli, signal, () =>
          restore({
            url,
            readerUrl: readerUrl() ?? undefined,
            directory: folder,
            log: cli.log(),
            signal,
            onTable: (table) => cli.say(lineOf(table, cli.page)),
          }),
        );
        for (const note of notes) cli.say(`note: ${oneLine(note)}`);
        await show(cli, json, folder, manifest);
        cli.say(`${total(manifest, cli.page)}, from ${manifest.created_at}, are in ${describeDatabase(url)}`);
        await tellSealed(cli, url);
      }),
    );
}

/** A backup has no master key: without it nothing is told to its channels. */
async function tellSealed(cli: Cli, url: string): Promise<void> {
  const db = openDatabase(url, { log: cli.log(), name: 'strandline restore' });
  try {
    const sealed = await readSealed(db);
    if (sealed.channels > 0) cli.say(`${sealedWords(sealed)}: ${BRING_KEY}`);
  } finally {
    await db.close();
  }
}

/** Ctrl-C is told as such, not as what it broke. */
async function unlessStopped<T>(cli: Cli, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted) throw error;
    cli.say('stopped: nothing is left of it');
    throw new Interrupted();
  }
}

async function show(cli: Cli, json: boolean | undefined, folder: string, manifest: Manifest): Promise<void> {
  const { created_at, migration, tables } = manifest;
  const shown = tables.map(({ name, rows, bytes: size }) => ({ table: name, rows, bytes: size }));
  await cli.show(
    json,
    { folder: path.resolve(folder), created_at, migration: migration.name, tables: shown },
    () => [],
  );
}

function lineOf({ name, rows, bytes: size }: BackedUpTable, page: Page): string {
  return `${name}: ${counted(rows, 'row')}, ${bytes(size, page)}`;
}

function total({ tables }: Manifest, page: Page): string {
  const sum = (of: (table: BackedUpTable) => number) => tables.reduce((n, table) => n + of(table), 0);
  const rows = counted(
    sum(({ rows: n }) => n),
    'row',
  );
  return `${rows} of ${counted(tables.length, 'table')} (${bytes(
    sum(({ bytes: n }) => n),
    page,
  )})`;
}
