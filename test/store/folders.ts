import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { MIGRATIONS_FOLDER } from '../../src/store/migrations-folder.ts';

/** Migrations of a test's own, in the order given; a statement per entry of each list. */
export async function migrationsFolder(
  migrations: Readonly<Record<string, readonly string[]>>,
): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strandline-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const entries = Object.keys(migrations).map((tag, idx) => ({
    idx,
    version: '7',
    when: 1_000 + idx,
    tag,
    breakpoints: true,
  }));
  await mkdir(path.join(folder, 'meta'));
  await writeFile(path.join(folder, 'meta', '_journal.json'), JSON.stringify({ version: '7', entries }));
  for (const [tag, statements] of Object.entries(migrations))
    await writeFile(path.join(folder, `${tag}.sql`), statements.join('\n--> statement-breakpoint\n'));
  return folder;
}

/** The program's own migrations as they were when `tag` was the newest. */
export async function migrationsUpTo(tag: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strandline-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  const file = path.join(folder, 'meta', '_journal.json');
  const journal: { entries: { tag: string }[] } = JSON.parse(await readFile(file, 'utf8'));
  const last = journal.entries.findIndex((one) => one.tag === tag);
  await writeFile(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, last + 1) }));
  return folder;
}
