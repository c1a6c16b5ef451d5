/** The manifest of a backup: its tables, and digests of its files. */

import { tryParseJson } from '../../lib/json-values.ts';
import { readErrorCode, Refused } from '../../model/errors.ts';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Transform } from 'node:stream';
import { z } from 'zod';

/** Names of tables and columns, safe for statements and file names. */
const name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);

const table = z.object({
  name,
  columns: z.array(name).min(1),
  rows: z.number().int().nonnegative(),
  /** Size of its file. */
  bytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifest = z.object({
  format: z.literal('strandline backup 1'),
  created_at: z.iso.datetime(),
  /** Versions of the program and server that created it, for information only. */
  strandline: z.string(),
  postgres: z.string(),
  /** The last migration, identified by `when`. A restore first creates the tables of that migration. */
  migration: z.object({ name: z.string(), when: z.number().int() }),
  /** First and last month (UTC) with partitions, as `2026-11`; null if there are none. */
  months: z.tuple([z.string().regex(/^\d{4}-\d\d$/), z.string().regex(/^\d{4}-\d\d$/)]).nullable(),
  tables: z.array(table),
  /** Next value of each identity column, by `table.column`. */
  next: z.record(z.string(), z.string().regex(/^\d{1,19}$/)),
});

export type Manifest = z.infer<typeof manifest>;
export type BackedUpTable = Manifest['tables'][number];

const MANIFEST_FILE = 'manifest.json';

/** Rows of a table: gzipped COPY text format, which every version of Postgres reads. */
export function tableFile(directory: string, tableName: string): string {
  return path.join(directory, `${tableName}.copy.gz`);
}

/** Written last: a folder without it is not a complete backup. */
export async function writeManifest(directory: string, content: Manifest): Promise<void> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  await writeFile(path.join(directory, MANIFEST_FILE), text, { mode: 0o600, flag: 'wx', flush: true });
}

/** @throws Refused if the folder is not a backup, or has an unknown format */
export async function readManifest(directory: string): Promise<Manifest> {
  const text = await readFile(path.join(directory, MANIFEST_FILE), 'utf8').catch((cause: unknown) => {
    const why = readErrorCode(cause) ?? String(cause);
    throw new Refused('not_found', `${directory} is not a backup: cannot read its ${MANIFEST_FILE} (${why})`);
  });
  const parsed = manifest.safeParse(tryParseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new Refused(
    'conflict',
    `${path.join(directory, MANIFEST_FILE)} is not a valid manifest: ${where}: ${issue?.message}`,
  );
}

/** Passes bytes through, counting them and computing their SHA-256 (hex). */
export function createDigest(): { stream: Transform; result(): { bytes: number; sha256: string } } {
  const hash = createHash('sha256');
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ bytes, sha256: hash.digest('hex') }) };
}
