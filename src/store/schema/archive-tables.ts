/**
 * The archive: words of all items for full-text search. Separate from posts and links and filled after the save
 * (`store/archive/index-archive.ts`), so that it does not slow down saves.
 */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, customType, index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant, key, ref, strandline } from './schema.ts';

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });

/** A searchable post or link. */
export const archive_documents = strandline.table(
  'archive_documents',
  {
    kind: text().notNull(),
    /** ID of the post or link. */
    thing: ref().notNull(),
    /** Publication time; if unknown, when it was first seen. */
    at: instant().notNull(),
    /** Text search configuration used for stemming. */
    config: text().notNull(),
    /** Number of words, without stop words. */
    words: integer().notNull(),
    tsv: tsvector().notNull(),
    /** Folded words as written, also of authors, hashtags and sites: for phrases. */
    exact: tsvector().notNull().default(''),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.thing] }),
    index('archive_documents_tsv').using('gin', t.tsv),
    index('archive_documents_exact').using('gin', t.exact),
    index('archive_documents_at').on(t.at),
    check('archive_documents_kind', sql`${t.kind} in ('post', 'link')`),
  ],
);

/** Document frequency of each lexeme, maintained on write. */
export const archive_lexemes = strandline.table('archive_lexemes', {
  lexeme: text().primaryKey(),
  documents: integer().notNull(),
  /** No document with it is newer; `infinity` if never computed. */
  newest_at: instant().notNull().default(sql`'infinity'`),
});

/** Totals of documents and words. */
export const archive_corpora = strandline.table('archive_corpora', {
  config: text().primaryKey(),
  documents: bigint({ mode: 'number' }).notNull(),
  words: bigint({ mode: 'number' }).notNull(),
});

/** Up to which discovery the archive has read the feed. One row; its lock is required to write the archive. */
export const archive_progress = strandline.table(
  'archive_progress',
  { only: boolean().primaryKey().default(true), discovery_id: ref().notNull() },
  (t) => [check('archive_progress_only', sql`${t.only}`)],
);

/** Posts and links whose text changed after they were found: inserted by triggers, deleted by the archive. */
export const archive_changes = strandline.table('archive_changes', {
  id: key(),
  kind: text().notNull(),
  thing: ref().notNull(),
});
