import type { Database } from '../database.ts';
import type { Limits } from './limits.ts';
import { isOver, type Partition, snapshotMonths } from './months.ts';

/** A table of ours with its indexes and all its partitions. */
export type TableSize = {
  table: string;
  bytes: number;
  /** As the planner estimates; null where nothing was ever counted. */
  rows: number | null;
};

const TABLES = `
SELECT t.relname AS "table", sum(pg_total_relation_size(p.relid))::float8 AS bytes,
  sum(nullif(c.reltuples, -1)) FILTER (WHERE c.relkind = 'r')::float8 AS rows
FROM pg_class t
CROSS JOIN LATERAL (SELECT relid FROM pg_partition_tree(t.oid) UNION SELECT t.oid) p
JOIN pg_class c ON c.oid = p.relid
WHERE t.relnamespace = 'strandline'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
GROUP BY t.oid, t.relname ORDER BY bytes DESC, t.relname`;

/** The largest first. */
export async function tableSizes(db: Database): Promise<TableSize[]> {
  return (await db.pool.query<TableSize>(TABLES)).rows;
}

/** What is too old now: rows that were counted, and months with the bytes that dropping them frees. */
export type Due = {
  answers: number;
  answer_bytes: number;
  rejects: number;
  /** Of which it is still kept what they said. */
  messages: number;
  /** Entries of the audit log. */
  audit: number;
  months: (Partition & { due: boolean })[];
};

export async function whatIsDue(db: Database, limits: Limits): Promise<Due> {
  const { rows } = await db.pool.query<Omit<Due, 'months'>>(
    `SELECT count(*)::int AS answers, coalesce(sum(octet_length(body)), 0)::float8 AS answer_bytes,
       (SELECT count(*)::int FROM strandline.rejects j JOIN strandline.runs r ON r.id = j.run_id WHERE r.ended_at < $2) AS rejects,
       (SELECT count(*)::int FROM strandline.deliveries
        WHERE state IN ('delivered', 'dead', 'cancelled') AND body IS NOT NULL AND last_attempt_at < $3) AS messages,
       (SELECT count(*)::int FROM strandline.audit_log WHERE at < $4) AS audit
     FROM strandline.answers WHERE received_at < $1 AND read_at IS NOT NULL`,
    [limits.answers, limits.rejects, limits.messages, limits.audit],
  );
  const { snapshots } = limits;
  const months = (await snapshotMonths(db)).map((month) => ({
    ...month,
    due: snapshots !== null && isOver(month, snapshots),
  }));
  return { answers: 0, answer_bytes: 0, rejects: 0, messages: 0, audit: 0, ...rows[0], months };
}
