/** Erases from stored digests what is forgotten or purged. The rest of a digest stays as it was sent, with its numbers. */
import { type Id, selectIds, type Transaction } from '../db/database.ts';
import { clearBodiesSql } from './erasure.ts';
import type { Items } from './items.ts';

const S = 'strandline';

/** The members of a list `member` of a digest `value` that a condition on `e` keeps. */
const keepSql = (member: string, isGone: string) =>
  `coalesce((SELECT jsonb_agg(e ORDER BY n) FROM jsonb_array_elements(value->'${member}') WITH ORDINALITY u(e, n) WHERE NOT (${isGone})), '[]')`;

/** A topic `e` with the items `i` that a condition does not name. */
const keepItemsSql = (isGone: string) =>
  `coalesce((SELECT jsonb_agg(jsonb_set(e, '{items}', coalesce((
     SELECT jsonb_agg(i ORDER BY m) FROM jsonb_array_elements(e->'items') WITH ORDINALITY w(i, m) WHERE NOT (${isGone})
   ), '[]')) ORDER BY n) FROM jsonb_array_elements(value->'topics') WITH ORDINALITY u(e, n)), '[]')`;

/** $1 keys of posts, $2 keys of links, as text. @param item a JSON object */
const isItemSql = (item: string) =>
  `coalesce(${item}->>'id' = ANY (CASE ${item}->>'kind' WHEN 'post' THEN $1::text[] WHEN 'link' THEN $2::text[] END), false)`;

const ERASE_ITEMS = `
UPDATE ${S}.digests SET value = value
  || jsonb_build_object('topics', ${keepItemsSql(isItemSql('i'))}, 'growing', ${keepSql('growing', isItemSql("(e->'item')"))})
WHERE value IS NOT NULL AND EXISTS (
  SELECT FROM jsonb_path_query(value, 'strict $.topics[*].items[*]') i WHERE ${isItemSql('i')}
  UNION ALL SELECT FROM jsonb_path_query(value, 'lax $.growing[*].item') i WHERE ${isItemSql('i')}
) RETURNING id`;

/** $1 slugs. @param entry a JSON object */
const isOfSearchSql = (entry: string) => `coalesce(${entry}->>'search' = ANY ($1::text[]), false)`;

const ERASE_SEARCH = `
UPDATE ${S}.digests SET value = value || jsonb_build_object('topics', ${keepItemsSql(isOfSearchSql('i'))},
  'growing', ${keepSql('growing', `${isOfSearchSql('e')} OR ${isOfSearchSql("(e->'item')")}`)},
  ${['answers', 'attention', 'not_collected'].map((member) => `'${member}', ${keepSql(member, isOfSearchSql('e'))}`).join(', ')})
WHERE value IS NOT NULL AND EXISTS (
  SELECT FROM jsonb_path_query(value, 'lax $.**.search') s WHERE s #>> '{}' = ANY ($1::text[])
) RETURNING id`;

const isOfTopicSql = `coalesce(e->>'topic' = ANY ($1::text[]), false)`;
const LISTS = ['topics', 'growing', 'answers', 'attention', 'not_collected', 'quiet'];

const ERASE_TOPIC = `
UPDATE ${S}.digests SET value = value || jsonb_build_object(${LISTS.map((member) => `'${member}', ${keepSql(member, isOfTopicSql)}`).join(', ')})
WHERE value IS NOT NULL AND EXISTS (
  SELECT FROM jsonb_path_query(value, 'lax $.**.topic') s WHERE s #>> '{}' = ANY ($1::text[])
) RETURNING id`;

/** $1 digests. */
const CLEAR_BODIES = clearBodiesSql('digest_id = ANY ($1::bigint[])');

/** Erases posts and links. @returns from how many digests */
export async function eraseItemsFromDigests(tx: Transaction, { postIds, linkIds }: Items): Promise<number> {
  const erased = await selectIds(tx, ERASE_ITEMS, [postIds.map(String), linkIds.map(String)]);
  await tx.query(CLEAR_BODIES, [erased]);
  return erased.length;
}

/** Erases what is about a topic or search, under any slug that it had. @returns from how many digests */
export async function eraseFromDigests(
  tx: Transaction,
  table: 'topics' | 'searches',
  id: Id,
): Promise<number> {
  const kind = table === 'topics' ? 'topic' : 'search';
  const { rows } = await tx.query<{ slug: string }>(
    `SELECT slug FROM ${S}.${table} WHERE id = $1
     UNION SELECT slug FROM ${S}.former_slugs WHERE ${kind}_id = $1`,
    [id],
  );
  const erased = await selectIds(tx, kind === 'topic' ? ERASE_TOPIC : ERASE_SEARCH, [
    rows.map(({ slug }) => slug),
  ]);
  await tx.query(CLEAR_BODIES, [erased]);
  return erased.length;
}
