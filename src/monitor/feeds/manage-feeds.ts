/** Creates, lists and revokes feeds, and opens the one that an address names. */
import { InvalidInput, type Problem, Refused } from '../../model/errors.ts';
import { collectProblems } from '../../model/errors.ts';
import { parseQuery } from '../../model/search-query.ts';
import { cleanLine, cleanText } from '../../lib/text.ts';
import { isKeyOf, keyIdOf, makeKey } from '../../platform/keys.ts';
import { recordAudit, recordCreation } from '../../store/access/audit-entries.ts';
import { type Id, inTransaction } from '../../store/db/database.ts';
import {
  closeFeed,
  type FeedRow,
  findFeed,
  insertFeed,
  readFeed,
  touchFeed,
} from '../../store/access/feeds.ts';
import type { ActingContext, Context } from '../context.ts';
import { requireSearch, requireTopic } from '../topics/find-by-slug.ts';

/** Characters of a name. */
export const MAX_FEED_NAME = 100;

type WrittenFeed = {
  /** Default: what the feed shows. */
  name?: string | undefined;
  /** A topic or a search, not both; everything without either. */
  topic?: string | undefined;
  search?: string | undefined;
  /** Only posts and links that match; empty: everything that is new. */
  query?: string | undefined;
};

/** What a new feed shows, before it has a key: for {@link describeFeed} as well. */
export type FeedSubject = Pick<FeedRow, 'topic' | 'search' | 'query'>;

/**
 * Creates a feed with a key of its own, which its address contains.
 * @returns the feed, and its key, which is shown once
 * @throws InvalidInput @throws Refused `not_found` for a topic or search, or a removed one
 */
export async function createFeed(
  ctx: ActingContext,
  written: WrittenFeed,
): Promise<{ feed: FeedRow; key: string }> {
  const { topic, search } = written;
  const problems: Problem[] = [];
  const query = written.query?.trim() ?? '';
  collectProblems(problems, () => parseQuery(query, 'query'), undefined);
  if (topic !== undefined && search !== undefined)
    problems.push({ path: 'search', given: search, expected: 'a topic or a search, not both' });
  const cleanName = cleanLine(written.name ?? '');
  if (cleanName.length > MAX_FEED_NAME)
    problems.push({ path: 'name', given: cleanName, expected: `at most ${MAX_FEED_NAME} characters` });
  if (problems.length > 0) throw new InvalidInput(problems);
  const subject = { topic: topic ?? null, search: search ?? null, query };
  const name = cleanName === '' ? cleanText(describeFeed(subject), MAX_FEED_NAME) : cleanName;
  const { key, id: prefix, hash } = makeKey('fd');
  const id = await inTransaction(ctx.db, async (tx) => {
    const topicId = topic === undefined ? null : (await requireTopic(tx, topic)).id;
    const searchId = search === undefined ? null : (await requireSearch(tx, search)).id;
    const now = ctx.clock.now();
    const inserted = await insertFeed(tx, { prefix, hash, name, query, topicId, searchId, now });
    const changes = recordCreation({ name, ...subject });
    await recordAudit(tx, ctx, { action: 'feed.created', subject: prefix, changes });
    return inserted;
  });
  return { feed: await requireFeed(ctx, id), key };
}

/**
 * Revokes a feed: readers get 410 from now on. Revoking it again has no effect.
 * @param idOrKey its id; or, as text, its prefix, its key or its address
 * @throws Refused `not_found`
 */
export async function revokeFeed(ctx: ActingContext, idOrKey: Id | string): Promise<FeedRow> {
  const { id, prefix, name } = await requireFeed(
    ctx,
    typeof idOrKey === 'string' ? readName(idOrKey) : idOrKey,
  );
  await inTransaction(ctx.db, async (tx) => {
    if (!(await closeFeed(tx, id, ctx.clock.now()))) return;
    await recordAudit(tx, ctx, {
      action: 'feed.revoked',
      subject: prefix,
      changes: { name: { before: name } },
    });
  });
  return requireFeed(ctx, id);
}

/** A pasted address or key names its feed. */
function readName(address: string): string {
  const [key = ''] = /fd_[0-9A-Za-z]+/.exec(address) ?? [];
  return keyIdOf(key, 'fd') ?? address;
}

async function requireFeed(ctx: Pick<Context, 'db'>, named: Id | string): Promise<FeedRow> {
  const feed = await readFeed(ctx.db, named);
  if (feed === undefined) throw new Refused('not_found', 'there is no such feed; see: strandline feeds list');
  return feed;
}

/**
 * The feed of a key, which an address contains, and no statement.
 * @returns `gone` if it was revoked; undefined for any other text, so that only a whole key reveals that it was valid
 */
export async function openFeed(
  ctx: Pick<Context, 'db' | 'clock'>,
  key: string,
): Promise<FeedRow | 'gone' | undefined> {
  const prefix = keyIdOf(key, 'fd');
  const stored = prefix === undefined ? undefined : await findFeed(ctx.db, prefix);
  if (stored === undefined || !isKeyOf(key, stored.keyHash)) return undefined;
  if (stored.feed.revoked_at !== null) return 'gone';
  await touchFeed(ctx.db, stored.feed, ctx.clock.now());
  return stored.feed;
}

/** What a feed shows: `everything new`, `ferry: "night line"`. */
export function describeFeed({ topic, search, query }: FeedSubject): string {
  const scope = search ?? topic;
  if (query === '') return scope ?? 'everything new';
  return scope === null ? query : `${scope}: ${query}`;
}
