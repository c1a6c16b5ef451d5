/** Feeds that readers poll by an address of their own: what each one shows, and the hash of its key. */
import { aliasedTable, and, desc, eq, isNull, lt, or } from 'drizzle-orm';
import { HOUR } from '../../lib/time.ts';
import { createOrm, type Id, onlyRow, type Orm, type Transaction } from '../db/database.ts';
import { feeds } from '../schema/alert-tables.ts';
import { searches, topics } from '../schema/topic-tables.ts';

/** A feed without its key. */
export type FeedRow = Pick<
  typeof feeds.$inferSelect,
  'id' | 'prefix' | 'name' | 'query' | 'created_at' | 'last_read_at' | 'revoked_at'
> & {
  /** Slug of the topic, or of the topic of the search; null: all topics. */
  topic: string | null;
  /** Slug of the search; null: all searches of the topic. */
  search: string | null;
};

/** What a new feed shows. Of topic and search at most one is set. */
type NewFeed = Pick<FeedRow, 'prefix' | 'name' | 'query'> & { topicId: Id | null; searchId: Id | null };

const ownTopic = aliasedTable(topics, 'own_topic');
const SHOWN_COLUMNS = {
  id: feeds.id,
  prefix: feeds.prefix,
  name: feeds.name,
  topic_of_search: ownTopic.slug,
  topic: topics.slug,
  search: searches.slug,
  query: feeds.query,
  created_at: feeds.created_at,
  last_read_at: feeds.last_read_at,
  revoked_at: feeds.revoked_at,
};
type ShownRow = FeedRow & { topic_of_search: string | null };

function selectFeeds({ orm }: Orm) {
  return orm
    .select({ ...SHOWN_COLUMNS, hash: feeds.hash })
    .from(feeds)
    .leftJoin(topics, eq(topics.id, feeds.topic_id))
    .leftJoin(searches, eq(searches.id, feeds.search_id))
    .leftJoin(ownTopic, eq(ownTopic.id, searches.topic_id));
}

function toFeedRow({ topic_of_search, topic, ...row }: ShownRow & { hash: string }): FeedRow {
  const { hash: _hash, ...shown } = row;
  return { ...shown, topic: topic ?? topic_of_search };
}

/** Newest first, including revoked ones. @param page.before only those created before the feed with this ID */
export async function readFeeds(
  db: Orm,
  page: { limit: number; before?: Id | undefined },
): Promise<FeedRow[]> {
  const { limit, before } = page;
  const rows = await selectFeeds(db)
    .where(before === undefined ? undefined : lt(feeds.id, before))
    .orderBy(desc(feeds.id))
    .limit(limit);
  return rows.map(toFeedRow);
}

/** @param named its ID, or its prefix */
export async function readFeed(db: Orm, named: Id | string): Promise<FeedRow | undefined> {
  const [row] = await selectFeeds(db).where(
    typeof named === 'string' ? eq(feeds.prefix, named) : eq(feeds.id, named),
  );
  return row === undefined ? undefined : toFeedRow(row);
}

/** A feed by the prefix of its key, even if revoked, with the SHA-256 of the key. */
export async function findFeed(
  db: Orm,
  prefix: string,
): Promise<{ feed: FeedRow; keyHash: Buffer } | undefined> {
  const [row] = await selectFeeds(db).where(eq(feeds.prefix, prefix));
  return row === undefined ? undefined : { feed: toFeedRow(row), keyHash: Buffer.from(row.hash, 'hex') };
}

/** @param feed.hash SHA-256 of the whole key, which is never stored */
export async function insertFeed(
  tx: Transaction,
  { hash, topicId, searchId, ...feed }: NewFeed & { hash: Buffer; now: Date },
): Promise<Id> {
  const { now, ...fields } = feed;
  const rows = await createOrm(tx)
    .insert(feeds)
    .values({
      ...fields,
      hash: hash.toString('hex'),
      topic_id: topicId,
      search_id: searchId,
      created_at: now,
    })
    .returning({ id: feeds.id });
  return onlyRow(rows).id;
}

/** @returns whether this call revoked it: false if it was revoked before */
export async function closeFeed(tx: Transaction, id: Id, now: Date): Promise<boolean> {
  const rows = await createOrm(tx)
    .update(feeds)
    .set({ revoked_at: now })
    .where(and(eq(feeds.id, id), isNull(feeds.revoked_at)))
    .returning({ id: feeds.id });
  return rows.length > 0;
}

/** Records that a feed was read, at most once an hour: readers poll. */
export async function touchFeed(
  { orm }: Orm,
  feed: Pick<FeedRow, 'id' | 'last_read_at'>,
  now: Date,
): Promise<void> {
  const hourAgo = new Date(now.getTime() - HOUR);
  if (feed.last_read_at !== null && feed.last_read_at > hourAgo) return;
  const stale = or(isNull(feeds.last_read_at), lt(feeds.last_read_at, hourAgo));
  await orm
    .update(feeds)
    .set({ last_read_at: now })
    .where(and(eq(feeds.id, feed.id), stale));
}
