/** Retention: what is deleted by its age and when, and how much is stored and due for deletion. */

import type { Config } from '../../config/config.ts';
import { formatBytes, formatWhole } from '../../lib/display-format.ts';
import { DAY } from '../../lib/time.ts';
import { type Database, onlyRow } from '../db/database.ts';
import { execute, join, rowsOf, type Statement, statement, verbatim } from '../db/statement.ts';
import { listReferences } from './erasure.ts';
import { EXPIRY, type Expiry, type ExpiringKind } from './expiry.ts';
import { dropMonths, isMonthOver, listSnapshotMonths, type Partition } from '../maintenance/partitions.ts';

/** Deleted rows; `done`: nothing is left to delete. */
type RetentionReport = {
  answers: number;
  rejects: number;
  messages: number;
  /** Entries of the audit log. */
  audit: number;
  months: string[];
  done: boolean;
};

/**
 * Deletes expired data. The latest counters of posts and authors are kept without their history; growth is then
 * computed from the first remaining snapshot.
 * @param mayContinue called repeatedly; if it returns false, the rest is deleted later
 */
export async function applyRetention(
  db: Database,
  limits: RetentionLimits,
  mayContinue: () => boolean,
): Promise<RetentionReport> {
  const responses = await expire(db, 'responses', limits.responses, mayContinue);
  const rejects = await expire(db, 'rejects', limits.rejects, mayContinue);
  const messages = await expire(db, 'messages', limits.messages, mayContinue);
  const audit = await expire(db, 'audit', limits.audit, mayContinue);
  const problems = await expire(db, 'problems', limits.audit, mayContinue);
  const months =
    limits.snapshots === null
      ? { dropped: [], done: true }
      : await dropMonths(db, limits.snapshots, mayContinue);
  return {
    answers: responses.deleted,
    rejects: rejects.deleted,
    messages: messages.deleted,
    audit: audit.deleted,
    months: months.dropped,
    done: [responses, rejects, messages, audit, problems, months].every(({ done }) => done),
  };
}

/** Cutoff per kind of data; null: kept indefinitely. */
type RetentionLimits = {
  /** Raw responses received before this time, if they were read. */
  responses: Date;
  rejects: Date;
  messages: Date;
  audit: Date;
  snapshots: Date | null;
};

export function retentionLimitsAt(
  now: Date,
  {
    answerDays,
    rejectDays,
    messageDays,
    auditDays,
    snapshotDays,
  }: Pick<Config, 'answerDays' | 'rejectDays' | 'messageDays' | 'auditDays' | 'snapshotDays'>,
): RetentionLimits {
  const ago = (days: number) => new Date(now.getTime() - days * DAY);
  return {
    responses: ago(answerDays),
    rejects: ago(rejectDays),
    messages: ago(messageDays),
    audit: ago(auditDays),
    snapshots: snapshotDays === undefined ? null : ago(snapshotDays),
  };
}

/** Rows per DELETE, few enough not to delay saves. */
const EXPIRE_BATCH = 1_000;

/**
 * Deletes expired rows, and the rows that refer to them directly. Of the table of references it follows `goes` for one level
 * only, without `where`, `text`, `deletesOwner`, `unindexed` and `message`: a table that expires must have no other references. The
 * condition of a cleared row is checked twice, because a dead message may be resent in the meantime.
 */
function deleteExpired({ table, key, where, order, clears }: Expiry, before: Date): Statement {
  const rows = verbatim(`strandline.${table}`);
  const has = where(before);
  const expired = statement`(${verbatim(key)}) IN (
    SELECT ${verbatim(key)} FROM ${rows} WHERE ${has} ORDER BY ${verbatim(order)} LIMIT ${EXPIRE_BATCH})`;
  if (clears !== undefined)
    return statement`UPDATE ${rows} SET ${verbatim(clears)} WHERE ${has} AND ${expired}`;
  const parts = listReferences(table).flatMap(({ table: child, column, effect }) =>
    effect === 'goes'
      ? [verbatim(`${child} AS (DELETE FROM strandline.${child} WHERE ${column} IN (SELECT id FROM gone))`)]
      : [],
  );
  const gone = statement`gone AS (DELETE FROM ${rows} WHERE ${expired} RETURNING *)`;
  return statement`WITH ${join([gone, ...parts], ', ')} SELECT FROM gone`;
}

/**
 * Deletes data older than `before`.
 * @param mayContinue called after each batch
 * @returns deleted rows, and whether nothing is left
 */
async function expire(
  db: Database,
  kind: ExpiringKind,
  before: Date,
  mayContinue: () => boolean,
): Promise<{ deleted: number; done: boolean }> {
  for (let deleted = 0; ; ) {
    const { rowCount } = await execute(db.pool, deleteExpired(EXPIRY[kind], before));
    if ((rowCount ?? 0) === 0) return { deleted, done: true };
    deleted += rowCount ?? 0;
    if (!mayContinue()) return { deleted, done: false };
  }
}

/** A table with its indexes and partitions. */
export type TableSize = {
  table: string;
  bytes: number;
  /** Estimated by the planner; null if never analyzed. */
  rows: number | null;
};

const SELECT_TABLE_SIZES = statement`
SELECT t.relname AS "table", sum(pg_total_relation_size(p.relid))::float8 AS bytes,
  sum(nullif(c.reltuples, -1)) FILTER (WHERE c.relkind = 'r')::float8 AS rows
FROM pg_class t
CROSS JOIN LATERAL (SELECT relid FROM pg_partition_tree(t.oid) UNION SELECT t.oid) p
JOIN pg_class c ON c.oid = p.relid
WHERE t.relnamespace = 'strandline'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
GROUP BY t.oid, t.relname ORDER BY bytes DESC, t.relname`;

/** Largest first. */
export async function readTableSizes(db: Database): Promise<TableSize[]> {
  return rowsOf<TableSize>(db.pool, SELECT_TABLE_SIZES);
}

/** Data due for deletion: number of rows, and months with the bytes that dropping them frees. */
type DueForDeletion = {
  answers: number;
  answer_bytes: number;
  rejects: number;
  /** Messages that still have a body. */
  messages: number;
  /** Entries of the audit log. */
  audit: number;
  months: (Partition & { due: boolean })[];
};

export async function countDue(db: Database, limits: RetentionLimits): Promise<DueForDeletion> {
  const count = async (kind: ExpiringKind, before: Date) => {
    const { table, where } = EXPIRY[kind];
    const bytes = verbatim(kind === 'responses' ? 'coalesce(sum(octet_length(body)), 0)::float8' : '0');
    const rows = await rowsOf<{ n: number; bytes: number }>(
      db.pool,
      statement`SELECT count(*)::int AS n, ${bytes} AS bytes FROM strandline.${verbatim(table)} WHERE ${where(before)}`,
    );
    return onlyRow(rows);
  };
  const responses = await count('responses', limits.responses);
  const { snapshots } = limits;
  const months = (await listSnapshotMonths(db)).map((month) => ({
    ...month,
    due: snapshots !== null && isMonthOver(month, snapshots),
  }));
  return {
    answers: responses.n,
    answer_bytes: responses.bytes,
    rejects: (await count('rejects', limits.rejects)).n,
    messages: (await count('messages', limits.messages)).n,
    audit: (await count('audit', limits.audit)).n,
    months,
  };
}

/** What is due, and the bytes that are known to be freed: `2 raw responses, 1 message body (14 kB)`, or `nothing`. */
export function describeDue(due: DueForDeletion): string {
  const months = due.months.filter((month) => month.due);
  const freed = months.reduce((sum, { bytes }) => sum + bytes, due.answer_bytes);
  const names = months.map(({ name }) => name);
  return `${describeExpired(due, names)}${freed === 0 ? '' : ` (${formatBytes(freed)})`}`;
}

/** Expired rows of each kind, then the names of months. */
export function describeExpired(
  rows: Pick<RetentionReport, 'answers' | 'rejects' | 'messages' | 'audit'>,
  months: readonly string[],
): string {
  const parts = [
    [rows.answers, 'raw response', 'raw responses'],
    [rows.rejects, 'rejected item', 'rejected items'],
    [rows.messages, 'message body', 'message bodies'],
    [rows.audit, 'audit log entry', 'audit log entries'],
  ] as const;
  const counted = parts.flatMap(([n, one, many]) =>
    n === 0 ? [] : [`${formatWhole(n)} ${n === 1 ? one : many}`],
  );
  return [...counted, ...months].join(', ') || 'nothing';
}
