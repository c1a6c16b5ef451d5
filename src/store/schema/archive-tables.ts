/**
 * The archive: what was found, cut into words for full-text search. It stands beside the posts and links and
 * is filled behind the save (`store/archive/index-archive.ts`), so that a save pays nothing for it.
 */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, customType, index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant, key, ref, strandline } from './schema.ts';

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });

/** A post or a link as it is searched. */
export const archive_documents = strandline.table(
  'archive_documents',
  {
    kind: text().notNull(),
    /** Id of the post or link. */
    thing: ref().notNull(),
    /** Publication time; if unknown, when it was first seen. */
    at: instant().notNull(),
    /** Only the sandbox ever found it. */
    sandbox: boolean().notNull(),
    /** How its words were brought to their stems: the name of a text search configuration. */
    config: text().notNull(),
    /** How many words it has, without those that say little. */
    words: integer().notNull(),
    tsv: tsvector().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.thing] }),
    index('archive_documents_tsv').using('gin', t.tsv),
    index('archive_documents_at').on(t.at),
    check('archive_documents_kind', sql`${t.kind} in ('post', 'link')`),
  ],
);

/** Document frequency of each lexeme, maintained on write. */
export const archive_lexemes = strandline.table(
  'archive_lexemes',
  {
    lexeme: text().notNull(),
    sandbox: boolean().notNull(),
    documents: integer().notNull(),
    /** No document that holds it is newer; `infinity` where that was never looked at. */
    newest_at: instant().notNull().default(sql`'infinity'`),
  },
  (t) => [primaryKey({ columns: [t.lexeme, t.sandbox] })],
);

/** How many documents there are, and words in them; the two worlds are counted apart. */
export const archive_corpora = strandline.table(
  'archive_corpora',
  {
    sandbox: boolean().notNull(),
    config: text().notNull(),
    documents: bigint({ mode: 'number' }).notNull(),
    words: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.sandbox, t.config] })],
);

/** Up to which discovery the archive has read the feed. One row, whose lock is the right to write the archive. */
export const archive_progress = strandline.table(
  'archive_progress',
  { only: boolean().primaryKey().default(true), discovery_id: ref().notNull() },
  (t) => [check('archive_progress_only', sql`${t.only}`)],
);

/** Posts and links whose words changed after they were found: written by triggers, emptied by the archive. */
export const archive_changes = strandline.table('archive_changes', {
  id: key(),
  kind: text().notNull(),
  thing: ref().notNull(),
});
