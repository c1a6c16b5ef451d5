/**
 * Fills the archive after the save: building a `tsvector` in the save would cost a quarter of its throughput
 * (docs/internals/ranking.md). New items come from the feed, whose IDs are in commit order, so none is missed; later
 * text changes are recorded by triggers.
 */

import { formatCount, formatWhole } from '../../lib/display-format.ts';
import { type Thing, readDocuments, VECTORS_SQL } from './archive-documents.ts';
import {
  type Database,
  type Id,
  inTransaction,
  type Pooled,
  readSqlState,
  type Transaction,
  onlyRow,
  writeRows,
} from '../db/database.ts';
import { execute, type Statement, statement, verbatim } from '../db/statement.ts';

/** Feed entries per transaction: under a second, even if each is an abstract. */
const BATCH_SIZE = 1_000;
/** How long a query waits for a batch of another process. */
const MAX_LOCK_WAIT = '3s';
const LOCK_NOT_AVAILABLE = '55P03';
/**
 * Brings the archive up to date.
 * @param options.batches maximum batches of 1,000 items; the rest is left to the next call
 * @param options.waits waits up to {@link MAX_LOCK_WAIT} for each batch of another process
 * @returns whether nothing is left; false if another process is indexing
 */
export async function fillArchive(
  db: Database,
  { batches, signal, waits = false }: { batches: number; signal?: AbortSignal | undefined; waits?: boolean },
): Promise<boolean> {
  for (let n = 0; n < batches; n += 1) {
    signal?.throwIfAborted();
    const step = await inTransaction(db, (tx) => fillBatch(tx, waits));
    if (step !== 'more') return step === 'done';
  }
  return false;
}

/** Maximum batches of 1,000 items to index before a query, a third of a second each; the worker indexes the rest. */
const MAX_BATCHES_BEFORE_QUERY = 30;

/** Indexes what is new before a query. @returns what a query cannot find yet; null if it can find everything */
export async function catchUpArchive(db: Database): Promise<ArchiveBacklog | null> {
  const isComplete = await fillArchive(db, { batches: MAX_BATCHES_BEFORE_QUERY, waits: true });
  return isComplete ? null : readArchiveBacklog(db);
}

export type ArchiveBacklog = { indexed: number; total: number };

/** `12 of 345 items are not indexed yet` */
export function describeBacklog({ indexed, total }: ArchiveBacklog): string {
  const missing = total - indexed;
  return `${formatWhole(missing)} of ${formatCount(total, 'item')} ${missing === 1 ? 'is' : 'are'} not indexed yet`;
}

/** How many discoveries of posts and links are indexed; null if all are. */
async function readArchiveBacklog({ pool }: Pooled): Promise<ArchiveBacklog | null> {
  const { rows } = await pool.query<{ behind: boolean }>(SELECT_BEHIND);
  if (!onlyRow(rows).behind) return null;
  const counted = await pool.query<ArchiveBacklog>(COUNT_INDEXED);
  return onlyRow(counted.rows);
}

/** @returns the last discovery that is indexed; undefined while another process is indexing */
async function lockProgress(tx: Transaction, waits: boolean): Promise<Id | undefined> {
  const lock = (how: string) => tx.query<{ discovery_id: Id }>(`${LOCK_PROGRESS} ${how}`);
  if (!waits) return (await lock('SKIP LOCKED')).rows[0]?.discovery_id;
  await tx.query(`SAVEPOINT waiting; SET LOCAL lock_timeout = '${MAX_LOCK_WAIT}'`);
  try {
    return (await lock('')).rows[0]?.discovery_id;
  } catch (error) {
    if (readSqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    await tx.query('ROLLBACK TO waiting');
    return undefined;
  }
}

/** Locks the progress row while writing a batch: with a single writer, lexeme counts are exact. */
async function fillBatch(tx: Transaction, waits: boolean): Promise<'more' | 'done' | 'busy'> {
  const before = await lockProgress(tx, waits);
  if (before === undefined) return 'busy';
  // Includes completions and spikes, which are skipped.
  const { rows: feed } = await execute<Thing & { id: Id }>(
    tx,
    statement`SELECT id, kind, thing FROM strandline.discoveries WHERE id > ${before} ORDER BY id LIMIT ${BATCH_SIZE}`,
  );
  const { rows: changes } = await execute<Thing>(
    tx,
    statement`DELETE FROM strandline.archive_changes
      WHERE id IN (SELECT id FROM strandline.archive_changes ORDER BY id LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED)
      RETURNING kind, thing`,
  );
  const things = [...feed, ...changes];
  const documents = await readDocuments(tx, things);
  if (documents.length > 0)
    // Writes new and changed documents, and updates counts: documents per lexeme with an upper bound of their time,
    // and totals of documents and words. Subtracts the previous versions. All parts see the documents as they were
    // before the statement.
    await execute(
      tx,
      statement`WITH given AS MATERIALIZED (
          SELECT r.kind, r.thing, r.at, r.config, ${verbatim(VECTORS_SQL)}
          FROM json_to_recordset(${writeRows(documents)}::json)
            AS r(kind text, thing bigint, at timestamptz, config text, title text, body text, exact text)
        ), old AS MATERIALIZED (
          SELECT d.* FROM given g
          CROSS JOIN LATERAL (SELECT * FROM strandline.archive_documents WHERE kind = g.kind AND thing = g.thing OFFSET 0) d
        ), fresh AS MATERIALIZED (
          SELECT g.*, (SELECT coalesce(sum(cardinality(positions)), 0)::integer FROM unnest(g.tsv)) AS words
          FROM given g LEFT JOIN old o USING (kind, thing)
          WHERE o.thing IS NULL OR (o.at, o.config, o.tsv, o.exact)
            IS DISTINCT FROM (g.at, g.config, g.tsv, g.exact)
        ), gone AS (
          SELECT o.* FROM old o JOIN fresh USING (kind, thing)
        ), counted AS (
          INSERT INTO strandline.archive_lexemes AS l (lexeme, documents, newest_at)
          SELECT lexeme, sum(n), coalesce(max(at), '-infinity') FROM (
            SELECT u.lexeme, 1 AS n, f.at, NULL::timestamptz AS was_at FROM fresh f, unnest(f.tsv) u
            UNION ALL SELECT u.lexeme, -1, NULL, g.at FROM gone g, unnest(g.tsv) u
          ) c GROUP BY lexeme HAVING sum(n) <> 0 OR max(at) > max(was_at) ORDER BY lexeme
          ON CONFLICT (lexeme) DO UPDATE
            SET documents = l.documents + excluded.documents, newest_at = greatest(l.newest_at, excluded.newest_at)
        ), sized AS (
          INSERT INTO strandline.archive_corpora AS c (config, documents, words)
          SELECT config, sum(n), sum(n * words) FROM (
            SELECT config, words, 1 AS n FROM fresh UNION ALL SELECT config, words, -1 FROM gone
          ) s GROUP BY config ORDER BY config
          ON CONFLICT (config) DO UPDATE
            SET documents = c.documents + excluded.documents, words = c.words + excluded.words
        )
        INSERT INTO strandline.archive_documents AS d (kind, thing, at, config, words, tsv, exact)
        SELECT kind, thing, at, config, words, tsv, exact FROM fresh
        ON CONFLICT (kind, thing) DO UPDATE SET at = excluded.at, config = excluded.config,
          words = excluded.words, tsv = excluded.tsv, exact = excluded.exact`,
    );
  const after = feed.at(-1)?.id;
  if (after !== undefined)
    await execute(tx, statement`UPDATE strandline.archive_progress SET discovery_id = ${after}`);
  return feed.length === BATCH_SIZE || changes.length === BATCH_SIZE ? 'more' : 'done';
}

/** Only the holder of this row writes. */
const LOCK_PROGRESS = `SELECT discovery_id FROM strandline.archive_progress FOR UPDATE`;

const SELECT_BEHIND = `
SELECT EXISTS (SELECT FROM strandline.discoveries
  WHERE id > (SELECT discovery_id FROM strandline.archive_progress) AND kind IN ('post', 'link')) AS behind`;

const COUNT_INDEXED = `
SELECT (count(*) FILTER (WHERE id <= (SELECT discovery_id FROM strandline.archive_progress)))::float8 AS indexed, count(*)::float8 AS total
FROM strandline.discoveries WHERE kind IN ('post', 'link')`;

/**
 * Lexeme of each query word in each language of the archive, and the number of documents with it; null for a stop
 * word. Always includes English, for its stop words.
 */
export const selectTerms = (words: readonly string[]): Statement => statement`
SELECT c.config, w.ord::integer AS ord, v.lexeme, l.documents
FROM (SELECT config FROM strandline.archive_corpora WHERE documents > 0 UNION SELECT 'english') c
CROSS JOIN unnest(${words}::text[]) WITH ORDINALITY w(word, ord)
LEFT JOIN LATERAL unnest(tsvector_to_array(to_tsvector(c.config::regconfig, w.word))) v(lexeme) ON true
LEFT JOIN strandline.archive_lexemes l ON l.lexeme = v.lexeme`;
