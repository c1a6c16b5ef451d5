/** Tables of translations. */
import { check, index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { TRANSLATED_KINDS } from '../../model/closed-lists.ts';
import { instant, ref, strandline } from './schema.ts';

/** A text of a post, link or answer in the language of a reader: translated by a language model, or not (yet). */
export const translations = strandline.table(
  'translations',
  {
    kind: text({ enum: TRANSLATED_KINDS }).notNull(),
    /** The post, link or claim. */
    thing: ref().notNull(),
    /** Language tag of the reader. */
    language: text().notNull(),
    /** Of the original, as `md5` has it: a translation is shown beside this text only. */
    hash: text().notNull(),
    /** Null: not translated. */
    text: text(),
    /** The language model that translated it. */
    model: text(),
    translated_at: instant(),
    /** When the model is asked next; null: it is not. A pass that asks sets it to the end of its lease. */
    next_at: instant(),
    /** Responses without a translation that can be used. */
    unusable: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.thing, t.kind, t.language] }),
    // For pages, which read translations by the text they show; and for copies, which are translated once.
    index('translations_hash').on(t.hash, t.language),
    check('translations_kind', sql`${t.kind} in ('post', 'title', 'snippet', 'claim')`),
    check(
      'translations_done',
      sql`(${t.text} is null) = (${t.translated_at} is null) and (${t.text} is null) = (${t.model} is null)`,
    ),
    check('translations_asked', sql`${t.text} is null or ${t.next_at} is null`),
  ],
);
