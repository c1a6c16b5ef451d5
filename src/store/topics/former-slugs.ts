/**
 * Slugs that topics and searches had before they were renamed. Each leads to one of them: to the last that had it. A slug
 * that is in use leads to whatever uses it.
 */
import type { Id, Queryable, Transaction } from '../db/database.ts';

export type NamedKind = 'topic' | 'search';

/** A slug that was given up, and the current one of the same topic or search. */
export type RenamedSlug = { kind: NamedKind; former: string; slug: string };

/** What names topics or searches: arguments and options of commands, members of paths, queries and bodies. */
export const NAMING: Readonly<Record<string, NamedKind>> = {
  topic: 'topic',
  topics: 'topic',
  compare: 'topic',
  search: 'search',
};

/** The slugs in a value: one, or several separated by commas. */
export function listSlugs(kind: NamedKind, text: string): { kind: NamedKind; slug: string }[] {
  return text.split(',').map((slug) => ({ kind, slug: slug.trim() }));
}

/** Replaces former slugs in such a value by current ones. */
export function replaceSlugs(kind: NamedKind, text: string, renamed: readonly RenamedSlug[]): string {
  return listSlugs(kind, text)
    .map(({ slug }) => renamed.find((row) => row.kind === kind && row.former === slug)?.slug ?? slug)
    .join(',');
}

/** Of these slugs, those that are former ones. */
export async function findRenamed(
  db: Queryable,
  named: readonly { kind: NamedKind; slug: string }[],
): Promise<RenamedSlug[]> {
  if (named.length === 0) return [];
  const { rows } = await db.query<RenamedSlug>({
    name: 'find_renamed',
    text: `SELECT f.kind, f.slug AS former, coalesce(t.slug, s.slug) AS slug
      FROM unnest($1::text[], $2::text[]) n(kind, slug) JOIN strandline.former_slugs f USING (kind, slug)
      LEFT JOIN strandline.topics t ON t.id = f.topic_id LEFT JOIN strandline.searches s ON s.id = f.search_id`,
    values: [named.map(({ kind }) => kind), named.map(({ slug }) => slug)],
  });
  return rows;
}

/** Makes a slug lead to the topic or search that had it. */
export async function keepFormerSlug(
  tx: Transaction,
  { kind, id, slug, now }: { kind: NamedKind; id: Id; slug: string; now: Date },
): Promise<void> {
  await tx.query(
    `INSERT INTO strandline.former_slugs (kind, slug, topic_id, search_id, until) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (kind, slug) DO UPDATE
       SET topic_id = excluded.topic_id, search_id = excluded.search_id, until = excluded.until`,
    [kind, slug, kind === 'topic' ? id : null, kind === 'search' ? id : null, now],
  );
}

/**
 * Ends that a slug leads to what had it before. Call it after the row with the slug is written, whose unique index waits
 * for a rename that is in progress.
 */
export async function releaseFormerSlug(
  tx: Transaction,
  { kind, slug }: { kind: NamedKind; slug: string },
): Promise<void> {
  await tx.query('DELETE FROM strandline.former_slugs WHERE kind = $1 AND slug = $2', [kind, slug]);
}
