/**
 * What is stored about an author: posts, links to them, and what mentions these elsewhere. Runs while saves are blocked (see
 * `forget-author.ts`).
 */
import type { OwnLinkRule } from '../../model/links/link-identity.ts';
import type { Id, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, type Statement, statement, verbatim } from '../db/statement.ts';
import { listCountedDays, recountDays } from '../derive/count-items.ts';
import { POST_ID_KEY_SQL } from '../save/topic-items.ts';
import { eraseItemsFromDigests } from './erase-from-digests.ts';
import { type ErasedRows, eraseRows } from './erasure.ts';
import { eraseItems, type Items } from './items.ts';
import { findOrphanLinks, listContained } from './orphans.ts';
import { listSpellings } from './tombstones.ts';

export type Traces = {
  /** Posts of the author, and reposts of them. */
  posts: { id: Id; external_id: string }[];
  /** Links to these posts and to pages of the author. */
  links: { id: Id; canonical: string }[];
  /** Further links that only these posts contain. */
  orphanIds: Id[];
  /** Current and former addresses of the posts and of the author's pages, in all known spellings. */
  addresses: string[];
};

/** Posts of an author, and reposts of them, each with all its addresses. */
const postsOfAuthor = (author: { id: Id; service_id: Id }): Statement => statement`
WITH own AS (SELECT id, external_id, url FROM strandline.posts WHERE author_id = ${author.id})
SELECT p.id, p.external_id, ARRAY(
  SELECT v.url FROM strandline.post_versions v WHERE v.post_id = p.id AND v.url IS NOT NULL
  UNION SELECT p.url WHERE p.url IS NOT NULL
) AS urls
FROM (
  SELECT * FROM own
  UNION
  SELECT p.id, p.external_id, p.url FROM strandline.posts p
  WHERE p.service_id = ${author.service_id} AND p.reposted_status_id IN (SELECT external_id FROM own)
) p ORDER BY p.id`;

const linksAt = (addresses: readonly string[]): Statement => statement`
SELECT id, canonical, ARRAY(SELECT address FROM strandline.link_addresses WHERE link_id = links.id) AS addresses
FROM strandline.links
WHERE canonical = ANY (${addresses}::text[])
  OR id IN (SELECT link_id FROM strandline.link_addresses WHERE address = ANY (${addresses}::text[]))
ORDER BY id`;

/** @param profiles the author's pages on the service, former ones too */
export async function findTraces(
  tx: Queryable,
  author: { id: Id; service_id: Id },
  profiles: readonly string[],
  linkRules: readonly OwnLinkRule[],
): Promise<Traces> {
  const posts = await rowsOf<Traces['posts'][number] & { urls: string[] }>(tx, postsOfAuthor(author));
  const addresses = [...profiles, ...posts.flatMap(({ urls }) => urls)].flatMap((url) =>
    listSpellings(url, linkRules),
  );
  const links = await rowsOf<Traces['links'][number] & { addresses: string[] }>(tx, linksAt(addresses));
  const postIds = posts.map(({ id }) => id);
  const own = new Set(links.map(({ id }) => id));
  const contained = (await listContained(tx, postIds)).filter((id) => !own.has(id));
  return {
    posts,
    links,
    orphanIds: await findOrphanLinks(tx, contained, { postIds }),
    addresses: [...addresses, ...links.flatMap((link) => link.addresses)],
  };
}

/** Removes weights in completions, by their names: URLs and IDs of posts. @returns in how many completions */
async function removeWeights(tx: Transaction, names: readonly string[]): Promise<number> {
  const { rowCount } = await execute(
    tx,
    statement`UPDATE strandline.completions SET miner_link_scores = miner_link_scores - ${names}::text[]
      WHERE miner_link_scores ?| ${names}::text[]`,
  );
  return rowCount ?? 0;
}

/** Clears texts of the posts that other posts quote. @returns how many */
async function clearQuotes(tx: Transaction, postIds: readonly Id[]): Promise<number> {
  const { rowCount: newest } = await execute(
    tx,
    statement`UPDATE strandline.posts q SET quote = NULL FROM strandline.posts p
      WHERE p.id = ANY (${postIds}) AND q.service_id = p.service_id AND q.quoted_status_id = p.external_id AND q.quote IS NOT NULL`,
  );
  const { rowCount: former } = await execute(
    tx,
    statement`UPDATE strandline.post_versions v SET quote = NULL FROM strandline.posts p
      JOIN strandline.posts q ON q.service_id = p.service_id AND q.quoted_status_id = p.external_id
      WHERE p.id = ANY (${postIds}) AND v.post_id = q.id AND v.quote IS NOT NULL`,
  );
  return (newest ?? 0) + (former ?? 0);
}

/** Keys of items, which name them. (A purge keeps the keys, so that its topic reports nothing again.) */
async function listItemKeys(
  tx: Transaction,
  { postIds, linkIds }: Items,
  addresses: readonly string[],
): Promise<string[]> {
  const rows = await rowsOf<{ key: string | null }>(
    tx,
    statement`SELECT unnest(ARRAY[p.key, ${verbatim(POST_ID_KEY_SQL)}]) AS key FROM strandline.posts p WHERE id = ANY (${postIds}::bigint[])
      UNION SELECT canonical FROM strandline.links WHERE id = ANY (${linkIds}::bigint[])
      UNION SELECT unnest(${addresses}::text[])`,
  );
  return rows.flatMap(({ key }) => key ?? []);
}

/** What a table is called in the counts, if not by its own name. */
const COUNTED_AS: Readonly<Record<string, string>> = {
  archive_changes: 'archived',
  archive_documents: 'archived',
  author_counters: 'snapshots',
  author_snapshots: 'snapshots',
  author_versions: 'versions',
  deliveries: 'messages',
  delivery_discoveries: 'messages',
  dropped_posts: 'sightings',
  growth_reports: 'growth',
  link_addresses: 'addresses',
  link_sightings: 'sightings',
  post_counters: 'snapshots',
  post_counters_at_age: 'snapshots',
  post_sightings: 'sightings',
  post_snapshots: 'snapshots',
  post_versions: 'versions',
  search_rising: 'snapshots',
  search_tops: 'tallies',
};

/** @returns deleted or changed rows by kind */
export async function removeTraces(
  tx: Transaction,
  authorId: Id,
  { posts, links, orphanIds, addresses }: Traces,
): Promise<Record<string, number>> {
  const items = {
    postIds: posts.map(({ id }) => id),
    linkIds: [...links.map(({ id }) => id), ...orphanIds],
  };
  const days = await listCountedDays(tx, items.postIds, items.linkIds);
  const weighed = [...posts.map((post) => post.external_id), ...links.map((link) => link.canonical)];
  const digests = await eraseItemsFromDigests(tx, items);
  const weights = await removeWeights(tx, [...weighed, ...addresses]);
  const quotes = await clearQuotes(tx, items.postIds);
  const keys = await listItemKeys(tx, items, addresses);
  const ofItems = await eraseItems(tx, items, { includeUnindexed: true });
  await execute(
    tx,
    statement`DELETE FROM strandline.topic_items
      WHERE topic_id IN (SELECT id FROM strandline.topics) AND key = ANY (${keys}::text[])`,
  );
  const ofAuthor = await eraseRows(tx, 'authors', [authorId], { includeUnindexed: true });
  await recountDays(tx, days);
  return { ...sumByKind([ofItems, ofAuthor]), digests, quotes, weights };
}

function sumByKind(erased: readonly ErasedRows[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [table, n] of erased.flatMap((rows) => Object.entries(rows))) {
    const kind = COUNTED_AS[table] ?? table;
    sums[kind] = (sums[kind] ?? 0) + n;
  }
  return sums;
}
