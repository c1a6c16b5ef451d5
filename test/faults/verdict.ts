import type { ClientBase, Pool } from 'pg';
import { CHECKS, type CheckId } from './checks.ts';

/** The result of a row. */
export type Verdict = {
  /** Requests that the service received. */
  calls: number;
  lost: number;
  doubled: number;
  /** What does not hold, each with the first rows that show it. */
  broken: string[];
};

/** Work that is left may always be as old as this: workers stop one after the other. */
const LEFT_MS = 10_000;

/**
 * @param row.now when everything had come to rest
 * @param row.restMs how old work may be that is left; at least ten seconds
 * @param row.except universal checks that do not apply to this row
 */
export async function judge(
  pool: Pool | ClientBase,
  row: { now: Date; maxCalls: number; restMs?: number; except: readonly CheckId[] },
): Promise<Verdict> {
  const { now, maxCalls, restMs = 0, except } = row;
  const verdict: Verdict = { calls: 0, lost: 0, doubled: 0, broken: [] };
  for (const { id, broken, counts, sql } of CHECKS) {
    if (except.includes(id)) continue;
    // A parameter that a statement does not name needs a type all the same.
    const text = `WITH given AS (SELECT $1::timestamptz, $2::int, $3::int) ${sql.replace(/^WITH /, ', ')}`;
    const { rows } = await pool.query<object>(text, [now, maxCalls, Math.max(LEFT_MS, restMs)]);
    if (rows.length === 0) continue;
    if (counts !== undefined) verdict[counts] += rows.length;
    verdict.broken.push(`${id} ${broken}: ${rows.length} rows, ${shown(rows.slice(0, 3))}`);
  }
  const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM faults.requests');
  verdict.calls = rows[0]?.n ?? 0;
  return verdict;
}

function shown(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
