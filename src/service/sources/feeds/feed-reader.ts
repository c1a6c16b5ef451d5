/** Lists of feeds and watched pages, which are read when they are due; what they contained is kept in memory. */

import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { SECOND } from '../../../lib/time.ts';
import { TimedOut, withTimeout } from '../../../platform/clock.ts';
import { SourceDown } from '../outage.ts';
import type { EntryCounts, FeedEntry } from './feed-orders.ts';
import {
  createFeed,
  createFeedReading,
  type Feed,
  type FeedContext,
  type FeedMeans,
  type FeedReading,
  type ListedKind,
  showAddress,
} from './feed-reading.ts';

export type FeedReader = {
  /**
   * Reads the feeds that are due, and waits for them at most `maxMs`, or longer until the first has been read; not for
   * those that were too slow before, since each search would wait again.
   * @returns how many are still being read
   * @throws SourceDown if none could be read, even if there are older entries
   */
  refresh(context: FeedContext, maxMs: number): Promise<number>;
  /** Like {@link refresh}, but a response is enough, parsed or not: the first parsing has to start a process. */
  probe(context: FeedContext, maxMs: number): Promise<number>;
  /** Its feeds, in their order; feeds before pages. */
  feeds: readonly Readonly<Feed>[];
  /** Everything read so far; of pages, what appeared last comes first. */
  entries(kind: ListedKind): FeedEntry[];
  /** Entries of feeds that have no address, so that they cannot be results. */
  unlinked(): FeedEntry[];
  /** Times of the oldest entries that were read of feeds with more, in milliseconds since 1970. */
  cutAt(): number[];
  /**
   * Feeds that cannot be read, moved or are gone: `https://a.example/feed: gone (HTTP 410); remove it from FEEDS`; and of
   * which entries are left out or have no time of their own.
   */
  problems(): string[];
};

type Listed = Readonly<Record<ListedKind, readonly string[]>>;
const KINDS = ['feeds', 'pages'] as const;

/** Feeds of several lists: one that is in several is read once. */
export type FeedLists = {
  /** A list of them, whose feeds are read when it is refreshed. */
  open(listed: Listed): FeedReader;
  /** Reads a feed now, apart from all lists. */
  readNow(kind: ListedKind, address: string, context: FeedContext): Promise<Readonly<Feed>>;
} & Pick<FeedReading, 'prepare' | 'close'>;

/** For who waits for one feed: the process that parses may have to start. */
const MAX_NOW_MS = 30 * SECOND;
/** At once, for one list. */
const MAX_CONCURRENT = 8;
/** Kept in memory: characters of their texts, of which a feed has some ten thousand, and an entry's overhead. */
const MAX_FEEDS = 1_000;
const MAX_CHARACTERS = 40_000_000;
const ENTRY_WEIGHT = 500;

/** @param means.maxTogether feeds of all lists that are read at once */
export function createFeedLists(means: FeedMeans & { maxTogether?: number }): FeedLists {
  const { read, prepare, close } = createFeedReading(means);
  const together = pLimit(means.maxTogether ?? MAX_CONCURRENT);
  const known = new LRUCache<string, Feed>({
    max: MAX_FEEDS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: weighFeed,
  });

  function findFeed(kind: ListedKind, address: string): Feed {
    const key = `${kind} ${address}`;
    const feed = known.get(key) ?? createFeed(kind, address);
    if (!known.has(key)) known.set(key, feed);
    return feed;
  }

  async function readListed(feed: Feed, context: FeedContext): Promise<void> {
    await read(feed, context);
    const key = `${feed.kind} ${feed.address}`;
    if (known.peek(key) === feed) known.set(key, feed, { size: weighFeed(feed) });
  }

  function open(listed: Listed): FeedReader {
    const feeds = KINDS.flatMap((kind) => listed[kind].map((address) => findFeed(kind, address)));
    const places = pLimit(MAX_CONCURRENT);

    /** @param isEnough whether the source works, if this holds for any feed */
    async function readDue(
      context: FeedContext,
      maxMs: number,
      isEnough: (feed: Feed) => boolean,
    ): Promise<number> {
      const now = context.clock.now().getTime();
      for (const feed of feeds.filter(
        ({ dueAt, pendingRead }) => dueAt <= now && pendingRead === undefined,
      )) {
        feed.pendingRead = places(() => together(() => readListed(feed, context))).finally(() => {
          feed.pendingRead = undefined;
        });
      }
      const readings = feeds.flatMap(({ pendingRead }) => pendingRead ?? []);
      const quick = feeds.flatMap(({ isSlow, pendingRead }) => (isSlow ? [] : (pendingRead ?? [])));
      // The others go on.
      await withTimeout(Promise.all(quick), maxMs).catch((error: unknown) => {
        if (!(error instanceof TimedOut)) throw error;
      });
      if (!feeds.some(isEnough))
        await Promise.any(
          readings.map(async (pendingRead) => {
            await pendingRead;
            if (!feeds.some(isEnough)) throw toOutage(feeds);
          }),
        ).catch(() => {});
      if (!feeds.some(isEnough)) throw toOutage(feeds);
      return feeds.filter(({ pendingRead }) => pendingRead !== undefined).length;
    }

    return {
      feeds,
      refresh: (context, maxMs) =>
        readDue(context, maxMs, ({ isRead, hasResponded }) => isRead && hasResponded),
      probe: (context, maxMs) => readDue(context, maxMs, ({ hasResponded }) => hasResponded),
      entries: (kind) => feeds.filter((feed) => feed.kind === kind).flatMap(({ entries }) => entries),
      unlinked: () => feeds.flatMap(({ unlinked }) => unlinked),
      cutAt: () => feeds.flatMap(findCutTime),
      problems: () =>
        feeds.flatMap(({ address, problem, counts }) => {
          const all = [problem, counts && describeLeftOut(counts)].filter((each) => each !== undefined);
          return all.map((each) => `${showAddress(address)}: ${each}`);
        }),
    };
  }

  async function readNow(kind: ListedKind, address: string, context: FeedContext) {
    const feed = createFeed(kind, address);
    await read(feed, context, MAX_NOW_MS);
    return feed;
  }

  return { open, readNow, prepare, close };
}

function weighFeed({ entries, unlinked }: Feed): number {
  return [...entries, ...unlinked].reduce(
    (sum, { title, link, text, page = '' }) =>
      sum + title.length + link.length + text.length + page.length + ENTRY_WEIGHT,
    ENTRY_WEIGHT,
  );
}

/** Before this time, a feed has entries that were not read. */
function findCutTime({ counts, entries }: Feed): number[] {
  if (counts === undefined || counts.beyond === 0) return [];
  const times = entries.flatMap(({ publishedAt }) => (publishedAt === null ? [] : Date.parse(publishedAt)));
  return times.length === 0 ? [] : [times.reduce((least, at) => Math.min(least, at), Infinity)];
}

/** `10 of 210 entries left out: 10 older than the newest 200; entries dated when first seen: 2 without a date`. */
function describeLeftOut({ all, unlinked, beyond, undated, unreadable }: EntryCounts): string | undefined {
  const list = (...parts: readonly (readonly [count: number, what: string])[]) =>
    parts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join(', ');
  const left = list(
    [unlinked, 'without an address'],
    [beyond, `older than the newest ${all - unlinked - beyond}`],
  );
  const dated = list([undated, 'without a date'], [unreadable, 'with a date that cannot be read']);
  const parts = [
    ...(left === '' ? [] : [`${unlinked + beyond} of ${all} entries left out: ${left}`]),
    ...(dated === '' ? [] : [`entries dated when first seen: ${dated}`]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

/** With the reason, if all have the same. */
function toOutage(feeds: readonly Feed[]): SourceDown {
  const [first] = feeds;
  const same = feeds.every(({ problem }) => problem === first?.problem) ? first?.problem : undefined;
  const detail = same ?? `none of ${feeds.length} feeds could be read`;
  return new SourceDown('source_failed', { detail });
}
