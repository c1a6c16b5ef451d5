/** Tables of results: sightings, discoveries, completions and their claims. */

import { runs } from './run-tables.ts';
import { instant, key, ref, strandline } from './schema.ts';
import { searches } from './topic-tables.ts';
import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  customType,
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
    /** The post's own time, carried here so that volume over time needs no join. */
    post_created_at: instant(),
  },
  (t) => [
    // The post first: for searches of a post, too. Those of a search are asked for by time.
    primaryKey({ columns: [t.post_id, t.search_id] }),
    // Posts of a search by their own time, page by page.
    index('post_sightings_time').on(
      t.search_id,
      sql`coalesce(${t.post_created_at}, ${t.first_seen_at})`,
      t.post_id,
    ),
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
    // What each run of a time found.
    index('link_sightings_run').on(t.first_run_id),
  ],
);

/** The AI-written completion of a run, in all its members. */
export const completions = strandline.table(
  'completions',
  {
    id: key(),
    run_id: ref()
      .notNull()
      .references(() => runs.id),
    search_id: ref()
      .notNull()
      .references(() => searches.id),
    observed_at: instant().notNull(),
    /** Its set of cited links differs from the one before (texts vary by themselves). */
    changed: boolean().notNull(),
    summary: text(),
    microblog_summary: text(),
    discussion_board_summary: text(),
    news_forum_summary: text(),
    text_chunks: text().array(),
    /** Links that it cites, in order, and all that were returned for it. */
    completion_links: ref().array().notNull(),
    search_completion_links: ref().array().notNull(),
    miner_link_scores: jsonb(),
    warnings: jsonb().notNull(),
    /** How many claims it makes (`completion_claims`); null where it was kept before claims were read. */
    claims: integer(),
  },
  (t) => [
    unique('completions_run_key').on(t.run_id),
    index('completions_search').on(t.search_id, t.observed_at, t.run_id),
    // Which of them cite a link.
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
  (t) => [primaryKey({ columns: [t.completion_id, t.list, t.position] })],
);

/**
 * The diff, as an append-only feed. Ids are given under a lock that is held until the commit, so their
 * order is the order of commits: a reader that remembers the last id it saw misses none.
 */
export const discoveries = strandline.table(
  'discoveries',
  {
    id: key(),
    search_id: ref().notNull(),
    run_id: ref().notNull(),
    kind: text().notNull(),
    /** Id of the post, link, completion or spike. */
    thing: ref().notNull(),
    /** Found by the first run of a request version: listed, but triggers no alerts. */
    baseline: boolean().notNull(),
    /** Found in a response that was read after a newer one: listed, but triggers no alerts. */
    late: boolean().notNull().default(false),
    at: instant().notNull(),
  },
  (t) => [
    // In the order in which ids rise, so that its pages are filled; and to find what was reported of a thing.
    unique('discoveries_thing_key').on(t.kind, t.thing, t.search_id),
    index('discoveries_run').on(t.run_id),
    // What is new to a search since a time, counted from the index alone; and, by blocks, what is new at all.
    index('discoveries_search').on(t.search_id, t.at, t.kind, t.baseline),
    index('discoveries_at').using('brin', t.at),
    // The feed of one search, behind a cursor.
    index('discoveries_feed').on(t.search_id, t.id),
    check('discoveries_kind', sql`${t.kind} in ('post', 'link', 'completion', 'spike')`),
  ],
);

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** A statement of a search's completions, once per section, however often it occurs. */
export const claims = strandline.table(
  'claims',
  {
    id: key(),
    search_id: ref()
      .notNull()
      .references(() => searches.id),
    /** The text of the completion: `summary`, `microblog_summary`, ... */
    role: text().notNull(),
    /** Of its words without regard to case and white space (`hashStatement` in `domain/sentences.ts`). */
    identity: bytea().notNull(),
    /** As it was first kept, without its citation marks. */
    text: text().notNull(),
    /** Of the earliest completion that says it; an older answer that is read again later moves them back. */
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

/** Which claims a completion makes, in order, and what it cites for each. */
export const completion_claims = strandline.table(
  'completion_claims',
  {
    completion_id: ref()
      .notNull()
      .references(() => completions.id, { onDelete: 'cascade' }),
    /** Over all texts of the completion, from 0. */
    position: integer().notNull(),
    claim_id: ref()
      .notNull()
      .references(() => claims.id, { onDelete: 'cascade' }),
    /** What it cites here, in order; and those of them that are no result of the answer. */
    link_ids: ref().array().notNull(),
    not_returned: ref().array().notNull(),
    /** Numbers that it cites and of which the answer does not say what they stand for. */
    unresolved: integer().array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.completion_id, t.position] }),
    index('completion_claims_claim').on(t.claim_id, t.completion_id),
  ],
);
