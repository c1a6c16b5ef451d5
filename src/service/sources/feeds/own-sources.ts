/**
 * Feeds and pages that a request names (`protocol/own-sources.ts`), read under the same rules as those of `FEEDS`: public
 * addresses only, each at most every 15 minutes, within limits of size and time. What was read is kept for the next request.
 */

import { type Allowed, type Resolve, systemResolve } from '../../../platform/network.ts';
import type { CheckedSource, OwnSource, OwnSourceReport } from '../../../protocol/own-sources.ts';
import { fillWords, takesWords } from '../../../protocol/own-sources.ts';
import { LIST_FULL } from '../../../protocol/extensions.ts';
import { isPrivateAddress } from '../../citable-link.ts';
import { endsNow, joinSearchTerms, shortenPrompt } from '../provider-query.ts';
import type { FoundItem, SearchSource, SourceQuery } from '../search-source.ts';
import type { FeedEntry } from './feed-orders.ts';
import type { FeedLists, FeedReader } from './feed-reader.ts';
import type { Feed, FeedAdvice, FeedContext, ListedKind, TestedParts } from './feed-reading.ts';
import { findKnownFeed } from './known-sites.ts';

export type OwnSourceReader = {
  /** A source of web results for one request, and what is known of each of its parts after it was asked. */
  open(sources: readonly OwnSource[]): SearchSource & { reports(): OwnSourceReport[] };
  /** Reads an address now, whatever it is. Never throws. */
  check(address: string): Promise<CheckedSource>;
  close(): Promise<void>;
};

/** Of all requests together, so that slow feeds of one leave places for those of others. */
const MAX_TOGETHER = 24;
/** Share of the time limit to wait for slow feeds, if others were read. */
const WAIT_SHARE = 0.7;
/** Words that a search gets, and how many if it finds nothing with them. */
const WORD_ATTEMPTS = [4, 2] as const;
/** What a search is asked when it is checked: something that any has. */
const SAMPLE_WORDS = 'news';
const NAME = 'own-sources';

const ADVICE: FeedAdvice = {
  list: { feeds: 'the sources', pages: 'the sources' },
  watch: 'add it as a page to watch its text',
};

export function createOwnSourceReader(
  means: { allowed: Allowed; maxMb: number; resolve?: Resolve } & TestedParts & FeedContext,
): OwnSourceReader {
  const { allowed, maxMb, resolve = systemResolve, clock, who, log, ...tested } = means;
  const context: FeedContext = { clock, who, log };
  let opened: Promise<FeedLists> | undefined;
  let lists: FeedLists | undefined;
  // Loaded on demand: most programs have no such request.
  const openLists = async () => {
    opened ??= import('./feed-reader.ts').then(({ createFeedLists }) =>
      createFeedLists({ allowed, resolve, maxMb, advice: ADVICE, maxTogether: MAX_TOGETHER, ...tested }),
    );
    return (lists = await opened);
  };
  const isIntranetAllowed = allowed.hosts.size > 0 || allowed.networks.rules.length > 0;
  const isShown = ({ link }: FeedEntry) => isIntranetAllowed || !isPrivateAddress(new URL(link));

  function open(sources: readonly OwnSource[]) {
    let read: ReadSource[] | undefined;

    async function find(query: SourceQuery): Promise<FoundItem[]> {
      const deadline = clock.now().getTime() + query.timeoutMs * WAIT_SHARE;
      const all = await openLists();
      let failure: unknown;
      for (const most of WORD_ATTEMPTS) {
        const requested = sources.map((source, i) => ({
          source,
          address: chooseAddress(source, query, { most, last: read?.[i]?.feed }),
        }));
        if (read !== undefined && requested.every(({ address }, i) => address === read?.[i]?.feed.address))
          break;
        const reader = all.open(toListed(requested));
        read = requested.map(({ source, address }) => ({ source, feed: findFeed(reader, source, address) }));
        const leftMs = Math.max(0, deadline - clock.now().getTime());
        failure = await reader.refresh(context, leftMs).then(
          () => undefined,
          (error: unknown) => error,
        );
        query.signal.throwIfAborted();
      }
      if (failure !== undefined) throw failure;
      return findItems(read ?? [], query);
    }

    return {
      name: NAME,
      source: 'web' as const,
      state: 'live' as const,
      wordings: 'own' as const,
      find,
      reports: () => sources.map((source, i) => reportSource(source, read?.[i]?.feed)),
    };
  }

  async function findItems(read: readonly ReadSource[], query: SourceQuery): Promise<FoundItem[]> {
    const { listNewest, searchEntries, searchTexts } = await import('./feed-search.ts');
    const isCurrent = endsNow(query.to, clock.now());
    const entriesOf = (isWanted: (each: ReadSource) => boolean) =>
      read.filter(isWanted).flatMap(({ feed }) => feed.entries);
    const isWhole = ({ source }: ReadSource) => source.all === true || takesWords(source.address);
    const onCut = (matching: number) =>
      query.report?.({ code: LIST_FULL, message: `has ${matching} matching entries` });
    const of = (isWanted: (each: ReadSource) => boolean) => ({
      entries: entriesOf(isWanted),
      isShown,
      isCurrent,
      onCut,
    });
    return [
      ...(await listNewest(of(isWhole), query)),
      ...(await searchTexts(
        of((each) => !isWhole(each) && each.source.kind === 'page'),
        query,
      )),
      ...(await searchEntries(
        of((each) => !isWhole(each) && each.source.kind === 'feed'),
        query,
      )),
    ];
  }

  async function check(address: string): Promise<CheckedSource> {
    const all = await openLists();
    if (takesWords(address))
      return describeFeed(await all.readNow('feeds', fillWords(address, SAMPLE_WORDS), context), 'feed');
    const known = findKnownFeed(new URL(address)) ?? address;
    const feed = await all.readNow('feeds', known, context);
    if (!feed.isPage) return describeFeed(feed, 'feed', address);
    return describeFeed(await all.readNow('pages', address, context), 'page');
  }

  return { open, check, close: async () => lists?.close() };
}

type ReadSource = { source: OwnSource; feed: Readonly<Feed> };

const KIND_OF_LIST = { feed: 'feeds', page: 'pages' } as const satisfies Record<
  OwnSource['kind'],
  ListedKind
>;

function toListed(requested: readonly { source: OwnSource; address: string }[]) {
  const of = (kind: OwnSource['kind']) => [
    ...new Set(requested.filter(({ source }) => source.kind === kind).map(({ address }) => address)),
  ];
  return { feeds: of('feed'), pages: of('page') };
}

function findFeed({ feeds }: FeedReader, { kind }: OwnSource, address: string): Readonly<Feed> {
  const feed = feeds.find(
    ({ address: listedAddress, kind: listed }) => listedAddress === address && listed === KIND_OF_LIST[kind],
  );
  if (feed === undefined) throw new Error('a list has each of its feeds');
  return feed;
}

/** @param attempt.last the feed of the attempt before: only a search that found nothing gets other words */
function chooseAddress(
  { kind, address }: OwnSource,
  query: SourceQuery,
  { most, last }: { most: number; last: Readonly<Feed> | undefined },
): string {
  if (last !== undefined && !(takesWords(address) && last.isRead && last.entries.length === 0))
    return last.address;
  if (takesWords(address))
    return new URL(fillWords(address, joinSearchTerms(query, most) || shortenPrompt(query.prompt))).href;
  const url = new URL(address);
  return kind === 'feed' ? (findKnownFeed(url) ?? url.href) : url.href;
}

function reportSource({ id }: OwnSource, feed: Readonly<Feed> | undefined): OwnSourceReport {
  if (feed === undefined) return { id, state: 'unasked', title: '', entries: 0 };
  const { title, entries, problem, hasResponded, isRead } = feed;
  const newest = findNewest(entries)?.publishedAt;
  const isKnown = isRead && hasResponded;
  return {
    id,
    state: isKnown ? 'read' : problem === undefined ? 'pending' : 'failed',
    title,
    entries: entries.length,
    ...(newest !== undefined && newest !== null && { newest }),
    ...(problem !== undefined && { problem }),
  };
}

function describeFeed(feed: Readonly<Feed>, kind: 'feed' | 'page', ownAddress = feed.address): CheckedSource {
  const { title, entries, problem = null, isRead, at } = feed;
  const newest = findNewest(entries) ?? entries[0];
  return {
    found: isRead ? kind : 'none',
    feed: isRead && at !== ownAddress ? at : null,
    title,
    entries: entries.length,
    newest: newest === undefined ? null : { title: newest.title, at: newest.publishedAt },
    problem,
  };
}

function findNewest(entries: readonly FeedEntry[]): FeedEntry | undefined {
  return entries.reduce<FeedEntry | undefined>(
    (newest, entry) => ((entry.publishedAt ?? '') > (newest?.publishedAt ?? '') ? entry : newest),
    undefined,
  );
}
