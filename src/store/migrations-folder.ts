import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** One migration as drizzle-kit keeps it: `when` is its identity, in milliseconds, and its order. */
export type Migration = Readonly<{ name: string; when: number; hash: string; statements: readonly string[] }>;

const journal = z.object({ entries: z.array(z.object({ when: z.number(), tag: z.string() })) });

/** `migrations/` of the package; two folders above both src/store and dist/store. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/** All migrations that this program knows, oldest first; none where the folder has no journal yet. */
export async function readMigrations(folder: string = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const text = await readFile(path.join(folder, 'meta', '_journal.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  const { entries } = journal.parse(JSON.parse(text));
  const migrations = await Promise.all(entries.map(({ when, tag }) => readMigration(folder, when, tag)));
  return migrations.sort((a, b) => a.when - b.when);
}

async function readMigration(folder: string, when: number, tag: string): Promise<Migration> {
  const text = await readFile(path.join(folder, `${tag}.sql`), 'utf8');
  return {
    name: tag,
    when,
    hash: createHash('sha256').update(text).digest('hex'),
    statements: text.split('--> statement-breakpoint'),
  };
}
