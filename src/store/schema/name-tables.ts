/** Tables of the names that topics list, and of which of them each answer has. */

import { NAME_CHANGES, NAME_SIDES } from '../../model/closed-lists.ts';
import { instant, key, ownerName, ref, strandline } from './schema.ts';
import { completions } from './result-tables.ts';
import { topics } from './topic-tables.ts';
import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, text, unique } from 'drizzle-orm/pg-core';

/** A name that answers of a topic are searched for. */
export const topic_names = strandline.table(
  'topic_names',
  {
    id: key(),
    topic_id: ref()
      .notNull()
      .references(() => topics.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** The words of the name, folded (`keyOfName`): a topic lists a name once, however it is written. */
    key: text().notNull(),
    side: text({ enum: NAME_SIDES }).notNull(),
    /** Further forms that count as the name. */
    aliases: text().array().notNull(),
    /** Domains whose links count as citing it, with their subdomains; in lower case, without `www.`. */
    domains: text().array().notNull(),
    added_at: instant().notNull(),
    added_by: text().notNull(),
    owner: ownerName(),
  },
  (t) => [
    unique('topic_names_key').on(t.topic_id, t.key),
    check('topic_names_side', sql`${t.side} in ('own', 'rival')`),
  ],
);

/** The state of the list of a topic that has, or had, names. */
export const topic_name_lists = strandline.table('topic_name_lists', {
  topic_id: ref()
    .primaryKey()
    .references(() => topics.id, { onDelete: 'cascade' }),
  /** Grows with each change of its names: answers that were read for an earlier list count no more. */
  version: integer().notNull(),
  /** Answers with lower ids are still to be read for this version, the newest first; null: none are. */
  unread_below: ref(),
});

/** An answer that was read: which names of its topic it has. An answer without a text, or of a topic without names, has no row. */
export const answer_names = strandline.table(
  'answer_names',
  {
    completion_id: ref()
      .notNull()
      .references(() => completions.id, { onDelete: 'cascade' }),
    search_id: ref().notNull(),
    /** When the answer was received. */
    observed_at: instant().notNull(),
    /** Of the list that it was read for. */
    version: integer().notNull(),
    /** Names in its texts, and names with a domain that it cites; in ascending order. */
    named: ref().array().notNull(),
    cited: ref().array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.completion_id] }),
    index('answer_names_search').on(t.search_id, t.observed_at),
  ],
);

/** Names that entered the answers of a search, or left them: what was reported, a log. */
export const name_changes = strandline.table(
  'name_changes',
  {
    id: key(),
    search_id: ref().notNull(),
    run_id: ref().notNull(),
    /** When the answer was received that decided it. */
    at: instant().notNull(),
    name_id: ref().notNull(),
    /** As it was then. */
    name: text().notNull(),
    change: text({ enum: NAME_CHANGES }).notNull(),
    /** Answers that it was compared with, and those of them that have the name; then answers in a row without it. */
    before: integer().notNull(),
    present: integer().notNull(),
    missing: integer().notNull(),
    sentence: text().notNull(),
  },
  (t) => [
    unique('name_changes_key').on(t.search_id, t.name_id, t.run_id),
    index('name_changes_search').on(t.search_id, t.id),
    check('name_changes_change', sql`${t.change} in ('entered', 'left')`),
  ],
);
