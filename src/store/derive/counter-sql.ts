/** Counters of posts in the statements that derive growth: column lists, and values at a time. */
import { AGES, POST_COUNTERS } from '../../model/counters.ts';

export const S = 'strandline';

/** The rows `h(hours)` of a FROM: each age. */
export const AGES_SQL = `(VALUES ${AGES.map((age) => `(${age})`).join(', ')}) h(hours)`;

/** `f(counter)` for each counter, as a list. */
export const joinCounters = (f: (counter: string, n: number) => string) => POST_COUNTERS.map(f).join(', ');

/**
 * The last known value of a counter at a time. If the post changed since then, it is read from snapshots, so that the
 * value at a past time never changes.
 * @param row the alias of a row of `post_counters`
 */
export function knownCounterSql(row: string, counter: string, time: string): string {
  return `CASE WHEN ${row}.observed_at <= ${time} THEN ${row}.${counter} ELSE (
    SELECT ${counter} FROM ${S}.post_snapshots
    WHERE post_id = ${row}.post_id AND observed_at <= ${time} AND ${counter} IS NOT NULL ORDER BY observed_at DESC LIMIT 1) END`;
}
