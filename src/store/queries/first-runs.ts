/** Whether searches have a history yet. */
import type { Id, Pooled } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';

/** Whether any of these searches has succeeded twice, so that something new can be told from what was there. */
export async function hasSucceededTwice({ pool }: Pooled, searchIds: readonly Id[]): Promise<boolean> {
  const { rows } = await execute<{ found: boolean }>(
    pool,
    statement`SELECT EXISTS (
        SELECT FROM unnest(${searchIds}::bigint[]) AS search (id)
        CROSS JOIN LATERAL (
          SELECT FROM strandline.runs WHERE search_id = search.id AND status = 'succeeded' ORDER BY id DESC LIMIT 1 OFFSET 1
        ) second
      ) AS found`,
    'succeeded_twice',
  );
  return rows[0]?.found === true;
}

/** The newest run of each search. */
export async function readNewestRunIds({ pool }: Pooled, searchIds: readonly Id[]): Promise<Id[]> {
  const { rows } = await execute<{ id: Id }>(
    pool,
    statement`SELECT newest.id FROM unnest(${searchIds}::bigint[]) AS search (id)
      CROSS JOIN LATERAL (SELECT id FROM strandline.runs WHERE search_id = search.id ORDER BY id DESC LIMIT 1) newest`,
    'newest_runs',
  );
  return rows.map(({ id }) => id);
}
