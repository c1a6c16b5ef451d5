import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { DatabaseKind } from '../../model/database-kind.ts';

/** A migration of drizzle-kit: `when`, in milliseconds, is its identity and order. */
export type Migration = Readonly<{
  name: string;
  when: number;
  hash: string;
  statements: readonly string[];
  /** What drops columns that older views read: executed once all views are applied. */
  afterViews: readonly string[];
}>;

/** Begins the part of a file that is executed after the views. */
const AFTER_VIEWS = /^-- after views\b.*$/m;

const journal = z.object({ entries: z.array(z.object({ when: z.number(), tag: z.string() })) });

/** The file of a view of the SQL contract, or of the function that sums engagement; see {@link writeView}. */
export type View = Readonly<{ name: string; text: string }>;
/** The views in dependency order, and the contract version: major and minor. */
export type Views = Readonly<{ version: readonly [number, number]; files: readonly View[] }>;

/**
 * The last of the 42 migrations that `0000_tables` replaced. A database at this migration has the tables of `0000_tables`
 * and the views of contract 1.13.
 */
export const LAST_SQUASHED = { name: '0041_derivations_set_aside', when: 1_795_374_098_631 } as const;

/** `migrations/` of the package, two folders above src/store and dist/store. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** All migrations of this program, oldest first; empty if the folder has no journal. */
export async function readMigrations(folder: string = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const text = await readFile(path.join(folder, 'meta', '_journal.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  const { entries } = journal.parse(JSON.parse(text));
  const migrations = await Promise.all(entries.map(({ when, tag }) => readMigration(folder, when, tag)));
  return migrations.sort((a, b) => a.when - b.when);
}

async function readMigration(folder: string, when: number, tag: string): Promise<Migration> {
  const text = await readFile(path.join(folder, `${tag}.sql`), 'utf8');
  const [before = '', after = ''] = text.split(AFTER_VIEWS);
  return {
    name: tag,
    when,
    hash: createHash('sha256').update(text).digest('hex'),
    statements: splitStatements(before),
    afterViews: splitStatements(after),
  };
}

function splitStatements(text: string): string[] {
  return text.split('--> statement-breakpoint').filter((statement) => statement.trim() !== '');
}

/** One text of several, each of which may end in a comment. */
export function joinStatements(statements: readonly string[]): string {
  return statements.join('\n;\n');
}

/**
 * The views of the migrations folder; undefined if it has no `views/`.
 * @throws Error if a file does not create the view in its name, the version is missing, or views are circular
 */
export async function readViews(folder: string = MIGRATIONS_FOLDER): Promise<Views | undefined> {
  const directory = path.join(folder, 'views');
  const names = await readdir(directory).catch(() => undefined);
  if (names === undefined) return undefined;
  const files = await Promise.all(
    names.toSorted().map(async (file) => ({
      name: path.basename(file, '.sql'),
      text: await readFile(path.join(directory, file), 'utf8'),
    })),
  );
  const versions = files.flatMap(({ text }) => [...text.matchAll(VERSION)]);
  const [, major, minor] = versions[0] ?? [];
  if (versions.length !== 1)
    throw new Error(`expected one contract version in ${directory}, found ${versions.length}`);
  return { version: [Number(major), Number(minor)], files: inOrder(files) };
}

/** The statements of a file for a database of this kind. */
export function writeView({ text }: View, kind: DatabaseKind): string {
  return text.replaceAll(/(?<!:):simulated\b/g, String(kind === 'sandbox'));
}

const VERSION =
  /^COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version (\d+)\.(\d+)';$/gm;

/** Sorts views by dependency. */
function inOrder(files: readonly View[]): View[] {
  const placed: View[] = [];
  let rest = files.map((file) => ({ file, reads: readsOf(file, files) }));
  while (rest.length > 0) {
    const ready = rest.filter(({ reads }) =>
      reads.every((name) => placed.some((view) => view.name === name)),
    );
    if (ready.length === 0)
      throw new Error(`circular views: ${rest.map(({ file }) => file.name).join(', ')}`);
    placed.push(...ready.map(({ file }) => file));
    rest = rest.filter((view) => !ready.includes(view));
  }
  return placed;
}

function readsOf({ name, text }: View, files: readonly View[]): string[] {
  const created = [...text.matchAll(/^CREATE (?:OR REPLACE )?(?:VIEW|FUNCTION) ([\w.]+)/gm)].map(
    ([, view]) => view,
  );
  if (created.length !== 1 || created[0] !== `strandline_analytics.${name}`)
    throw new Error(`views/${name}.sql creates ${created.join(', ') || 'nothing'}, not ${name}`);
  const named = new Set([...text.matchAll(/\bstrandline_analytics\.(\w+)/g)].map(([, view]) => view));
  return files.flatMap((file) => (file.name !== name && named.has(file.name) ? [file.name] : []));
}
