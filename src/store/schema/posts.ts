import { sql } from 'drizzle-orm';
import { boolean, index, jsonb, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { counter, instant, key, ref, strandline } from './schema.ts';
import { services } from './services.ts';

const authorCounters = {
  followers_count: counter(),
  favourites_count: counter(),
  listed_count: counter(),
  media_count: counter(),
  statuses_count: counter(),
};

/** Who writes posts, as last seen. */
export const authors = strandline.table(
  'authors',
  {
    id: key(),
    service_id: ref()
      .notNull()
      .references(() => services.id),
    ...authorCounters,
    created_at: instant(),
    first_seen_at: instant().notNull(),
    /** When the values above were observed; an older answer that arrives late changes nothing. */
    observed_at: instant().notNull(),
    external_id: text().notNull(),
    username: text(),
    name: text(),
    url: text(),
    description: text(),
    location: text(),
    profile_image_url: text(),
    verified: boolean(),
    is_blue_verified: boolean(),
    can_dm: boolean(),
    can_media_tag: boolean(),
  },
  (t) => [
    unique('authors_external_key').on(t.service_id, t.external_id),
    index('authors_username').on(sql`lower(${t.username})`),
  ],
);

/** An author's counters over time, only when one changed. Partitioned by month; no foreign keys (they triple the WAL). */
export const author_snapshots = strandline.table(
  'author_snapshots',
  { author_id: ref().notNull(), observed_at: instant().notNull(), ...authorCounters },
  (t) => [primaryKey({ columns: [t.author_id, t.observed_at] })],
);

const postCounters = {
  reply_count: counter(),
  repost_count: counter(),
  like_count: counter(),
  view_count: counter(),
  quote_count: counter(),
  impression_count: counter(),
  bookmark_count: counter(),
};

/**
 * Posts as last seen. Counters stand in no index, so that their updates stay inside the page (HOT);
 * the fill factor leaves room for that.
 */
export const posts = strandline.table(
  'posts',
  {
    id: key(),
    service_id: ref()
      .notNull()
      .references(() => services.id),
    author_id: ref().references(() => authors.id),
    ...postCounters,
    created_at: instant(),
    first_seen_at: instant().notNull(),
    observed_at: instant().notNull(),
    external_id: text().notNull(),
    text: text().notNull(),
    url: text(),
    lang: text(),
    conversation_id: text(),
    in_reply_to_screen_name: text(),
    in_reply_to_status_id: text(),
    in_reply_to_user_id: text(),
    quoted_status_id: text(),
    reposted_status_id: text(),
    quote: text(),
    summary_description: text(),
    is_quote_post: boolean(),
    is_repost: boolean(),
    hashtags: text().array().notNull(),
    mentions: text().array().notNull(),
    urls: text().array().notNull(),
    media: jsonb().notNull(),
    entities: jsonb().notNull(),
  },
  (t) => [
    unique('posts_external_key').on(t.service_id, t.external_id),
    index('posts_author').on(t.author_id),
    index('posts_created').on(t.created_at),
    // Which of them have an address in their text; two thirds have none.
    index('posts_urls').using('gin', t.urls).where(sql`${t.urls} <> '{}'`),
  ],
);

/** A post's counters over time, only when one changed. Partitioned by month. */
export const post_snapshots = strandline.table(
  'post_snapshots',
  { post_id: ref().notNull(), observed_at: instant().notNull(), ...postCounters },
  (t) => [
    primaryKey({ columns: [t.post_id, t.observed_at] }),
    index('post_snapshots_observed').using('brin', t.observed_at),
  ],
);
