/** What a read is about: one side of the data; all of it, or one search or topic. */

import type { Data } from '../../domain/data.ts';

/** A named search or topic is of the side `data`; otherwise nothing is found. */
export type DataScope = { data: Data; search?: string | undefined; topic?: string | undefined };

/** On a search `s` and its topic `t`. $1 search, $2 topic, $3 whether simulated. */
export const SCOPE_SQL =
  '($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2) AND s.simulated = $3::boolean';

/** The searches of a scope, including removed ones: `id` and `slug`. $1 to $3. */
export const SCOPED_SEARCHES_SQL = `
  SELECT s.id, s.slug FROM strandline.searches s JOIN strandline.topics t ON t.id = s.topic_id WHERE ${SCOPE_SQL}`;

/** $1 to $3. */
export function scopeValues({ search, topic, data }: DataScope): unknown[] {
  return [search ?? null, topic ?? null, data === 'simulated'];
}

/** A row by a key, which is of one side: that of whichever has it. */
export async function readEitherSide<Row>(
  read: (data: Data) => Promise<readonly Row[]>,
): Promise<Row | undefined> {
  return (await read('real'))[0] ?? (await read('simulated'))[0];
}
