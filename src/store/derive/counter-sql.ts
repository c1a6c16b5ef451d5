/** Counters of posts in the statements that derive growth: lists of columns, and values at a time. */
import { POST_COUNTERS } from '../../domain/counters.ts';

export const S = 'strandline';

/** `f(counter)` for each counter, as a list. */
export const joinCounters = (f: (counter: string, n: number) => string) => POST_COUNTERS.map(f).join(', ');

/**
 * The last value of a counter that was known at a time. Snapshots are asked where the post changed since, so that a time
 * in the past has the same value whenever it is asked. @param row the alias of a row of `post_counters`
 */
export function knownCounterSql(row: string, counter: string, time: string): string {
  return `CASE WHEN coalesce(${row}.${counter}_at, ${row}.observed_at) <= ${time} THEN ${row}.${counter} ELSE (
    SELECT ${counter} FROM ${S}.post_snapshots
    WHERE post_id = ${row}.post_id AND observed_at <= ${time} AND ${counter} IS NOT NULL ORDER BY observed_at DESC LIMIT 1) END`;
}
