/**
 * The archive: words of all items for full-text search. Separate from posts and links and filled after the save
 * (`store/archive/index-archive.ts`), so that it does not slow down saves.
 */
import { sql } from 'drizzle-orm';
import { boolean, check, customType, index, primaryKey, text } from 'drizzle-orm/pg-core';
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
    /**
     * Folded words as written, also of authors, hashtags and sites, with the weight D; then stems of titles (A) and texts (B), without
     * stop words.
     */
    tsv: tsvector().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.thing] }),
    index('archive_documents_tsv').using('gin', t.tsv),
    index('archive_documents_at').on(t.at),
    check('archive_documents_kind', sql`${t.kind} in ('post', 'link')`),
  ],
);

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
