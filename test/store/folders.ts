import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { LAST_SQUASHED, MIGRATIONS_FOLDER } from '../../src/store/db/migrations-folder.ts';

/**
 * Migrations of a test, in the order given; a statement per entry of each list.
 * @param views the contract's version, and what each view selects
 */
export async function migrationsFolder(
  migrations: Readonly<Record<string, readonly string[]>>,
  views?: { version: string; select: Readonly<Record<string, string>> },
): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strandline-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const entries = Object.keys(migrations).map((tag, idx) => ({
    idx,
    version: '7',
    when: LAST_SQUASHED.when + 1 + idx,
    tag,
    breakpoints: true,
  }));
  await mkdir(path.join(folder, 'meta'));
  await writeFile(path.join(folder, 'meta', '_journal.json'), JSON.stringify({ version: '7', entries }));
  for (const [tag, statements] of Object.entries(migrations))
    await writeFile(path.join(folder, `${tag}.sql`), statements.join('\n--> statement-breakpoint\n'));
  if (views === undefined) return folder;
  await mkdir(path.join(folder, 'views'));
  const version = `COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version ${views.version}';\n`;
  for (const [index, [name, select]] of Object.entries(views.select).entries())
    await writeFile(
      path.join(folder, 'views', `${name}.sql`),
      `${index === 0 ? version : ''}CREATE OR REPLACE VIEW strandline_analytics.${name} AS ${select};\n`,
    );
  return folder;
}

/** The program's migrations before one whose name begins like this, without views. */
export async function migrationsUntil(last: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strandline-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  await rm(path.join(folder, 'views'), { recursive: true });
  const file = path.join(folder, 'meta', '_journal.json');
  const journal: { entries: { tag: string }[] } = JSON.parse(await readFile(file, 'utf8'));
  const entries = journal.entries.filter(({ tag }) => tag < last);
  await writeFile(file, JSON.stringify({ ...journal, entries }));
  return folder;
}
