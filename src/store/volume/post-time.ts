/** The time of a post: when it counts, in which quarter-hour, and whether it measures the rate. */
import { QUARTER_MS } from '../../lib/time.ts';
import { type Statement, statement, verbatim } from '../db/statement.ts';

/**
 * When a post counts, in which quarter-hour, and where in it, in milliseconds: one without a time, or dated after its sighting, counts
 * at the sighting. An index has this expression.
 * @param g alias of a sighting
 */
export const countedAtSql = (g: string) => `least(${g}.post_created_at, ${g}.first_seen_at)`;
/** The same of a post, whichever search found it. @param p alias of a post, or of a row of its view */
export const postTimeSql = (p: string) => `least(${p}.created_at, ${p}.first_seen_at)`;
export const quarterSql = (g: string) => `date_bin('15 minutes', ${countedAtSql(g)}, 'epoch')`;
export const offsetSql = (g: string) =>
  `(floor(extract(epoch FROM ${countedAtSql(g)}) * 1000)::bigint % ${QUARTER_MS})::integer`;

/** Whether a post measures the rate if its time is observed: not without a time, and not if dated an hour ahead. */
export const isMeasurableSql = (g: string) => `${g}.post_created_at < ${g}.first_seen_at + interval '1 hour'`;

/** These posts of a range, found by an index. @param from a time, or a column of times */
export function measurableBetween(g: string, from: Date | Statement, until: Date | Statement): Statement {
  const at = verbatim(countedAtSql(g));
  return statement`${at} >= ${from}::timestamptz AND ${at} < ${until}::timestamptz AND ${verbatim(isMeasurableSql(g))}`;
}
