/** The five tables of the typical worker, in Drizzle, and the SQL that creates them. */
import {
  bigint,
  boolean,
  index,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core';

const typical = pgSchema('typical');
const time = () => timestamp({ withTimezone: true, mode: 'date' });
const id = () => bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity();
const number = () => bigint({ mode: 'number' });
const counters = () => ({
  replies: number(),
  reposts: number(),
  likes: number(),
  quotes: number(),
  bookmarks: number(),
  views: number(),
});

export const runs = typical.table('runs', {
  id: id(),
  search: text().notNull(),
  status: text().notNull(),
  slot_at: time(),
  started_at: time().notNull(),
  ended_at: time(),
  found: number(),
  found_new: number(),
});

export const authors = typical.table('authors', {
  id: text().primaryKey(),
  username: text().notNull(),
  name: text(),
  description: text(),
  location: text(),
  picture: text(),
  followers: number(),
  posts: number(),
  verified: boolean(),
});

export const posts = typical.table(
  'posts',
  {
    id: text().primaryKey(),
    author_id: text()
      .notNull()
      .references(() => authors.id),
    url: text(),
    text: text().notNull(),
    lang: text(),
    created_at: time().notNull(),
    ...counters(),
    media: jsonb(),
    entities: jsonb(),
  },
  (t) => [index('posts_created').on(t.created_at)],
);

export const snapshots = typical.table(
  'snapshots',
  {
    id: id(),
    post_id: text()
      .notNull()
      .references(() => posts.id),
    at: time().notNull(),
    ...counters(),
  },
  (t) => [unique('snapshots_post_at').on(t.post_id, t.at)],
);

export const sightings = typical.table(
  'sightings',
  {
    search: text().notNull(),
    post_id: text()
      .notNull()
      .references(() => posts.id),
    run_id: number().notNull(),
    at: time().notNull(),
  },
  (t) => [primaryKey({ columns: [t.search, t.post_id] })],
);

/** As `drizzle-kit generate` writes it. */
export const CREATE = `
CREATE SCHEMA typical;
CREATE TABLE typical.runs (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, search text NOT NULL, status text NOT NULL,
  slot_at timestamptz, started_at timestamptz NOT NULL, ended_at timestamptz, found bigint, found_new bigint);
CREATE TABLE typical.authors (
  id text PRIMARY KEY, username text NOT NULL, name text, description text, location text, picture text,
  followers bigint, posts bigint, verified boolean);
CREATE TABLE typical.posts (
  id text PRIMARY KEY, author_id text NOT NULL REFERENCES typical.authors, url text, text text NOT NULL, lang text,
  created_at timestamptz NOT NULL, replies bigint, reposts bigint, likes bigint, quotes bigint, bookmarks bigint,
  views bigint, media jsonb, entities jsonb);
CREATE INDEX posts_created ON typical.posts (created_at);
CREATE TABLE typical.snapshots (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, post_id text NOT NULL REFERENCES typical.posts, at timestamptz NOT NULL,
  replies bigint, reposts bigint, likes bigint, quotes bigint, bookmarks bigint, views bigint,
  CONSTRAINT snapshots_post_at UNIQUE (post_id, at));
CREATE TABLE typical.sightings (
  search text NOT NULL, post_id text NOT NULL REFERENCES typical.posts, run_id bigint NOT NULL, at timestamptz NOT NULL,
  PRIMARY KEY (search, post_id));`;
