/** Tables of stories: which items of a topic are one (`model/stories.ts`), and by what later items find them. */
import { check, index, integer, text } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { instant, key, ref, strandline } from './schema.ts';

/** Stories of at least two items. An item alone has no row. */
export const stories = strandline.table(
  'stories',
  {
    /** The first discovery of the first member. */
    id: ref().primaryKey(),
    topic_id: ref().notNull(),
    /** When the first member was found, and the last one. */
    first_at: instant().notNull(),
    last_at: instant().notNull(),
    /** The first discovery of the member that was published first. */
    origin_id: ref().notNull(),
    /** When that was published; if unknown, when it was found. */
    origin_at: instant().notNull(),
    members: integer().notNull(),
    /** Distinct link identities of members: a post and the links to it are one. */
    things: integer().notNull(),
    /** The discovery that is first in the topic; null if none of its items was reported (`topic_items`). */
    reported_id: ref(),
    /** Of the first 1,000 members: distinct authors of posts, and distinct hosts of addresses, as far as they are known. */
    authors: integer().notNull(),
    sources: integer().notNull(),
    /** Of the same members: distinct languages of posts, in alphabetical order. */
    languages: text().array().notNull(),
    /** Since when a person hides it from lists as not relevant, and who; null: it is shown. */
    hidden_at: instant(),
    hidden_by: text(),
  },
  (t) => [index('stories_topic').on(t.topic_id, t.last_at, t.id)],
);

/** The items of stories, by their first discoveries in the topic. */
export const story_items = strandline.table(
  'story_items',
  { discovery_id: ref().primaryKey(), story_id: ref().notNull() },
  (t) => [index('story_items_story').on(t.story_id, t.discovery_id)],
);

/**
 * What later items are compared with: items of the last days, by their first discoveries in the topic. Each row is written once
 * and deleted after `STORY_SPAN_MS`.
 */
export const story_candidates = strandline.table(
  'story_candidates',
  {
    discovery_id: ref().primaryKey(),
    topic_id: ref().notNull(),
    at: instant().notNull(),
    /** Hashes of names (`nameItem`). */
    names: ref().array().notNull(),
    /** Of the text in its topic (`sketchItem`); null if it has none, or if enough items have its bands. */
    bands: integer().array(),
    shingles: integer().array(),
  },
  (t) => [
    // Without a list of pending entries, which every lookup would have to read.
    index('story_candidates_names').using('gin', t.names).with({ fastupdate: false }),
    index('story_candidates_bands').using('gin', t.bands).with({ fastupdate: false }),
  ],
);

/** Posts and links whose stories have to be decided again: inserted by triggers and by what erases items. */
export const story_changes = strandline.table(
  'story_changes',
  { id: key(), kind: text().notNull(), thing: ref().notNull() },
  (t) => [check('story_changes_kind', sql`${t.kind} in ('post', 'link')`)],
);
