/** Tables of results: sightings, discoveries, completions and their claims. */

import { ofRun } from './run-tables.ts';
import { instant, key, ref, strandline } from './schema.ts';
import { ofSearch } from './topic-tables.ts';
import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core';

/** The first time each search saw a post. Insert-only: a row means "new". */
export const post_sightings = strandline.table(
  'post_sightings',
  {
    search_id: ref().notNull(),
    post_id: ref().notNull(),
    first_run_id: ref().notNull(),
    first_seen_at: instant().notNull(),
    /** Publication time of the post, copied so that volume needs no join. */
    post_created_at: instant(),
  },
  (t) => [
    // The post first, for searches of a post. Posts of a search are queried by time.
    primaryKey({ columns: [t.post_id, t.search_id] }),
    // Posts of a search by the time at which they count (`countedAtSql`), for pages.
    index('post_sightings_time').on(
      t.search_id,
      sql`least(${t.post_created_at}, ${t.first_seen_at})`,
      t.post_id,
    ),
    // The few posts that were seen before their own time: other searches of a topic may have seen the same post after
    // it.
    index('post_sightings_ahead')
      .on(t.search_id, t.post_id)
      .where(sql`${t.post_created_at} > ${t.first_seen_at}`),
  ],
);

/** The first time a search saw a link, and in which source group. */
export const link_sightings = strandline.table(
  'link_sightings',
  {
    search_id: ref().notNull(),
    link_id: ref().notNull(),
    first_run_id: ref().notNull(),
    first_seen_at: instant().notNull(),
    source: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.search_id, t.link_id] }),
    index('link_sightings_link').on(t.link_id),
    // Links found by a run.
    index('link_sightings_run').on(t.first_run_id),
    // Links that a search found on a day.
    index('link_sightings_time').on(t.search_id, t.first_seen_at, t.link_id),
  ],
);

/** The AI-written completion of a run, with all members. */
export const completions = strandline.table(
  'completions',
  {
    id: key(),
    run_id: ofRun(),
    search_id: ofSearch(),
    observed_at: instant().notNull(),
    /**
     * Whether it has a statement that no completion of the days before has (`findNews` of
     * `model/statements/completion-change.ts`). False for the first completion. If `news` is null for a later completion,
     * the rule of an earlier version decided it.
     */
    changed: boolean().notNull(),
    /** Positions of the new statements; null for the first completion, and for completions stored by earlier versions. */
    news: integer().array(),
    /**
     * Run of the completion that it was compared with; null for the first completion, and if it was stored by an earlier
     * version.
     */
    previous_run_id: ref(),
    /** Statements without copies, against the previous completion, and links cited now or no longer. */
    statements_new: integer(),
    /** Statements of which only figures changed; null by earlier versions, which count them as new and gone. */
    statements_revised: integer(),
    statements_gone: integer(),
    statements_kept: integer(),
    citations_added: integer(),
    citations_removed: integer(),
    /** Share of the statements of both that are in both, from 0 to 1. */
    similarity: doublePrecision(),
    summary: text(),
    microblog_summary: text(),
    discussion_board_summary: text(),
    news_forum_summary: text(),
    text_chunks: text().array(),
    /** Further text of the response. */
    text: text(),
    /** Links that it cites, in order, and all links returned with it. */
    completion_links: ref().array().notNull(),
    search_completion_links: ref().array().notNull(),
    miner_link_scores: jsonb(),
    warnings: jsonb().notNull(),
    /** Number of claims (`completion_claims`); null if stored before claims were parsed. */
    claims: integer(),
  },
  (t) => [
    unique('completions_run_key').on(t.run_id),
    index('completions_search').on(t.search_id, t.observed_at, t.run_id),
    // Completions that cite a link.
    index('completions_cited').using('gin', t.completion_links),
  ],
);

export const key_items = strandline.table(
  'key_items',
  {
    completion_id: ref()
      .notNull()
      .references(() => completions.id),
    list: text().notNull(),
    position: integer().notNull(),
    text: text().notNull(),
    url: text(),
    link_id: ref(),
  },
  (t) => [
    primaryKey({ columns: [t.completion_id, t.list, t.position] }),
    // Titles of links that no result named.
    index('key_items_link').on(t.link_id).where(sql`${t.link_id} is not null`),
  ],
);

/**
 * The diff, as an append-only feed. IDs are assigned under a lock held until the commit, so they are in commit order:
 * a reader that continues after the last ID it saw misses none.
 */
export const discoveries = strandline.table(
  'discoveries',
  {
    id: key(),
    search_id: ref().notNull(),
    run_id: ref().notNull(),
    kind: text().notNull(),
    /** ID of the post, link, completion, spike, trend state, growth report or name change. */
    thing: ref().notNull(),
    /** Found by the first run of a request version: listed, but triggers no alerts. */
    baseline: boolean().notNull(),
    /** From a response that was read after a newer response: listed, but triggers no alerts. */
    late: boolean().notNull().default(false),
    at: instant().notNull(),
    /**
     * Whether this discovery reports its story in the topic, or its item (`topic_items`) if that is in no story. True for
     * completions, spikes and trends, and for items from before there were keys, until these are filled. The save decides it by
     * the item, and `settle-stories.ts` by the story.
     */
    first_in_topic: boolean().notNull().default(true),
    /** Whether it reports its item, but another discovery reports the story. Never with `first_in_topic`. */
    folded: boolean().notNull().default(false),
    /** Whether its item is not relevant for the topic (`topic_items.dismissed_at`), or another of its story: lists leave it out. */
    hidden: boolean().notNull().default(false),
  },
  (t) => [
    // In ascending order of IDs, so that pages are filled; also for discoveries of an item.
    unique('discoveries_thing_key').on(t.kind, t.thing, t.search_id),
    index('discoveries_run').on(t.run_id),
    // Discoveries of a search since a time, counted by an index-only scan; and, by BRIN, of all searches.
    index('discoveries_search').on(t.search_id, t.at, t.kind, t.baseline),
    index('discoveries_at').using('brin', t.at),
    // The feed of one search, after a cursor.
    index('discoveries_feed').on(t.search_id, t.id),
    // The feed of a topic: discoveries that are first in the topic, by search.
    index('discoveries_first').on(t.search_id, t.id).where(sql`${t.first_in_topic}`),
    // What lists leave out: few.
    index('discoveries_hidden').on(t.search_id, t.kind, t.thing).where(sql`${t.hidden}`),
    check(
      'discoveries_kind',
      sql`${t.kind} in ('post', 'link', 'completion', 'spike', 'trend', 'growth', 'name')`,
    ),
  ],
);

/**
 * Which items were reported in a topic: a post and the links to it are one item, in all services. Written by the save,
 * whose insert decides which discovery is `first_in_topic`. Keys stay when searches, posts or links are deleted, unless
 * an author is forgotten.
 */
export const topic_items = strandline.table(
  'topic_items',
  {
    topic_id: ref().notNull(),
    /** The identity of the address of a link (`links.canonical`) or post (`posts.key`). */
    key: text().notNull(),
    /** False: only the baselines of searches that were added later contained it. */
    reported: boolean().notNull(),
    /** Since when it is not relevant: nothing lists or reports it, nor its story. Null: a person did not say so. */
    dismissed_at: instant(),
    /** Who said so (`nameActor`); null: before this was recorded. */
    dismissed_by: text(),
  },
  (t) => [
    primaryKey({ columns: [t.topic_id, t.key] }),
    index('topic_items_dismissed').on(t.topic_id, t.dismissed_at).where(sql`${t.dismissed_at} is not null`),
  ],
);

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** A statement of a search's completions, once per section, however often it is repeated. */
export const claims = strandline.table(
  'claims',
  {
    id: key(),
    search_id: ofSearch(),
    /** The section of the completion: `summary`, `microblog_summary`, ... */
    role: text().notNull(),
    /** Hash of its words, ignoring case and white space (`hashStatement` in `lib/sentences.ts`). */
    identity: bytea().notNull(),
    /** As first stored, without citation marks. */
    text: text().notNull(),
    /** The earliest completion that makes it; parsing an older response later can move it back. */
    first_run_id: ref().notNull(),
    first_seen_at: instant().notNull(),
  },
  (t) => [
    unique('claims_identity_key').on(t.search_id, t.role, t.identity),
    index('claims_seen').on(t.search_id, t.first_seen_at),
    index('claims_first_run').on(t.first_run_id),
    check(
      'claims_role',
      sql`${t.role} in ('summary', 'microblog_summary', 'discussion_board_summary', 'news_forum_summary')`,
    ),
  ],
);

/** The claims of a completion, in order, with their citations. */
export const completion_claims = strandline.table(
  'completion_claims',
  {
    completion_id: ref()
      .notNull()
      .references(() => completions.id, { onDelete: 'cascade' }),
    /** Across all sections of the completion, from 0. */
    position: integer().notNull(),
    claim_id: ref()
      .notNull()
      .references(() => claims.id, { onDelete: 'cascade' }),
    /** Cited links, in order; and the cited links that are not results of the response. */
    link_ids: ref().array().notNull(),
    not_returned: ref().array().notNull(),
    /** Cited numbers that the response does not resolve to links. */
    unresolved: integer().array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.completion_id, t.position] }),
    index('completion_claims_claim').on(t.claim_id, t.completion_id),
  ],
);
