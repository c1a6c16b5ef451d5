/**
 * The worker as a competent engineer writes it in an afternoon with the same packages: what strandline's whole runs are
 * compared with. One job is one search; its run is a row, and what it found is saved in one transaction by Drizzle's batch
 * inserts. It keeps no ledger, no raw response, no claim, no feed and no trends, and retries nothing.
 *
 * What it does for speed: each job in progress has a connection of its own, on which Drizzle's statements are prepared once
 * per number of rows (with PREPARE=no Drizzle builds their text anew for each run, as its documentation does); the HTTP client
 * keeps its connections;
 * posts that did not change are left alone; finished jobs are removed at once.
 */
import { type BackendFactory, createPostgresBackend, type Job, Worker, type WorkerOptions } from 'bullmq';
import { eq, getTableColumns, getTableName, sql, type SQL } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { PgTable } from 'drizzle-orm/pg-core';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { Pool } from 'undici';
import { z } from 'zod';
import { QUEUE, type TypicalJob } from './queue.ts';
import { authors, posts, runs, sightings, snapshots } from './tables.ts';

const { DATABASE_URL = '', REDIS_URL, SEARCH_URL = '', CONCURRENCY = '8', PREPARE = 'yes' } = process.env;
const concurrency = Number(CONCURRENCY);
const http = new Pool(SEARCH_URL, { connections: concurrency });
const lanes = await Promise.all(Array.from({ length: concurrency }, openLane));

const counter = z.number().int().nullish();
const text = z.string().nullish();
const response = z.object({
  miner_tweets: z.array(
    z.object({
      id: z.string(),
      url: text,
      text: z.string(),
      lang: text,
      created_at: z.string(),
      reply_count: counter,
      retweet_count: counter,
      like_count: counter,
      quote_count: counter,
      bookmark_count: counter,
      view_count: counter,
      media: z.array(z.unknown()).nullish(),
      entities: z.record(z.string(), z.unknown()).nullish(),
      user: z.object({
        id: z.string(),
        username: z.string(),
        name: text,
        description: text,
        location: text,
        profile_image_url: text,
        followers_count: counter,
        statuses_count: counter,
        verified: z.boolean().nullish(),
      }),
    }),
  ),
});

/** @param slotAt when it was due, where it came from a schedule */
async function run({ search, prompt, count }: TypicalJob, slotAt: Date | null): Promise<void> {
  const lane = lanes.pop();
  if (lane === undefined) throw new Error('there is a connection for each job in progress');
  try {
    const { orm } = lane;
    const [begun] = await orm
      .insert(runs)
      .values({
        search,
        status: 'running',
        slot_at: slotAt,
        started_at: new Date(),
      })
      .returning({ id: runs.id });
    if (begun === undefined) throw new Error('an insert returns its row');
    const { body, statusCode } = await http.request({
      path: '/twitter/search',
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'bench' },
      body: JSON.stringify({ prompt, count }),
    });
    if (statusCode !== 200) throw new Error(`the service responded with ${statusCode}`);
    const { miner_tweets: found } = response.parse(await body.json());
    const at = new Date();
    const people = unique(found.map(({ user }) => authorRow(user)));
    const items = unique(found.map(postRow));
    await lane.client.query('BEGIN');
    try {
      await lane.upsertAuthors(people);
      const changed = new Set(await lane.upsertPosts(items));
      const counted = items.filter(({ id }) => changed.has(id));
      if (counted.length > 0)
        await lane.insertSnapshots(counted.map((post) => ({ ...countersOf(post), post_id: post.id, at })));
      const fresh = await lane.insertSightings(
        items.map(({ id }) => ({ search, post_id: id, run_id: begun.id, at })),
      );
      await orm
        .update(runs)
        .set({ status: 'succeeded', ended_at: new Date(), found: items.length, found_new: fresh.length })
        .where(eq(runs.id, begun.id));
      await lane.client.query('COMMIT');
    } catch (error) {
      await lane.client.query('ROLLBACK');
      throw error;
    }
  } finally {
    lanes.push(lane);
  }
}

type Found = z.infer<typeof response>['miner_tweets'][number];

function authorRow(user: Found['user']) {
  return {
    id: user.id,
    username: user.username,
    name: user.name,
    description: user.description,
    location: user.location,
    picture: user.profile_image_url,
    followers: user.followers_count,
    posts: user.statuses_count,
    verified: user.verified,
  };
}

function postRow(post: Found) {
  return {
    id: post.id,
    author_id: post.user.id,
    url: post.url,
    text: post.text,
    lang: post.lang,
    created_at: new Date(post.created_at),
    replies: post.reply_count,
    reposts: post.retweet_count,
    likes: post.like_count,
    quotes: post.quote_count,
    bookmarks: post.bookmark_count,
    views: post.view_count,
    media: post.media,
    entities: post.entities,
  };
}

function countersOf({ replies, reposts, likes, quotes, bookmarks, views }: ReturnType<typeof postRow>) {
  return { replies, reposts, likes, quotes, bookmarks, views };
}

/** The same row twice in one insert is an error. */
function unique<Row extends { id: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

async function openLane() {
  const client = new Client({ connectionString: DATABASE_URL });
  await client.connect();
  const orm = drizzle(client);
  /** An insert of so many rows, prepared the first time that it is needed. @returns what it returns */
  const prepared = <Row extends object, Returned>(
    table: PgTable,
    columns: readonly (keyof Row & string)[],
    build: (
      values: Record<string, SQL>[],
      name: string,
    ) => { execute(values: Record<string, unknown>): Promise<Returned> },
  ) => {
    const statements = new Map<number, ReturnType<typeof build>>();
    return (rows: readonly Row[]): Promise<Returned> => {
      if (PREPARE === 'no') {
        const values = rows.map((row) =>
          Object.fromEntries(columns.map((column) => [column, row[column] ?? null])),
        );
        return build(values as Record<string, never>[], '').execute({}); // values in place of placeholders
      }
      let statement = statements.get(rows.length);
      if (statement === undefined) {
        const values = rows.map(
          (_, i) =>
            Object.fromEntries(
              columns.map((column) => [column, sql.placeholder(`${column}${i}`) as unknown as SQL]),
            ), // a value may be either
        );
        statement = build(values, `${getTableName(table)}_${rows.length}`);
        statements.set(rows.length, statement);
      }
      const given: Record<string, unknown> = {};
      for (const [i, row] of rows.entries())
        for (const column of columns) given[`${column}${i}`] = row[column] ?? null;
      return statement.execute(given);
    };
  };
  type Author = ReturnType<typeof authorRow>;
  type Post = ReturnType<typeof postRow>;
  const authorColumns = [
    'id',
    'username',
    'name',
    'description',
    'location',
    'picture',
    'followers',
    'posts',
    'verified',
  ] as const;
  const counters = ['replies', 'reposts', 'likes', 'quotes', 'bookmarks', 'views'] as const;
  const postColumns = [
    'id',
    'author_id',
    'url',
    'text',
    'lang',
    'created_at',
    ...counters,
    'media',
    'entities',
  ] as const;
  return {
    client,
    orm,
    upsertAuthors: prepared<Author, unknown>(authors, authorColumns, (values, name) =>
      orm
        .insert(authors)
        .values(values as never) // placeholders for each column of a row
        .onConflictDoUpdate({
          target: authors.id,
          set: excluded(authors),
          setWhere: differs(authors, ['followers', 'posts', 'name']),
        })
        .prepare(name),
    ),
    upsertPosts: prepared<Post, string[]>(posts, postColumns, (values, name) => {
      const statement = orm
        .insert(posts)
        .values(values as never) // the same
        .onConflictDoUpdate({ target: posts.id, set: excluded(posts), setWhere: differs(posts, counters) })
        .returning({ id: posts.id })
        .prepare(name);
      return { execute: async (given) => (await statement.execute(given)).map(({ id }) => id) };
    }),
    insertSnapshots: prepared<Pick<Post, (typeof counters)[number]> & { post_id: string; at: Date }, unknown>(
      snapshots,
      ['post_id', 'at', ...counters],
      (values, name) =>
        orm
          .insert(snapshots)
          .values(values as never)
          .prepare(name), // the same
    ),
    insertSightings: prepared<typeof sightings.$inferInsert, unknown[]>(
      sightings,
      ['search', 'post_id', 'run_id', 'at'],
      (values, name) =>
        orm
          .insert(sightings)
          .values(values as never) // the same
          .onConflictDoNothing()
          .returning({ post_id: sightings.post_id })
          .prepare(name),
    ),
  };
}

/** Every column but the key takes what came. */
function excluded(table: PgTable): Record<string, SQL> {
  return Object.fromEntries(
    Object.values(getTableColumns(table))
      .filter(({ primary }) => !primary)
      .map(({ name }) => [name, sql.raw(`excluded.${name}`)]),
  );
}

function differs(table: PgTable, columns: readonly string[]): SQL {
  const of = (where: string) => columns.map((column) => `${where}.${column}`).join(', ');
  return sql.raw(`(${of(getTableName(table))}) IS DISTINCT FROM (${of('excluded')})`);
}

const options = {
  concurrency,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
} satisfies Omit<WorkerOptions, 'connection'>;
const handle = async ({ data, id = '' }: Job<TypicalJob>) => {
  try {
    // A repeated job is named for its search and its slot.
    const slot = /^repeat:.*:(\d+)$/.exec(id)?.[1];
    await run(data, slot === undefined ? null : new Date(Number(slot)));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'failed'}\n`);
    throw error;
  }
};
const worker =
  REDIS_URL === undefined
    ? new Worker(
        QUEUE,
        handle,
        { ...options, connection: { connectionString: DATABASE_URL, max: 4 } },
        createPostgresBackend as unknown as BackendFactory, // its types know only Redis
      )
    : new Worker(QUEUE, handle, {
        ...options,
        connection: new Redis(REDIS_URL, { maxRetriesPerRequest: null }),
      });
await worker.waitUntilReady();
process.send?.('ready');
process.once('disconnect', () => process.exit(0));
