/**
 * Reads one feed or watched page: at most every 15 minutes, only if it changed, and within limits of size and time. A feed
 * that fails keeps its last entries, and its problem in our own words.
 */

import { Refused } from '../../../model/errors.ts';
import { DAY, MINUTE, SECOND } from '../../../lib/time.ts';
import { createTimeLimit } from '../../../platform/clock.ts';
import { type Allowed, findNetworkCode, NotAllowed, type Resolve } from '../../../platform/network.ts';
import { retryAfterMs } from '../../../protocol/retry-after.ts';
import type { AdapterContext } from '../adapter.ts';
import { compareText } from '../../ranking/result-ranking.ts';
import type { EntryCounts, FeedEntry } from './feed-orders.ts';
import { type FeedParser, openFeedParser } from './feed-parser.ts';
import { type FetchedDocument, fetchPublic, readFreshMs, readValidators } from './public-fetch.ts';

export type FeedContext = Pick<AdapterContext, 'clock' | 'who' | 'log'>;

const MAX_FEED_MS = 10 * SECOND;
/** Between two requests; a feed may ask for longer, an overloaded server for as long as it likes. */
const READ_EVERY_MS = 15 * MINUTE;
const RETRY_NETWORK_MS = MINUTE;
const ACCEPT =
  'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5';

/** Feeds, or sites that name a feed; or pages whose text is watched. */
export type ListedKind = 'feeds' | 'pages';

/** What to do about a feed: who listed it decides. */
export type FeedAdvice = {
  /** Where it is listed: `FEEDS`. */
  list: Readonly<Record<ListedKind, string>>;
  /** How to watch the text of a page without a feed: `PAGES watches its text`. */
  watch: string;
};

export type Feed = {
  kind: ListedKind;
  /** As it is listed; `at` may lead elsewhere. */
  address: string;
  /** The feed itself, once it is known. */
  at: string;
  /** Its own title; empty until it was read, or if it has none. */
  title: string;
  /** Headers of the next request, so that an unchanged feed is not sent again. */
  validators: Record<string, string>;
  entries: readonly FeedEntry[];
  unlinked: readonly FeedEntry[];
  counts: EntryCounts | undefined;
  /** To the last request; false if the response was no feed. */
  hasResponded: boolean;
  /** Whether the last request took too long. */
  isSlow: boolean;
  /** Whether it is a page that names no feed, although a feed was expected. */
  isPage: boolean;
  /** Whether there are entries to find, perhaps of an earlier time. */
  isRead: boolean;
  dueAt: number;
  problem: string | undefined;
  pendingRead: Promise<void> | undefined;
};

/** A feed that was not read yet. */
export function createFeed(kind: ListedKind, address: string): Feed {
  return {
    kind,
    address,
    at: address,
    title: '',
    validators: {},
    entries: [],
    unlinked: [],
    counts: undefined,
    hasResponded: false,
    isSlow: false,
    isPage: false,
    isRead: false,
    dueAt: 0,
    problem: undefined,
    pendingRead: undefined,
  };
}

/** `maxFeedMs`: the time limit of one feed, set in tests. `openParser`: the service gives all readers one parser. */
export type TestedParts = { maxFeedMs?: number; openParser?: typeof openFeedParser };
/** Of a decoded response, in megabytes. */
const DEFAULT_MAX_FEED_MB = 10;

/** A feed cannot be read. The message is in our own words. */
class FeedProblem extends Error {
  override readonly name = 'FeedProblem';
  readonly retryMs: number;

  constructor(message: string, retryMs = READ_EVERY_MS) {
    super(message);
    this.retryMs = retryMs;
  }
}

export type FeedMeans = {
  allowed: Allowed;
  resolve: Resolve;
  maxMb?: number;
  advice: FeedAdvice;
} & TestedParts;

export type FeedReading = {
  /**
   * Reads a feed whatever it is due. Never throws: a failure is its problem.
   * @param maxMs time limit, if not the usual limit
   */
  read: (feed: Feed, context: FeedContext, maxMs?: number) => Promise<void>;
  /** Starts the process that parses. */
  prepare: (log: FeedContext['log']) => void;
  /** Aborts what is being read. */
  close: () => Promise<void>;
};

export function createFeedReading(means: FeedMeans): FeedReading {
  const { allowed, resolve, advice, maxFeedMs = MAX_FEED_MS, openParser = openFeedParser } = means;
  const maxBytes = (means.maxMb ?? DEFAULT_MAX_FEED_MB) * 1_000_000;
  const closing = new AbortController();
  let parser: FeedParser | undefined;

  async function read(feed: Feed, { clock, who, log }: FeedContext, maxMs = maxFeedMs): Promise<void> {
    const limit = createTimeLimit(maxMs, closing.signal);
    const known = feed.problem;
    let isFetched = false;
    try {
      const fetched = await fetch(feed, { who, clock }, limit.signal);
      isFetched = true;
      feed.problem = undefined;
      feed.hasResponded = true;
      if (fetched.status !== 304) await take(feed, fetched, { who, clock, log }, limit.signal);
      feed.isRead = true;
      feed.isSlow = false;
      feed.dueAt = clock.now().getTime() + readFreshMs(fetched);
      if (fetched.movedTo !== undefined && feed.at === feed.address)
        feed.problem = `moved permanently to ${showAddress(fetched.movedTo)}; change it in ${advice.list[feed.kind]}`;
    } catch (error) {
      if (closing.signal.aborted) return;
      const { message, retryMs } = toProblem(error, limit.signal.aborted ? { maxMs, isFetched } : undefined);
      feed.problem = message;
      feed.hasResponded = false;
      feed.isSlow = limit.signal.aborted;
      feed.dueAt = clock.now().getTime() + retryMs;
      // It may have moved: start again from the site.
      feed.at = feed.address;
      feed.validators = {};
    } finally {
      limit.end();
    }
    if (feed.problem !== undefined && feed.problem !== known)
      log.info({ feed: showAddress(feed.address), why: feed.problem }, 'feed problem');
  }

  async function fetch(
    feed: Feed,
    { who, clock }: Pick<FeedContext, 'who' | 'clock'>,
    signal: AbortSignal,
  ): Promise<FetchedDocument> {
    const headers = { 'user-agent': who, accept: ACCEPT, ...feed.validators };
    const request = { allowed, resolve, headers, maxBytes, signal };
    const fetched = await fetchPublic(feed.at, request);
    const { status } = fetched;
    if (status === 200 || (status === 304 && feed.isRead)) return fetched;
    if (status === 410)
      throw new FeedProblem(`gone (HTTP 410); remove it from ${advice.list[feed.kind]}`, DAY);
    const isBusy = status === 429 || status === 503;
    const waitMs = isBusy ? (retryAfterMs(fetched.headers.get('retry-after'), clock.now()) ?? 0) : 0;
    throw new FeedProblem(`HTTP ${status}`, Math.max(waitMs, READ_EVERY_MS));
  }

  /** Keeps the entries of a feed; for a page, those of the first feed that it names. */
  async function take(
    feed: Feed,
    fetched: FetchedDocument,
    context: FeedContext,
    signal: AbortSignal,
  ): Promise<void> {
    parser ??= openParser(context.log);
    const { bytes, address, headers } = fetched;
    const contentType = (headers.get('content-type') ?? '').slice(0, 200);
    const isWatched = feed.kind === 'pages';
    const document = await parser.parse(bytes, { address, contentType, isWatched }, signal);
    signal.throwIfAborted();
    if (document.kind === 'text' || document.kind === 'feed') {
      const { kind, entries } = document;
      if (kind === 'text' && entries.length === 0) throw new FeedProblem('has no text: scripts may write it');
      const dated = dateByFirstSight(entries, feed, context.clock.now());
      feed.isPage = false;
      feed.title = document.title;
      feed.entries = kind === 'text' ? dated.sort(compareNewest) : dated;
      feed.unlinked = kind === 'feed' ? document.unlinked : [];
      feed.counts = kind === 'feed' ? document.counts : undefined;
      feed.validators = readValidators({ headers });
      return;
    }
    if (document.kind === 'unreadable') throw new FeedProblem(document.why);
    // A page that names itself, or another page, is not read on.
    const [first] = feed.at === feed.address ? document.feeds.filter((link) => link !== feed.at) : [];
    feed.isPage = first === undefined;
    if (first === undefined)
      throw new FeedProblem(`is a page, not a feed, and names no feed; ${advice.watch}`);
    feed.at = first;
    feed.validators = {};
    await take(feed, await fetch(feed, context, signal), context, signal);
  }

  return {
    read,
    prepare: (log) => (parser ??= openParser(log)).prepare(),
    async close() {
      closing.abort();
      await parser?.close();
    },
  };
}

/**
 * Dates texts of pages and entries without a time. A new entry gets the current time; when the entries of the first
 * response appeared is unknown. An entry that is dated ahead of our clock gets the time at which it was first read.
 */
function dateByFirstSight(current: readonly FeedEntry[], { isRead, entries }: Feed, now: Date): FeedEntry[] {
  const known = new Map(entries.map(({ link, publishedAt }) => [link, publishedAt]));
  const appearedAt = isRead ? now.toISOString() : null;
  return current.map((entry) => {
    if (entry.publishedAt !== null && entry.publishedAt <= now.toISOString()) return entry;
    const firstRead = known.has(entry.link) ? (known.get(entry.link) ?? null) : appearedAt;
    return {
      ...entry,
      publishedAt: entry.publishedAt === null ? firstRead : (firstRead ?? now.toISOString()),
    };
  });
}

function compareNewest(a: FeedEntry, b: FeedEntry): number {
  return compareText(b.publishedAt ?? '', a.publishedAt ?? '');
}

/** Without query, which may contain a secret. */
export function showAddress(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

/** @param late the time limit, if it was reached, and whether the response had arrived before */
function toProblem(
  error: unknown,
  late: { maxMs: number; isFetched: boolean } | undefined,
): { message: string; retryMs: number } {
  if (late !== undefined) {
    const seconds = late.maxMs / SECOND;
    return late.isFetched
      ? { message: `not parsed in ${seconds} s`, retryMs: RETRY_NETWORK_MS }
      : { message: `no complete response in ${seconds} s`, retryMs: READ_EVERY_MS };
  }
  if (error instanceof FeedProblem) return error;
  if (error instanceof NotAllowed) return { message: error.message, retryMs: READ_EVERY_MS };
  if (error instanceof Refused) return { message: `not parsed: ${error.message}`, retryMs: READ_EVERY_MS };
  const code = findNetworkCode(error) ?? 'unknown';
  return { message: `no response (${code})`, retryMs: RETRY_NETWORK_MS };
}
