/** Deletes posts and links, with their discoveries, their places in messages, and their words in the archive. */
import { type Id, type Queryable, selectIds, type Transaction } from '../db/database.ts';
import { type ErasedRows, eraseRows } from './erasure.ts';
import { passOnThings } from './pass-on-things.ts';

const S = 'strandline';

export type Items = { postIds: readonly Id[]; linkIds: readonly Id[] };

/** $1 posts, $2 links. */
const SELECT_DISCOVERIES = `
SELECT id FROM ${S}.discoveries WHERE kind = 'post' AND thing = ANY ($1::bigint[])
UNION ALL SELECT id FROM ${S}.discoveries WHERE kind = 'link' AND thing = ANY ($2::bigint[])
UNION ALL SELECT id FROM ${S}.discoveries WHERE kind = 'growth'
  AND thing = ANY (ARRAY(SELECT id FROM ${S}.growth_reports WHERE post_id = ANY ($1::bigint[])))`;

const listDiscoveries = (tx: Queryable, { postIds, linkIds }: Items): Promise<Id[]> =>
  selectIds(tx, SELECT_DISCOVERIES, [postIds, linkIds]);

/**
 * Deletes posts and links. The next member of each thing that they were part of takes their place.
 * @param scans whether to look for mentions that no index finds, which orphans do not have
 * @returns deleted and changed rows by table
 */
export async function eraseItems(
  tx: Transaction,
  items: Items,
  { scans }: { scans: boolean },
): Promise<ErasedRows> {
  await passOnThings(tx, await listDiscoveries(tx, items));
  const erased: ErasedRows = { archive_documents: await removeFromArchive(tx, items) };
  const byPost = await eraseRows(tx, 'posts', items.postIds, { scans });
  const byLink = await eraseRows(tx, 'links', items.linkIds, { scans });
  for (const [table, n] of [...Object.entries(byPost), ...Object.entries(byLink)])
    erased[table] = (erased[table] ?? 0) + n;
  return erased;
}

/** Only the holder of the progress row may write the archive. */
const LOCK_ARCHIVE = `SELECT FROM ${S}.archive_progress FOR UPDATE`;

/** Deletes documents from the archive, and subtracts their words from its counts. $1 posts, $2 links. */
const REMOVE_FROM_ARCHIVE = `
WITH gone AS MATERIALIZED (
  DELETE FROM ${S}.archive_documents
  WHERE (kind = 'post' AND thing = ANY ($1::bigint[])) OR (kind = 'link' AND thing = ANY ($2::bigint[]))
  RETURNING config, words, tsv
), counted AS (
  UPDATE ${S}.archive_lexemes l SET documents = l.documents - c.n
  FROM (SELECT u.lexeme, count(*) AS n FROM gone g, unnest(g.tsv) u GROUP BY 1) c
  WHERE l.lexeme = c.lexeme RETURNING l.lexeme, l.documents
), sized AS (
  UPDATE ${S}.archive_corpora a SET documents = a.documents - s.documents, words = a.words - s.words
  FROM (SELECT config, count(*) AS documents, sum(words) AS words FROM gone GROUP BY 1) s
  WHERE a.config = s.config
)
SELECT count(*)::int AS n, (SELECT array_agg(lexeme) FROM counted WHERE documents <= 0) AS unused FROM gone`;

/** @returns how many documents were deleted */
export async function removeFromArchive(tx: Transaction, { postIds, linkIds }: Items): Promise<number> {
  await tx.query(LOCK_ARCHIVE);
  const { rows } = await tx.query<{ n: number; unused: string[] | null }>(REMOVE_FROM_ARCHIVE, [
    postIds,
    linkIds,
  ]);
  const [{ n, unused } = { n: 0, unused: null }] = rows;
  await tx.query(`DELETE FROM ${S}.archive_lexemes WHERE lexeme = ANY ($1::text[]) AND documents <= 0`, [
    unused ?? [],
  ]);
  return n;
}
