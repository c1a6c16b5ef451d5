/** Erases from stored digests what is forgotten or purged. The rest of a digest stays as it was sent, with its numbers. */
import type { Id, Transaction } from '../db/database.ts';
import { execute, join, rowsOf, selectIds, type Statement, statement, verbatim } from '../db/statement.ts';
import { clearBodies } from './erasure.ts';
import type { Items } from './items.ts';

/** A member of a digest's `value`, and what it is afterwards. */
type Part = { member: string; kept: Statement };

/** A list without the entries `e` that a condition names. */
const without = (member: string, isGone: Statement): Part => ({
  member,
  kept: statement`coalesce((SELECT jsonb_agg(e ORDER BY n)
    FROM jsonb_array_elements(value->'${verbatim(member)}') WITH ORDINALITY u(e, n) WHERE NOT (${isGone})), '[]')`,
});

/** The names of what a digest is limited to, if that is gone. */
const namesUnless = (isGone: Statement): Part[] =>
  ['topic_name', 'search_name'].map((member) => ({
    member,
    kept: statement`CASE WHEN NOT (${isGone}) THEN value->'${verbatim(member)}' END`,
  }));

/** The topics `e` of a digest, each without the items `i` that a condition names. */
const topicsWithoutItems = (isGone: Statement): Part => ({
  member: 'topics',
  kept: statement`coalesce((SELECT jsonb_agg(jsonb_set(e, '{items}', coalesce((
      SELECT jsonb_agg(i ORDER BY m) FROM jsonb_array_elements(e->'items') WITH ORDINALITY w(i, m) WHERE NOT (${isGone})
    ), '[]')) ORDER BY n)
    FROM jsonb_array_elements(value->'topics') WITH ORDINALITY u(e, n)), '[]')`,
});

/**
 * Replaces parts of all digests that mention erased rows, and clears the bodies of their messages.
 * @param isAbout a query that returns a row if a digest mentions an erased row
 * @returns the number of digests
 */
async function replaceParts(tx: Transaction, parts: readonly Part[], isAbout: Statement): Promise<number> {
  const members = parts.map(({ member, kept }) => statement`'${verbatim(member)}', ${kept}`);
  const erased = await selectIds(
    tx,
    statement`UPDATE strandline.digests SET value = value || jsonb_build_object(${join(members, ', ')})
      WHERE value IS NOT NULL AND EXISTS (${isAbout})
      RETURNING id`,
  );
  await execute(tx, clearBodies(statement`digest_id = ANY (${erased}::bigint[])`));
  return erased.length;
}

/** Erases posts and links. @returns from how many digests */
export async function eraseItemsFromDigests(tx: Transaction, { postIds, linkIds }: Items): Promise<number> {
  const keysOf = (kind: Statement) =>
    statement`CASE ${kind} WHEN 'post' THEN ${postIds.map(String)}::text[] WHEN 'link' THEN ${linkIds.map(String)}::text[] END`;
  /** @param item a JSON object */
  const isItem = (item: Statement) =>
    statement`coalesce(${item}->>'id' = ANY (${keysOf(statement`${item}->>'kind'`)}), false)`;
  const ofTopic = isItem(statement`i`);
  return replaceParts(
    tx,
    [topicsWithoutItems(ofTopic), without('growing', isItem(statement`(e->'item')`))],
    statement`SELECT FROM jsonb_path_query(value, 'strict $.topics[*].items[*]') i WHERE ${ofTopic}
      UNION ALL SELECT FROM jsonb_path_query(value, 'lax $.growing[*].item') i WHERE ${ofTopic}`,
  );
}

/** Erases what is about a topic or search, under any slug that it had. @returns from how many digests */
export async function eraseFromDigests(
  tx: Transaction,
  table: 'topics' | 'searches',
  id: Id,
): Promise<number> {
  const kind = table === 'topics' ? 'topic' : 'search';
  const named = await rowsOf<{ slug: string }>(
    tx,
    statement`SELECT slug FROM strandline.${verbatim(table)} WHERE id = ${id}
      UNION SELECT slug FROM strandline.former_slugs WHERE ${verbatim(kind)}_id = ${id}`,
  );
  const slugs = named.map(({ slug }) => slug);
  /** @param entry a JSON object */
  const isAbout = (entry: Statement) =>
    statement`coalesce(${entry}->>'${verbatim(kind)}' = ANY (${slugs}::text[]), false)`;
  return replaceParts(
    tx,
    kind === 'topic' ? partsWithoutTopic(isAbout) : partsWithoutSearch(isAbout),
    statement`SELECT FROM jsonb_path_query(value, 'lax $.**.${verbatim(kind)}') s WHERE s #>> '{}' = ANY (${slugs}::text[])`,
  );
}

function partsWithoutTopic(isAbout: (entry: Statement) => Statement): Part[] {
  const lists = ['topics', 'growing', 'answers', 'attention', 'not_collected', 'quiet'];
  return [
    ...lists.map((member) => without(member, isAbout(statement`e`))),
    ...namesUnless(isAbout(statement`value`)),
  ];
}

function partsWithoutSearch(isAbout: (entry: Statement) => Statement): Part[] {
  const ofEntry = isAbout(statement`e`);
  return [
    topicsWithoutItems(isAbout(statement`i`)),
    without('growing', statement`${ofEntry} OR ${isAbout(statement`(e->'item')`)}`),
    ...['answers', 'attention', 'not_collected'].map((member) => without(member, ofEntry)),
    ...namesUnless(isAbout(statement`value`)),
  ];
}
