/** Tables of posts, authors and links, their counters and addresses, and of tombstones. */

import { AUTHOR_COUNTERS, forCounters, POST_COUNTERS } from '../../model/counters.ts';
import { AUTHOR_MEMBERS, type MemberKind, type Members, POST_MEMBERS } from '../../model/members.ts';
import { TIME_PRECISIONS } from '../../lib/time.ts';
import { counter, instant, key, ref, strandline } from './schema.ts';
import { ofService } from './topic-tables.ts';
import { sql } from 'drizzle-orm';
import {
  boolean,
  customType,
  index,
  jsonb,
  type PgColumnBuilderBase,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core';

export const authorCounters = forCounters(AUTHOR_COUNTERS, counter);

/** Which response the content of a post or author is from, and how to recognize the content. */
const contentOrigin = () => ({
  /** When the content last changed. */
  observed_at: instant().notNull(),
  /** The run of that response; null if stored before runs were recorded. */
  run_id: ref(),
  /** Whether no full copy was stored yet: values of a partial copy are kept until a full copy arrives. */
  is_partial: boolean().notNull().default(false),
  /** Hashes of the newest full copy and of the newest partial copy; null: unknown, so content is compared in full. */
  content_hash: ref(),
  partial_hash: ref(),
});

/** What a version has besides its content. */
const versionOrigin = () => ({
  observed_at: instant().notNull(),
  run_id: ref(),
  is_partial: boolean().notNull(),
});

const COLUMN_KINDS = {
  text: () => text(),
  time: instant,
  boolean: () => boolean(),
  texts: () => text().array(),
  object: () => jsonb(),
  list: () => jsonb(),
  range: () => jsonb(),
} satisfies Record<MemberKind, () => PgColumnBuilderBase>;

type ContentColumns<M extends Members> = { [Name in keyof M]: ReturnType<(typeof COLUMN_KINDS)[M[Name]]> };

/** Columns of members: unknown is null. A declaration of its own for each, because a table names it. */
function contentColumns<M extends Members>(members: M): ContentColumns<M> {
  const columns = Object.entries(members).map(([name, kind]) => [name, COLUMN_KINDS[kind]()]);
  return Object.fromEntries(columns) as ContentColumns<M>; // Object.fromEntries loses the names
}

/** Authors without counters. */
export const authorColumns = {
  id: key(),
  service_id: ofService(),
  first_seen_at: instant().notNull(),
  ...contentOrigin(),
  external_id: text().notNull(),
  ...contentColumns(AUTHOR_MEMBERS),
};

/** Authors as last seen, without counters. */
export const authors = strandline.table('authors', authorColumns, (t) => [
  unique('authors_external_key').on(t.service_id, t.external_id),
  index('authors_username').on(sql`lower(${t.username})`),
]);

/**
 * The newest known value of each counter of an author; every author has a row. A separate table without other indexes
 * or foreign keys, so that an update writes one short row within its page (HOT); the fill factor of 75, set in
 * `0000_tables`, leaves room for that.
 */
export const author_counters = strandline.table('author_counters', {
  author_id: ref().primaryKey(),
  /** Of the newest response that changed a value. */
  observed_at: instant().notNull(),
  ...authorCounters,
});

/** An author's counters over time, only when one changed. Partitioned by month; no foreign keys (they triple the WAL). */
export const author_snapshots = strandline.table(
  'author_snapshots',
  { author_id: ref().notNull(), observed_at: instant().notNull(), ...authorCounters },
  (t) => [primaryKey({ columns: [t.author_id, t.observed_at] })],
);

export const postCounters = forCounters(POST_COUNTERS, counter);

/** Posts without counters. */
export const postColumns = {
  id: key(),
  service_id: ofService(),
  author_id: ref().references(() => authors.id),
  first_seen_at: instant().notNull(),
  ...contentOrigin(),
  external_id: text().notNull(),
  ...contentColumns(POST_MEMBERS),
  text: text().notNull(),
  /** `identifyPost` of its address; null until `store/maintenance/fill-topic-items.ts` has filled it. */
  key: text(),
};

/** Posts as last seen, without counters. Content rarely changes, so pages are filled (default fill factor). */
export const posts = strandline.table('posts', postColumns, (t) => [
  unique('posts_external_key').on(t.service_id, t.external_id),
  index('posts_author').on(t.author_id),
  index('posts_created').on(t.created_at),
  // The post that a link names.
  index('posts_key').on(t.key),
  // Only for posts with a URL in their text; two thirds have none.
  index('posts_urls').using('gin', t.urls).where(sql`${t.urls} <> '{}'`),
]);

/** The newest known value of each counter of a post; every post has a row. Like {@link author_counters}. */
export const post_counters = strandline.table('post_counters', {
  post_id: ref().primaryKey(),
  /** The newest snapshot: when a counter last changed. */
  observed_at: instant().notNull(),
  ...postCounters,
  /** The snapshot before it; null: no counter ever changed, and everything below is null. */
  changed_before_at: instant(),
  /**
   * Each counter when it was first known, the sums of its increases and of its decreases since, and its value before the newest
   * snapshot; null if that snapshot says nothing of it. The newest value is first + gained - lost.
   */
  ...forCounters(POST_COUNTERS, counter, ['first_*', 'gained_*', 'lost_*', 'was_*']),
});

/** A post's counters over time, only when one changed. Partitioned by month. */
export const post_snapshots = strandline.table(
  'post_snapshots',
  { post_id: ref().notNull(), observed_at: instant().notNull(), ...postCounters },
  (t) => [
    primaryKey({ columns: [t.post_id, t.observed_at] }),
    index('post_snapshots_observed').using('brin', t.observed_at),
  ],
);

/**
 * The content of a post, a row for each response that changed it; null is unknown. Only posts whose content ever differed
 * have rows, with one for the first content. The row of the post has the newest known value of each member, from a full copy
 * if there is any.
 */
export const post_versions = strandline.table(
  'post_versions',
  { post_id: ref().notNull(), ...versionOrigin(), author_id: ref(), ...contentColumns(POST_MEMBERS) },
  (t) => [primaryKey({ columns: [t.post_id, t.observed_at] })],
);

/** The same for authors. */
export const author_versions = strandline.table(
  'author_versions',
  { author_id: ref().notNull(), ...versionOrigin(), ...contentColumns(AUTHOR_MEMBERS) },
  (t) => [primaryKey({ columns: [t.author_id, t.observed_at] })],
);

/** Links, by their identity (`model/links/link-identity.ts`). */
export const links = strandline.table(
  'links',
  {
    id: key(),
    /** The identity, by the rules in force when it was first seen. */
    canonical: text().notNull(),
    /** The address with which it was first seen, as returned. */
    url: text().notNull(),
    site: text().notNull(),
    title: text(),
    snippet: text(),
    summary_description: text(),
    with_metadata: boolean(),
    published_at: instant(),
    /** One of `TIME_PRECISIONS`; null: exact. */
    published_precision: text({ enum: TIME_PRECISIONS }),
    publisher: text(),
    highlights: text().array(),
    first_seen_at: instant().notNull(),
    /** When its content last changed. */
    observed_at: instant().notNull(),
  },
  (t) => [unique('links_canonical_key').on(t.canonical), index('links_site').on(t.site)],
);

/** Every address as returned. A known address keeps its link, so that new rules make no known link new. */
export const link_addresses = strandline.table(
  'link_addresses',
  {
    address: text().primaryKey(),
    link_id: ref()
      .notNull()
      .references(() => links.id),
  },
  (t) => [index('link_addresses_link').on(t.link_id)],
);

/** Links whose addresses are in the text of a post. */
export const post_links = strandline.table(
  'post_links',
  { post_id: ref().notNull(), link_id: ref().notNull() },
  (t) => [primaryKey({ columns: [t.post_id, t.link_id] }), index('post_links_link').on(t.link_id)],
);

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/**
 * Forgotten authors, posts and links, as digests (`digestThing` in `store/erase/tombstones.ts`) that identify
 * them if they are returned again, but contain no personal data.
 */
export const tombstones = strandline.table('tombstones', {
  digest: bytea().primaryKey(),
  at: instant().notNull(),
});
