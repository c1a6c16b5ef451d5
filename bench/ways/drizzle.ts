/**
 * Drizzle's own way for many rows: `insert().values(rows).onConflictDoUpdate()`, keys read by a select after
 * it. It keeps what ours keeps: a snapshot only where a counter changed, and the diff from the sightings.
 */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Database, Id } from '../../src/store/db/database.ts';
import {
  AUTHOR_CONTENT,
  AUTHOR_COUNTER_COLUMNS,
  POST_CONTENT,
  POST_COUNTER_COLUMNS,
} from '../../src/store/save/columns.ts';
import { post_sightings } from '../../src/store/schema/result-tables.ts';
import { author_snapshots, post_snapshots } from '../../src/store/schema/post-tables.ts';
import type { Batch, Way } from './way.ts';
import { makeWideTables, wideAuthors as authors, widePosts as posts } from './wide.ts';

const authorCounters = Object.keys(AUTHOR_COUNTER_COLUMNS);
const postCounters = Object.keys(POST_COUNTER_COLUMNS);
const REFRESHED_AUTHOR = refreshed([...authorCounters, ...Object.keys(AUTHOR_CONTENT), 'observed_at']);
const REFRESHED_POST = refreshed([...postCounters, ...Object.keys(POST_CONTENT), 'observed_at']);

export async function drizzle(db: Database, serviceId: Id): Promise<Way> {
  await makeWideTables(db);
  return { name: 'drizzle', prepare: (batch) => Promise.resolve(() => save(db, serviceId, batch)) };
}

function save(db: Database, serviceId: Id, { findings, searchId, at }: Batch): Promise<number> {
  return db.orm.transaction(async (tx) => {
    const times = { service_id: serviceId, first_seen_at: at, observed_at: at };
    const authorRows = findings.authors.map((author) => ({ ...author, ...times, created_at: date(author) }));
    const writtenAuthors = await tx
      .insert(authors)
      .values(authorRows)
      .onConflictDoUpdate({
        target: [authors.service_id, authors.external_id],
        set: REFRESHED_AUTHOR,
        setWhere: differs('wide_authors', authorCounters),
      })
      .returning({ id: authors.id, external_id: authors.external_id });
    const authorKeys = await tx
      .select({ id: authors.id, external_id: authors.external_id })
      .from(authors)
      .where(and(eq(authors.service_id, serviceId), inArray(authors.external_id, idsOf(authorRows))));
    const authorIds = new Map(authorKeys.map((row) => [row.external_id, row.id]));
    if (writtenAuthors.length > 0) {
      const read = new Map(findings.authors.map((author) => [author.external_id, author]));
      await tx
        .insert(author_snapshots)
        .values(
          writtenAuthors.map((row) => ({ ...read.get(row.external_id), author_id: row.id, observed_at: at })),
        );
    }

    const postRows = findings.posts.map(({ author_external_id, ...post }) => ({
      ...post,
      ...times,
      created_at: date(post),
      author_id: authorIds.get(author_external_id ?? '') ?? null,
    }));
    const writtenPosts = await tx
      .insert(posts)
      .values(postRows)
      .onConflictDoUpdate({
        target: [posts.service_id, posts.external_id],
        set: REFRESHED_POST,
        setWhere: differs('wide_posts', postCounters),
      })
      .returning({ id: posts.id, external_id: posts.external_id });
    const postKeys = await tx
      .select({ id: posts.id, external_id: posts.external_id, created_at: posts.created_at })
      .from(posts)
      .where(and(eq(posts.service_id, serviceId), inArray(posts.external_id, idsOf(postRows))));
    if (writtenPosts.length > 0) {
      const read = new Map(findings.posts.map((post) => [post.external_id, post]));
      await tx
        .insert(post_snapshots)
        .values(
          writtenPosts.map((row) => ({ ...read.get(row.external_id), post_id: row.id, observed_at: at })),
        );
    }
    const sighted = await tx
      .insert(post_sightings)
      .values(
        postKeys.map((row) => ({
          search_id: searchId,
          post_id: row.id,
          first_run_id: 0n,
          first_seen_at: at,
          post_created_at: row.created_at,
        })),
      )
      .onConflictDoNothing()
      .returning({ id: post_sightings.post_id });
    return sighted.length;
  });
}

function idsOf(rows: readonly { external_id: string }[]): string[] {
  return rows.map((row) => row.external_id);
}

function date(row: { created_at: string | null }): Date | null {
  return row.created_at === null ? null : new Date(row.created_at);
}

function refreshed(columns: readonly string[]): Record<string, SQL> {
  return Object.fromEntries(columns.map((name) => [name, sql.raw(`excluded.${name}`)]));
}

function differs(table: string, counters: readonly string[]): SQL {
  const stored = counters.map((name) => `${table}.${name}`).join(', ');
  const coming = counters.map((name) => `excluded.${name}`).join(', ');
  return sql.raw(`(${stored}) IS DISTINCT FROM (${coming})`);
}
