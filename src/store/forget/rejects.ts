import type { Id, Transaction } from '../database.ts';

/** What names an author: the id, and the name if it is known. */
export type Named = { external_id: string; username: string | null };

/** Deletes samples of unread items that name one of the authors; of one run, or of all. @returns how many */
export async function deleteRejectsAbout(
  tx: Transaction,
  authors: readonly Named[],
  runId?: Id,
): Promise<number> {
  const words = authors.flatMap(({ external_id, username }) => [external_id, username ?? external_id]);
  const { rowCount } = await tx.query(
    `DELETE FROM strandline.rejects WHERE ($2::bigint IS NULL OR run_id = $2)
       AND EXISTS (SELECT FROM unnest($1::text[]) word WHERE position(lower(word) IN lower(sample)) > 0)`,
    [words, runId ?? null],
  );
  return rowCount ?? 0;
}
