/** Which sides of the data exist, so that an empty reply says where to look instead. */
import type { Data } from '../domain/data.ts';
import type { Database } from './database.ts';

/** How a request chooses simulated data: an option of a command, or a member of a query. */
type Choice = '--simulated' | 'simulated=1';

/** @returns a sentence if a side has no search, removed ones included, and the other one has; otherwise null */
export async function describeEmptySide(
  { pool }: Pick<Database, 'pool'>,
  data: Data,
  choice: Choice,
): Promise<string | null> {
  const { rows } = await pool.query<{ chosen: boolean; other: boolean }>(
    `SELECT EXISTS (SELECT FROM strandline.searches WHERE simulated = $1) AS chosen,
       EXISTS (SELECT FROM strandline.searches WHERE simulated <> $1) AS other`,
    [data === 'simulated'],
  );
  if (rows[0]?.chosen !== false || !rows[0].other) return null;
  return data === 'real'
    ? `There is no real data yet, only simulated data: add ${choice} to read it.`
    : `There is no simulated data, only real data: leave out ${choice} to read it.`;
}
