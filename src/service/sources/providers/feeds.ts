/**
 * RSS, Atom and JSON feeds: those of news sites from a starting list, and your own; and pages whose text is watched. No
 * key, exact dates; only what the feeds contain now, usually the last days.
 */

import { readSite } from '../../../model/links/link.ts';
import { anyText, type ReadVariables, variable, wholeNumber } from '../../../config/variable.ts';
import { type Allowed, readAllowed, type Resolve, systemResolve } from '../../../platform/network.ts';
import { isPrivateAddress } from '../../citable-link.ts';
import { type Adapter, defineSource } from '../adapter.ts';
import { feedList, pageList } from '../feeds/feed-list.ts';
import type { FeedEntry } from '../feeds/feed-orders.ts';
import type { FeedLists, FeedReader } from '../feeds/feed-reader.ts';
import type { FeedAdvice, TestedParts } from '../feeds/feed-reading.ts';
import { ENTRIES_LEFT_OUT, LIST_FULL } from '../../../protocol/extensions.ts';
import { SourceDown } from '../outage.ts';
import { endsNow } from '../provider-query.ts';

/** Share of the remaining time to wait for slow feeds, if others were read. */
const WAIT_SHARE = 0.7;
const PROBE_WAIT_MS = 1_500;
const MAX_HOSTS_IN_TITLE = 8;

// biome-ignore format: one row for each
const VARIABLES = {
  list: variable('FEEDS', feedList, 'feeds and sites to read, and languages of the starting list of news sites', { default: 'local' }),
  pages: variable('PAGES', pageList, 'pages whose text is watched', { default: 'none' }),
  maxMb: variable('FEEDS_MAX_MB', wholeNumber(1, 50), 'largest feed or page to read, decompressed', { default: '10', unit: 'megabytes' }),
  allow: variable('FEEDS_ALLOW', anyText, 'non-public hosts, addresses and networks that feeds and pages may be read from, comma-separated', { unset: 'public hosts with https only' }),
};

/** The rules for feeds and pages that a request names. @throws InvalidInput */
export function readFeedRules(read: ReadVariables): { allowed: Allowed; maxMb: number } {
  const { allow, maxMb } = read({ allow: VARIABLES.allow, maxMb: VARIABLES.maxMb });
  return { allowed: readAllowed(allow, 'FEEDS_ALLOW'), maxMb };
}

export const FEEDS = defineSource({
  facts: {
    name: 'feeds',
    source: 'web',
    title: 'RSS and Atom feeds',
    dates: 'exact',
    sample: 'government',
    covers: 'news',
    addresses: 'own',
    terms: 'Feeds are published to be read; texts stay their publishers’: a link and a short excerpt.',
    // Requests are limited per feed, see feed-reading.ts.
    pace: { perMinute: 600, burst: 100 },
    wordings: 'own',
  },
  variables: VARIABLES,
  make: ({ list, pages, maxMb, allow }, { openParser }) =>
    list.length + pages.length === 0
      ? undefined
      : feeds({
          list,
          pages,
          maxMb,
          allowed: readAllowed(allow, 'FEEDS_ALLOW'),
          ...(openParser && { openParser }),
        }),
});

const ADVICE: FeedAdvice = {
  list: { feeds: 'FEEDS', pages: 'PAGES' },
  watch: 'PAGES watches its text',
};

/** @param settings.resolve resolves host names; replaced in tests */
export function feeds(
  settings: {
    list: readonly string[];
    pages?: readonly string[];
    /** The largest document, in megabytes. */
    maxMb?: number;
    allowed: Allowed;
    resolve?: Resolve;
  } & TestedParts,
): Adapter {
  const { list, pages = [], maxMb, allowed, resolve = systemResolve, ...tested } = settings;
  let lists: FeedLists | undefined;
  let reader: FeedReader | undefined;
  // Loaded on demand, so that reading the configuration does not load the HTTP client.
  const openLists = async () => {
    const { createFeedLists } = await import('../feeds/feed-reader.ts');
    const means = { allowed, resolve, advice: ADVICE, ...(maxMb !== undefined && { maxMb }), ...tested };
    return (lists ??= createFeedLists(means));
  };
  const openReader = async () => (reader ??= (await openLists()).open({ feeds: list, pages }));
  const isIntranetAllowed = allowed.hosts.size > 0 || allowed.networks.rules.length > 0;
  const brings = [
    ...(list.length > 0 ? [`news of ${list.length} ${list.length === 1 ? 'feed' : 'feeds'}`] : []),
    ...(pages.length > 0 ? [`the text of ${pages.length} ${pages.length === 1 ? 'page' : 'pages'}`] : []),
  ];
  return {
    ...FEEDS.facts,
    title: `${FEEDS.facts.title} (${listHosts([...list, ...pages])})`,
    brings: brings.join(', '),
    problems: () => reader?.problems() ?? [],
    prepare: async (log) => (await openLists()).prepare(log),
    close: async () => lists?.close(),
    async probe(context) {
      await (await openReader()).probe(context, PROBE_WAIT_MS);
    },
    async find(query, context) {
      const opened = await openReader();
      const missing = await opened.refresh(context, context.leftMs() * WAIT_SHARE);
      if (missing > 0)
        context.cutShort(
          new SourceDown('source_timeout', {
            detail: `${missing} of ${list.length + pages.length} feeds`,
            unasked: true,
          }),
        );
      const isShown = ({ link }: FeedEntry) => isIntranetAllowed || !isPrivateAddress(new URL(link));
      const isCurrent = endsNow(query.to, context.clock.now());
      const { countUnlinked, searchEntries, searchTexts } = await import('../feeds/feed-search.ts');
      const onCut = (matching: number) =>
        context.report({ code: LIST_FULL, message: `has ${matching} matching entries` });
      const unlinked = await countUnlinked(opened.unlinked(), query);
      if (unlinked > 0)
        context.report({
          code: ENTRIES_LEFT_OUT,
          message: `left out ${unlinked} matching ${unlinked === 1 ? 'entry' : 'entries'} without an address`,
        });
      const cut = opened.cutAt().filter((at) => query.from === undefined || at > query.from.getTime()).length;
      if (cut > 0)
        context.report({
          code: ENTRIES_LEFT_OUT,
          message: `read only the newest entries of ${cut} ${cut === 1 ? 'feed' : 'feeds'} in this period`,
        });
      return [
        ...(await searchTexts({ entries: opened.entries('pages'), isShown, isCurrent }, query)),
        ...(await searchEntries({ entries: opened.entries('feeds'), isShown, isCurrent, onCut }, query)),
      ];
    },
  };
}

/** `bbc.co.uk, theguardian.com and 3 more`. */
function listHosts(list: readonly string[]): string {
  const hosts = [...new Set(list.map((address) => readSite(address) ?? address))];
  const more = hosts.length - MAX_HOSTS_IN_TITLE;
  return `${hosts.slice(0, MAX_HOSTS_IN_TITLE).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
