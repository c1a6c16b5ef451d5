/**
 * The topics, searches and stories of shared pages. A stored address has their ids for their slugs (`/topics/{t3}`), so that it
 * follows a rename, and never leads to another topic that has the slug later.
 */
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Id, Orm } from '../db/database.ts';
import { stories } from '../schema/story-tables.ts';
import { searches, topics } from '../schema/topic-tables.ts';

export type SubjectKind = 'topic' | 'search' | 'story';
export type Subject = {
  kind: SubjectKind;
  id: Id;
  /** Slug; of a story, its id. */
  slug: string;
  /** Name of the topic. */
  topic: string;
};

const LETTERS = { topic: 't', search: 's', story: 'y' } as const satisfies Record<SubjectKind, string>;
/** Addresses are stored with braces of their own percent-encoded. */
const PLACEHOLDER = /\{([tsy])(\d+)\}/g;

/** `{t3}` */
export function writePlaceholder({ kind, id }: Pick<Subject, 'kind' | 'id'>): string {
  return `{${LETTERS[kind]}${id}}`;
}

/** Subjects that are not removed, nor their topics. @param by ids, or slugs; of stories, ids only */
export async function readSubjects(
  { orm }: Orm,
  kind: SubjectKind,
  by: { ids: readonly Id[] } | { slugs: readonly string[] },
): Promise<Subject[]> {
  const named = 'ids' in by ? by.ids : by.slugs;
  if (named.length === 0) return [];
  if (kind === 'topic') {
    const which = 'ids' in by ? inArray(topics.id, [...by.ids]) : inArray(topics.slug, [...by.slugs]);
    const rows = await orm
      .select({ id: topics.id, slug: topics.slug, topic: topics.name })
      .from(topics)
      .where(and(which, isNull(topics.archived_at)));
    return rows.map((row) => ({ kind, ...row }));
  }
  if (kind === 'search') {
    const which = 'ids' in by ? inArray(searches.id, [...by.ids]) : inArray(searches.slug, [...by.slugs]);
    const rows = await orm
      .select({ id: searches.id, slug: searches.slug, topic: topics.name })
      .from(searches)
      .innerJoin(topics, eq(topics.id, searches.topic_id))
      .where(and(which, isNull(searches.archived_at), isNull(topics.archived_at)));
    return rows.map((row) => ({ kind, ...row }));
  }
  const ids = 'ids' in by ? [...by.ids] : by.slugs.map(BigInt);
  const rows = await orm
    .select({ id: stories.id, topic: topics.name })
    .from(stories)
    .innerJoin(topics, eq(topics.id, stories.topic_id))
    .where(and(inArray(stories.id, ids), isNull(topics.archived_at)));
  return rows.map((row) => ({ kind, ...row, slug: String(row.id) }));
}

/** Stored addresses as they are now, in their order; null where something that an address names is removed. */
export async function writeAddresses(db: Orm, stored: readonly string[]): Promise<(string | null)[]> {
  const slugs = new Map<string, string>();
  const all = stored.join('\n');
  for (const [kind, letter] of Object.entries(LETTERS) as [SubjectKind, string][]) {
    // its own keys
    const ids = [...all.matchAll(PLACEHOLDER)].flatMap(([, own, id = '']) =>
      own === letter ? [BigInt(id)] : [],
    );
    for (const subject of await readSubjects(db, kind, { ids: [...new Set(ids)] }))
      slugs.set(writePlaceholder(subject), subject.slug);
  }
  return stored.map((address) => {
    const isWhole = [...address.matchAll(PLACEHOLDER)].every(([placeholder]) => slugs.has(placeholder));
    return isWhole ? address.replaceAll(PLACEHOLDER, (placeholder) => slugs.get(placeholder) ?? '') : null;
  });
}
