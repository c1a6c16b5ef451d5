/** Raw answers are compressed bytes: who stands in one is found by reading it. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Id, Transaction } from '../database.ts';
import type { Named } from './rejects.ts';

const BATCH = 20;

type Row = { run_id: Id; n: number; received_at: Date; open: boolean; body: Buffer };

/** Answers from a place on, oldest first, of some runs or all. $1 to $3 the place, $4 how many, $5 since when, $6 or of which runs. */
const READ = `
SELECT a.run_id, a.n, a.received_at, r.status IN ('queued', 'running') AS open, a.body
FROM strandline.answers a JOIN strandline.runs r ON r.id = a.run_id
WHERE (a.received_at, a.run_id, a.n) > ($1, $2::bigint, $3::int) AND ($5::timestamptz IS NULL OR a.received_at >= $5 OR a.run_id = ANY ($6::bigint[]))
ORDER BY a.received_at, a.run_id, a.n LIMIT $4`;

/**
 * Deletes the kept answers that name an author. An answer whose run has not ended is left to its save, which
 * leaves the author out and the answer with it; without it the run would have to call, and pay, again.
 * @param only answers received since then, and those of these runs
 * @returns how many, and which runs were left
 */
export async function deleteAnswersAbout(
  db: Pick<Transaction, 'query'>,
  author: Named,
  only?: { since: Date; runs: readonly Id[] },
): Promise<{ deleted: number; open: Id[] }> {
  const names = namesIn(author);
  const open = new Set<Id>();
  let deleted = 0;
  let at: readonly [Date | string, Id, number] = ['-infinity', 0n, 0];
  for (;;) {
    const { rows } = await db.query<Row>(READ, [...at, BATCH, only?.since ?? null, only?.runs ?? []]);
    const last = rows.at(-1);
    if (last === undefined) return { deleted, open: [...open] };
    at = [last.received_at, last.run_id, last.n];
    for (const row of rows) {
      if (row.open) open.add(row.run_id);
      else if (names.test(await textOf(row.body))) {
        await db.query('DELETE FROM strandline.answers WHERE run_id = $1 AND n = $2', [row.run_id, row.n]);
        deleted += 1;
      }
    }
  }
}

const unzip = promisify(gunzip);

/** One character per byte: ids and names on services are ASCII, and the rest need not be understood. */
async function textOf(body: Buffer): Promise<string> {
  return (await unzip(body)).toString('latin1');
}

/**
 * The id as a value of its own, or the name as a value, a mention or a part of an address: a word that
 * happens to be somebody's name would otherwise take half of all answers with it. Rather one too many.
 */
function namesIn({ external_id, username }: Named): RegExp {
  const end = '(?![\\w-])';
  const id = `(?<![\\w-])${pattern(external_id)}${end}`;
  const name = username === null || username === '' ? [] : [`["@/]${pattern(username)}${end}`];
  return new RegExp([id, ...name].join('|'), 'i');
}

/** Letter for letter, with a slash as JSON may write it. */
function pattern(word: string): string {
  const bytes = Buffer.from(word, 'utf8').toString('latin1');
  return bytes.replaceAll(/[.*+?^${}()|[\]\\-]/g, '\\$&').replaceAll('/', '\\\\?/');
}
