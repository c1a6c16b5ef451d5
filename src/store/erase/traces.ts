/**
 * SQL that finds and deletes everything stored about an author, or about items that are purged. Runs while saves are blocked (see
 * `forget-author.ts`). IDs in `run_results` and `observed_items` are kept: they preserve the number of results, and
 * refer to nothing.
 */
import type { OwnLinkRule } from '../../model/links/link-identity.ts';
import { type Id, type Queryable, selectIds, type Transaction } from '../db/database.ts';
import { listCountedDays, recountDays } from '../derive/undo-derivations.ts';
import { POST_ID_KEY_SQL } from '../save/topic-items.ts';
import { eraseItemsFromDigests } from './erase-from-digests.ts';
import { listSpellings } from './tombstones.ts';

/**
 * Clears bodies that mention these discoveries, and the responses of receivers to them. Unsent messages are composed
 * again without them.
 * @param which a condition on discoveries `d`, with the parameter $1
 */
export function clearBodiesSql(which: string): string {
  return `UPDATE strandline.deliveries SET body = NULL, answer = NULL,
    state = CASE WHEN state = 'pending' THEN 'gathering' ELSE state END
  WHERE (body IS NOT NULL OR answer IS NOT NULL) AND id IN (
    SELECT x.delivery_id FROM strandline.delivery_discoveries x
    JOIN strandline.discoveries d ON d.id = x.discovery_id WHERE ${which})`;
}

/** Entries of messages for these discoveries. */
export function leaveOutSql(which: string): string {
  return `DELETE FROM strandline.delivery_discoveries
  WHERE discovery_id IN (SELECT d.id FROM strandline.discoveries d WHERE ${which})`;
}

/** Deletes rules whose entire scope is purged, with their messages. @param which a condition on rules `r` */
export function removeRulesSql(which: string): readonly string[] {
  const rules = `(SELECT r.id FROM strandline.rules r WHERE ${which})`;
  const deliveries = `(SELECT id FROM strandline.deliveries WHERE rule_id IN ${rules})`;
  return [
    `DELETE FROM strandline.delivery_discoveries WHERE delivery_id IN ${deliveries}`,
    `DELETE FROM strandline.deliveries WHERE rule_id IN ${rules}`,
    `DELETE FROM strandline.digests WHERE rule_id IN ${rules}`,
    `DELETE FROM strandline.rule_channels WHERE rule_id IN ${rules}`,
    `DELETE FROM strandline.rules r WHERE ${which}`,
  ];
}

const PROBLEMS_OF_SEARCH = '(SELECT id FROM strandline.system_events WHERE search_id = $1)';
/** Deletes problems of a search, and clears messages about them, as {@link clearBodiesSql} does. $1 search. */
export const REMOVE_PROBLEMS: readonly string[] = [
  `UPDATE strandline.deliveries SET body = NULL, answer = NULL,
     state = CASE WHEN state = 'pending' THEN 'gathering' ELSE state END
   WHERE id IN (SELECT delivery_id FROM strandline.delivery_events WHERE event_id IN ${PROBLEMS_OF_SEARCH})`,
  `DELETE FROM strandline.delivery_events WHERE event_id IN ${PROBLEMS_OF_SEARCH}`,
  'DELETE FROM strandline.system_events WHERE search_id = $1',
];

export type Traces = {
  posts: { id: Id; external_id: string }[];
  links: { id: Id; canonical: string }[];
  /** Of the posts, former ones too, and of the author's pages; in all known spellings if an author is forgotten. */
  addresses: string[];
};

/** Posts of the author, and reposts of them, each with all its addresses. $1 service, $2 author. */
const SELECT_POSTS_OF_AUTHOR = `
WITH own AS (SELECT id, external_id, url FROM strandline.posts WHERE author_id = $2)
SELECT p.id, p.external_id, ARRAY(
  SELECT v.url FROM strandline.post_versions v WHERE v.post_id = p.id AND v.url IS NOT NULL
  UNION SELECT p.url WHERE p.url IS NOT NULL
) AS urls
FROM (
  SELECT * FROM own
  UNION
  SELECT p.id, p.external_id, p.url FROM strandline.posts p
  WHERE p.service_id = $1 AND p.reposted_status_id IN (SELECT external_id FROM own)
) p ORDER BY p.id`;

/** $1 addresses. */
const SELECT_LINKS_OF_AUTHOR = `
SELECT id, canonical, ARRAY(SELECT address FROM strandline.link_addresses WHERE link_id = links.id) AS addresses
FROM strandline.links
WHERE canonical = ANY ($1::text[])
  OR id IN (SELECT link_id FROM strandline.link_addresses WHERE address = ANY ($1::text[]))
ORDER BY id`;

/** @param profiles the author's pages on the service, former ones too */
export async function findTraces(
  tx: Queryable,
  author: { id: Id; service_id: Id },
  profiles: readonly string[],
  linkRules: readonly OwnLinkRule[],
): Promise<Traces> {
  const { rows: posts } = await tx.query<Traces['posts'][number] & { urls: string[] }>(
    SELECT_POSTS_OF_AUTHOR,
    [author.service_id, author.id],
  );
  const addresses = [...profiles, ...posts.flatMap(({ urls }) => urls)].flatMap((url) =>
    listSpellings(url, linkRules),
  );
  const { rows: links } = await tx.query<Traces['links'][number] & { addresses: string[] }>(
    SELECT_LINKS_OF_AUTHOR,
    [addresses],
  );
  return { posts, links, addresses: [...addresses, ...links.flatMap((link) => link.addresses)] };
}

/** What the parameter of a statement contains: IDs of posts, IDs of links, or the author's. */
type TraceKind = 'posts' | 'links' | 'author';

const POST_NEWS = `(d.kind = 'post' AND d.thing = ANY ($1)
  OR d.kind = 'growth' AND d.thing IN (SELECT id FROM strandline.growth_reports WHERE post_id = ANY ($1)))`;
const LINK_NEWS = `d.kind = 'link' AND d.thing = ANY ($1)`;

/** $1 posts, $2 links. */
const SELECT_NEWS = `
SELECT id FROM strandline.discoveries d WHERE ${POST_NEWS}
UNION ALL SELECT id FROM strandline.discoveries d WHERE d.kind = 'link' AND d.thing = ANY ($2)`;

/** The discoveries of these posts and links. */
export async function listDiscoveries(
  tx: Queryable,
  { posts, links }: Pick<Traces, 'posts' | 'links'>,
): Promise<Id[]> {
  return selectIds(tx, SELECT_NEWS, [posts.map(({ id }) => id), links.map(({ id }) => id)]);
}

/** Links that are only in these posts: neither returned by a search nor cited. */
const DELETE_LINKS_OF_POSTS = `
WITH mine AS (
  DELETE FROM strandline.post_links WHERE post_id = ANY ($1) RETURNING link_id
), own AS MATERIALIZED (
  SELECT DISTINCT m.link_id AS id FROM mine m
  WHERE NOT EXISTS (SELECT FROM strandline.post_links WHERE link_id = m.link_id AND post_id <> ALL ($1))
    AND NOT EXISTS (SELECT FROM strandline.link_sightings WHERE link_id = m.link_id)
    AND NOT EXISTS (SELECT FROM strandline.completions WHERE completion_links @> ARRAY[m.link_id])
    AND NOT EXISTS (SELECT FROM strandline.key_items WHERE link_id = m.link_id)
    AND NOT EXISTS (SELECT FROM strandline.completions c CROSS JOIN unnest(c.search_completion_links) u(id) WHERE u.id = m.link_id)
    AND NOT EXISTS (SELECT FROM strandline.completion_claims c CROSS JOIN unnest(c.link_ids) u(id) WHERE u.id = m.link_id)
), addresses AS (
  DELETE FROM strandline.link_addresses WHERE link_id IN (SELECT id FROM own)
)
DELETE FROM strandline.links WHERE id IN (SELECT id FROM own)`;

type Deletion = readonly [name: string, by: TraceKind, statement: string];

/** What else mentions the items, and the author's own rows, with the names used in the counts. */
const DELETE_MENTIONS: readonly Deletion[] = [
  ['versions', 'author', 'DELETE FROM strandline.author_versions WHERE author_id = $1'],
  ['tallies', 'author', `DELETE FROM strandline.search_tops WHERE kind = 'author' AND name = $1::text`],
  ['snapshots', 'author', 'DELETE FROM strandline.author_snapshots WHERE author_id = $1'],
  ['snapshots', 'author', 'DELETE FROM strandline.author_counters WHERE author_id = $1'],
  [
    'spikes',
    'author',
    'UPDATE strandline.spikes SET top_author_id = NULL, author_share = NULL WHERE top_author_id = $1',
  ],
  ['key_items', 'links', 'DELETE FROM strandline.key_items WHERE link_id = ANY ($1)'],
  [
    'claims',
    'links',
    `DELETE FROM strandline.claims
     WHERE id IN (SELECT claim_id FROM strandline.completion_claims WHERE link_ids && $1::bigint[])`,
  ],
  [
    'spikes',
    'posts',
    'UPDATE strandline.spikes SET top_post_id = NULL, top_share = NULL WHERE top_post_id = ANY ($1)',
  ],
  [
    'snapshots',
    'posts',
    'UPDATE strandline.run_gains SET top_post_id = NULL, top_gained = NULL WHERE top_post_id = ANY ($1)',
  ],
  [
    'quotes',
    'posts',
    `UPDATE strandline.posts q SET quote = NULL FROM strandline.posts p
     WHERE p.id = ANY ($1) AND q.service_id = p.service_id AND q.quoted_status_id = p.external_id AND q.quote IS NOT NULL`,
  ],
  ['links', 'posts', DELETE_LINKS_OF_POSTS],
  [
    'quotes',
    'posts',
    `UPDATE strandline.post_versions v SET quote = NULL FROM strandline.posts p
     JOIN strandline.posts q ON q.service_id = p.service_id AND q.quoted_status_id = p.external_id
     WHERE p.id = ANY ($1) AND v.post_id = q.id AND v.quote IS NOT NULL`,
  ],
];

/** Rows of the items themselves, by their keys, in an order that satisfies foreign keys. */
const DELETE_ITEM_ROWS: readonly Deletion[] = [
  ['messages', 'posts', clearBodiesSql(POST_NEWS)],
  ['messages', 'links', clearBodiesSql(LINK_NEWS)],
  ['messages', 'posts', leaveOutSql(POST_NEWS)],
  ['messages', 'links', leaveOutSql(LINK_NEWS)],
  ['discoveries', 'posts', `DELETE FROM strandline.discoveries d WHERE ${POST_NEWS}`],
  ['discoveries', 'links', `DELETE FROM strandline.discoveries WHERE kind = 'link' AND thing = ANY ($1)`],
  ['growth', 'posts', 'DELETE FROM strandline.growth_reports WHERE post_id = ANY ($1)'],
  ['sightings', 'posts', 'DELETE FROM strandline.post_sightings WHERE post_id = ANY ($1)'],
  ['sightings', 'links', 'DELETE FROM strandline.link_sightings WHERE link_id = ANY ($1)'],
  ['snapshots', 'posts', 'DELETE FROM strandline.post_snapshots WHERE post_id = ANY ($1)'],
  ['versions', 'posts', 'DELETE FROM strandline.post_versions WHERE post_id = ANY ($1)'],
  ['snapshots', 'posts', 'DELETE FROM strandline.post_counters WHERE post_id = ANY ($1)'],
  ['snapshots', 'posts', 'DELETE FROM strandline.post_counters_at_age WHERE post_id = ANY ($1)'],
  ['snapshots', 'posts', 'DELETE FROM strandline.post_gains WHERE post_id = ANY ($1)'],
  ['snapshots', 'posts', 'DELETE FROM strandline.search_rising WHERE post_id = ANY ($1)'],
  ['sightings', 'posts', 'DELETE FROM strandline.dropped_posts WHERE post_id = ANY ($1)'],
  ['archived', 'posts', `DELETE FROM strandline.archive_changes WHERE kind = 'post' AND thing = ANY ($1)`],
  ['archived', 'links', `DELETE FROM strandline.archive_changes WHERE kind = 'link' AND thing = ANY ($1)`],
  ['links', 'posts', 'DELETE FROM strandline.post_links WHERE post_id = ANY ($1)'],
  ['links', 'links', 'DELETE FROM strandline.post_links WHERE link_id = ANY ($1)'],
  ['posts', 'posts', 'DELETE FROM strandline.posts WHERE id = ANY ($1)'],
  ['addresses', 'links', 'DELETE FROM strandline.link_addresses WHERE link_id = ANY ($1)'],
  ['links', 'links', 'DELETE FROM strandline.links WHERE id = ANY ($1)'],
];

/** Citations and weights in completions. $1 links, $2 keys of the weights: URLs and IDs of posts. */
const REMOVE_CITATIONS = `
UPDATE strandline.completions c
SET completion_links = ARRAY(SELECT id FROM unnest(completion_links) WITH ORDINALITY u(id, n) WHERE id <> ALL ($1::bigint[]) ORDER BY n),
  search_completion_links =
    ARRAY(SELECT id FROM unnest(search_completion_links) WITH ORDINALITY u(id, n) WHERE id <> ALL ($1::bigint[]) ORDER BY n),
  miner_link_scores = miner_link_scores - $2::text[]
WHERE completion_links && $1::bigint[] OR search_completion_links && $1::bigint[] OR miner_link_scores ?| $2::text[]`;

/** Keys of items name an author's posts: forgetting deletes them, purging does not. $1 posts, $2 links, $3 addresses. */
const DELETE_ITEMS = `
DELETE FROM strandline.topic_items WHERE topic_id IN (SELECT id FROM strandline.topics) AND key = ANY (ARRAY(
  SELECT unnest(ARRAY[p.key, ${POST_ID_KEY_SQL}]) FROM strandline.posts p WHERE id = ANY ($1::bigint[])
  UNION SELECT canonical FROM strandline.links WHERE id = ANY ($2::bigint[])
  UNION SELECT unnest($3::text[])))`;

/** Only the holder of the progress row may write the archive. */
const LOCK_ARCHIVE = 'SELECT FROM strandline.archive_progress FOR UPDATE';

/** Deletes documents from the archive, and subtracts their words from its counts. $1 posts, $2 links. */
const REMOVE_FROM_ARCHIVE = `
WITH gone AS MATERIALIZED (
  DELETE FROM strandline.archive_documents
  WHERE (kind = 'post' AND thing = ANY ($1::bigint[])) OR (kind = 'link' AND thing = ANY ($2::bigint[]))
  RETURNING config, words, tsv
), counted AS (
  UPDATE strandline.archive_lexemes l SET documents = l.documents - c.n
  FROM (SELECT u.lexeme, count(*) AS n FROM gone g, unnest(g.tsv) u GROUP BY 1) c
  WHERE l.lexeme = c.lexeme RETURNING l.lexeme, l.documents
), sized AS (
  UPDATE strandline.archive_corpora a SET documents = a.documents - s.documents, words = a.words - s.words
  FROM (SELECT config, count(*) AS documents, sum(words) AS words FROM gone GROUP BY 1) s
  WHERE a.config = s.config
)
SELECT count(*)::int AS n, (SELECT array_agg(lexeme) FROM counted WHERE documents <= 0) AS unused FROM gone`;

/** @returns how many documents were deleted */
export async function removeFromArchive(
  tx: Transaction,
  postIds: readonly Id[],
  linkIds: readonly Id[],
): Promise<number> {
  await tx.query(LOCK_ARCHIVE);
  const { rows } = await tx.query<{ n: number; unused: string[] | null }>(REMOVE_FROM_ARCHIVE, [
    postIds,
    linkIds,
  ]);
  const [{ n, unused } = { n: 0, unused: null }] = rows;
  await tx.query(
    'DELETE FROM strandline.archive_lexemes WHERE lexeme = ANY ($1::text[]) AND documents <= 0',
    [unused ?? []],
  );
  return n;
}

/** Deletes posts and links with their rows, by indexes only. What mentions them elsewhere stays. */
export async function deleteItems(
  tx: Transaction,
  postIds: readonly Id[],
  linkIds: readonly Id[],
): Promise<void> {
  await removeFromArchive(tx, postIds, linkIds);
  await deleteAll(tx, DELETE_ITEM_ROWS, { posts: postIds, links: linkIds, author: null });
}

/** @returns deleted or changed rows by kind */
export async function removeTraces(
  tx: Transaction,
  authorId: Id,
  { posts, links, addresses }: Traces,
): Promise<Record<string, number>> {
  const postIds = posts.map(({ id }) => id);
  const linkIds = links.map(({ id }) => id);
  const days = await listCountedDays(tx, postIds, linkIds);
  const gone: Record<string, number> = { archived: await removeFromArchive(tx, postIds, linkIds) };
  // A lexeme that an edit left without documents may be the name of the author.
  await tx.query('DELETE FROM strandline.archive_lexemes WHERE documents <= 0');
  const scored = [...posts.map(({ external_id }) => external_id), ...links.map(({ canonical }) => canonical)];
  gone['digests'] = await eraseItemsFromDigests(tx, { postIds, linkIds });
  gone['completions'] =
    (await tx.query(REMOVE_CITATIONS, [linkIds, [...scored, ...addresses]])).rowCount ?? 0;
  await tx.query(DELETE_ITEMS, [postIds, linkIds, addresses]);
  const ids = { posts: postIds, links: linkIds, author: authorId };
  const authors: Deletion = ['authors', 'author', 'DELETE FROM strandline.authors WHERE id = $1'];
  await deleteAll(tx, [...DELETE_MENTIONS, ...DELETE_ITEM_ROWS, authors], ids, gone);
  await recountDays(tx, days);
  return gone;
}

/** @param gone rows by kind so far; added to */
async function deleteAll(
  tx: Transaction,
  deletions: readonly Deletion[],
  ids: Record<Exclude<TraceKind, 'author'>, readonly Id[]> & { author: Id | null },
  gone: Record<string, number> = {},
): Promise<void> {
  for (const [name, by, statement] of deletions) {
    const { rowCount } = await tx.query(statement, [ids[by]]);
    gone[name] = (gone[name] ?? 0) + (rowCount ?? 0);
  }
}
