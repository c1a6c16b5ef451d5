/**
 * Fills the archive after the save: building a `tsvector` in the save would cost a quarter of its throughput
 * (docs/internals/decisions.md). New items come from the feed, whose IDs are in commit order, so none is missed; later
 * text changes are recorded by triggers.
 */

import { formatCount, formatWhole } from '../../lib/display-format.ts';
import { type ItemKey, readDocuments, VECTOR_SQL } from './archive-documents.ts';
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
import { execute, statement, verbatim } from '../db/statement.ts';

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

/** Whether nothing is indexed yet. */
export async function isArchiveEmpty({ pool }: Pooled): Promise<boolean> {
  const { rows } = await pool.query('SELECT FROM strandline.archive_documents LIMIT 1');
  return rows.length === 0;
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

/** Locks the progress row while writing a batch: a single writer moves the cursor, and no document of a deleted item is written. */
async function fillBatch(tx: Transaction, waits: boolean): Promise<'more' | 'done' | 'busy'> {
  const before = await lockProgress(tx, waits);
  if (before === undefined) return 'busy';
  // Includes completions and spikes, which are skipped.
  const { rows: feed } = await execute<ItemKey & { id: Id }>(
    tx,
    statement`SELECT id, kind, thing FROM strandline.discoveries WHERE id > ${before} ORDER BY id LIMIT ${BATCH_SIZE}`,
  );
  const { rows: changes } = await execute<ItemKey>(
    tx,
    statement`DELETE FROM strandline.archive_changes
      WHERE id IN (SELECT id FROM strandline.archive_changes ORDER BY id LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED)
      RETURNING kind, thing`,
  );
  const things = [...feed, ...changes];
  const documents = await readDocuments(tx, things);
  if (documents.length > 0)
    await execute(
      tx,
      statement`INSERT INTO strandline.archive_documents AS d (kind, thing, at, config, tsv)
        SELECT r.kind, r.thing, r.at, r.config, ${verbatim(VECTOR_SQL)}
        FROM json_to_recordset(${writeRows(documents)}::json)
          AS r(kind text, thing bigint, at timestamptz, config text, title text, body text, written text)
        ON CONFLICT (kind, thing) DO UPDATE SET at = excluded.at, config = excluded.config, tsv = excluded.tsv
          WHERE (d.at, d.config, d.tsv) IS DISTINCT FROM (excluded.at, excluded.config, excluded.tsv)`,
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
