/** The table of notes: what a person knows about a time of a topic, shown on its chart. */
import { check, index, text } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { instant, key, ref, strandline } from './schema.ts';
import { topics } from './topic-tables.ts';

export const topic_notes = strandline.table(
  'topic_notes',
  {
    id: key(),
    topic_id: ref()
      .notNull()
      .references(() => topics.id, { onDelete: 'cascade' }),
    /** Time that the note is about. */
    at: instant().notNull(),
    /** One line. */
    text: text().notNull(),
    added_at: instant().notNull(),
    /** `nameActor`. */
    added_by: text().notNull(),
    /** When time or text was changed last; null: never. */
    edited_at: instant(),
  },
  (t) => [
    index('topic_notes_topic').on(t.topic_id, t.at, t.id),
    check('topic_notes_text', sql`length(${t.text}) between 1 and 280`),
  ],
);
