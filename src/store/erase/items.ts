/** Deletes posts and links, with their discoveries, their places in messages, and their words in the archive. */
import type { Id, Queryable, Transaction } from '../db/database.ts';
import { execute, selectIds, statement } from '../db/statement.ts';
import { type ErasedRows, eraseRows } from './erasure.ts';
import { passOnThings } from './pass-on-things.ts';

export type Items = { postIds: readonly Id[]; linkIds: readonly Id[] };

const listDiscoveries = (tx: Queryable, { postIds, linkIds }: Items): Promise<Id[]> =>
  selectIds(
    tx,
    statement`SELECT id FROM strandline.discoveries WHERE kind = 'post' AND thing = ANY (${postIds}::bigint[])
      UNION ALL SELECT id FROM strandline.discoveries WHERE kind = 'link' AND thing = ANY (${linkIds}::bigint[])
      UNION ALL SELECT id FROM strandline.discoveries WHERE kind = 'growth'
        AND thing = ANY (ARRAY(SELECT id FROM strandline.growth_reports WHERE post_id = ANY (${postIds}::bigint[])))`,
  );

/**
 * Deletes posts and links. The next copy of each item takes its place ({@link passOnThings}).
 * @param includeUnindexed also deletes mentions that no index finds; an orphan has none
 * @returns deleted and changed rows by table
 */
export async function eraseItems(
  tx: Transaction,
  items: Items,
  { includeUnindexed }: { includeUnindexed: boolean },
): Promise<ErasedRows> {
  await passOnThings(tx, await listDiscoveries(tx, items));
  const erased: ErasedRows = { archive_documents: await removeFromArchive(tx, items) };
  const byPost = await eraseRows(tx, 'posts', items.postIds, { includeUnindexed });
  const byLink = await eraseRows(tx, 'links', items.linkIds, { includeUnindexed });
  for (const [table, n] of [...Object.entries(byPost), ...Object.entries(byLink)])
    erased[table] = (erased[table] ?? 0) + n;
  return erased;
}

/** Deletes documents from the archive. @returns how many */
async function removeFromArchive(tx: Transaction, { postIds, linkIds }: Items): Promise<number> {
  // Only the holder of the progress row may write the archive.
  await execute(tx, statement`SELECT FROM strandline.archive_progress FOR UPDATE`);
  const { rowCount } = await execute(
    tx,
    statement`DELETE FROM strandline.archive_documents
      WHERE (kind = 'post' AND thing = ANY (${postIds}::bigint[])) OR (kind = 'link' AND thing = ANY (${linkIds}::bigint[]))`,
  );
  return rowCount ?? 0;
}
