/**
 * Slugs that topics and searches had before they were renamed. Each former slug leads to the topic or search that had it
 * last. A slug that is in use is no former slug.
 */
import type { Id, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, type Statement, statement, verbatim } from '../db/statement.ts';

export type NamedKind = 'topic' | 'search';
type Named = { kind: NamedKind; slug: string };

/** The former slugs among these slugs, each with the current slug of its topic or search. */
export async function findRenamed(
  db: Queryable,
  named: readonly Named[],
): Promise<{ kind: NamedKind; former: string; slug: string }[]> {
  if (named.length === 0) return [];
  const kinds = named.map(({ kind }) => kind);
  const slugs = named.map(({ slug }) => slug);
  return rowsOf<{ kind: NamedKind; former: string; slug: string }>(
    db,
    statement`SELECT f.kind, f.slug AS former, coalesce(t.slug, s.slug) AS slug
      FROM unnest(${kinds}::text[], ${slugs}::text[]) n(kind, slug) JOIN strandline.former_slugs f USING (kind, slug)
      LEFT JOIN strandline.topics t ON t.id = f.topic_id
      LEFT JOIN strandline.searches s ON s.id = f.search_id`,
    'find_renamed',
  );
}

/** The current slugs of topics or searches, in the order of these slugs; unknown slugs as they are. */
export async function findCurrentSlugs(
  db: Queryable,
  kind: NamedKind,
  slugs: readonly string[],
): Promise<string[]> {
  const renamed = await findRenamed(
    db,
    slugs.map((slug) => ({ kind, slug })),
  );
  const current = new Map(renamed.map(({ former, slug }) => [former, slug]));
  return slugs.map((slug) => current.get(slug) ?? slug);
}

/** Reads the topic or search that has a slug, or else the last that had the slug before a rename. @param read by a current slug */
export async function readNamed<Row>(
  db: Queryable,
  { kind, slug }: Named,
  read: (slug: string) => Promise<Row | null | undefined>,
): Promise<Row | null> {
  const row = await read(slug);
  if (row !== null && row !== undefined) return row;
  const [renamed] = await findRenamed(db, [{ kind, slug }]);
  return (renamed && (await read(renamed.slug))) ?? null;
}

/** The ID of a topic or search as SQL, by its slug or by a former one: somebody who polls continues when it is renamed. */
export function namedId(kind: NamedKind, slug: string): Statement {
  const table = verbatim(kind === 'topic' ? 'topics' : 'searches');
  return statement`coalesce(
    (SELECT t.id FROM strandline.${table} t WHERE t.slug = ${slug}::text),
    (SELECT f.${verbatim(kind)}_id FROM strandline.former_slugs f WHERE f.kind = ${kind} AND f.slug = ${slug}::text))`;
}

/** Makes a slug lead to the topic or search that had it. */
export async function keepFormerSlug(
  tx: Transaction,
  { kind, id, slug, now }: Named & { id: Id; now: Date },
): Promise<void> {
  const [topicId, searchId] = kind === 'topic' ? [id, null] : [null, id];
  await execute(
    tx,
    statement`INSERT INTO strandline.former_slugs (kind, slug, topic_id, search_id, until)
      VALUES (${kind}, ${slug}, ${topicId}, ${searchId}, ${now})
      ON CONFLICT (kind, slug) DO UPDATE
        SET topic_id = excluded.topic_id, search_id = excluded.search_id, until = excluded.until`,
  );
}

/**
 * Ends that a slug leads to what had it before. Call it after the row with the slug is written, whose unique index waits
 * for a rename that is in progress.
 */
export async function releaseFormerSlug(tx: Transaction, { kind, slug }: Named): Promise<void> {
  await execute(tx, statement`DELETE FROM strandline.former_slugs WHERE kind = ${kind} AND slug = ${slug}`);
}
