import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { LAST_SQUASHED } from '../../src/store/db/migrations-folder.ts';

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
