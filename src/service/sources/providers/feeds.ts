/**
 * RSS, Atom and JSON feeds: those of news sites from a starting list, and your own; and pages whose text is watched. No
 * key, exact dates; only what the feeds contain now, usually the last days.
 */

import { anyText, variable } from '../../../config/variable.ts';
import { type Allowed, readAllowed, type Resolve, systemResolve } from '../../../platform/network.ts';
import { isPrivateAddress } from '../../citable-link.ts';
import { type Adapter, defineSource } from '../adapter.ts';
import { feedList, pageList } from '../feeds/feed-list.ts';
import type { FeedEntry } from '../feeds/feed-orders.ts';
import type { FeedReader, TestedParts } from '../feeds/feed-reader.ts';
import { SourceDown } from '../outage.ts';
import { endsNow } from '../provider-query.ts';

/** Share of the remaining time to wait for slow feeds, if others were read. */
const WAIT_SHARE = 0.7;
const PROBE_WAIT_MS = 1_500;
const MAX_HOSTS_IN_TITLE = 8;

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
    // Requests are limited per feed, see feed-reader.ts.
    pace: { perMinute: 600, burst: 100 },
    wordings: 'own',
  },
  // biome-ignore format: one row for each
  variables: {
    list: variable('FEEDS', feedList, 'feeds and sites to read, and languages of the starting list of news sites', { default: 'en' }),
    pages: variable('PAGES', pageList, 'pages whose text is watched', { default: 'none' }),
    allow: variable('FEEDS_ALLOW', anyText, 'non-public hosts, addresses and networks that feeds and pages may be read from, comma-separated', { unset: 'public hosts with https only' }),
  },
  make: ({ list, pages, allow }) =>
    list.length + pages.length === 0
      ? undefined
      : feeds({ list, pages, allowed: readAllowed(allow, 'FEEDS_ALLOW') }),
});

/** @param settings.resolve resolves host names; replaced in tests */
export function feeds(
  settings: {
    list: readonly string[];
    pages?: readonly string[];
    allowed: Allowed;
    resolve?: Resolve;
  } & TestedParts,
): Adapter {
  const { list, pages = [], allowed, resolve = systemResolve, ...tested } = settings;
  let reader: FeedReader | undefined;
  // Loaded on demand, so that reading the configuration does not load the HTTP client.
  const openReader = async () => {
    const { createFeedReader } = await import('../feeds/feed-reader.ts');
    return (reader ??= createFeedReader({ feeds: list, pages }, { allowed, resolve, ...tested }));
  };
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
    prepare: async (log) => (await openReader()).prepare(log),
    close: async () => reader?.close(),
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
      const { searchEntries, searchTexts } = await import('../feeds/feed-search.ts');
      return [
        ...(await searchTexts({ entries: opened.entries('pages'), isShown, isCurrent }, query)),
        ...(await searchEntries({ entries: opened.entries('feeds'), isShown }, query)),
      ];
    },
  };
}

/** `bbc.co.uk, theguardian.com and 3 more`. */
function listHosts(list: readonly string[]): string {
  const hosts = [...new Set(list.map((address) => new URL(address).hostname.replace(/^www\./, '')))];
  const more = hosts.length - MAX_HOSTS_IN_TITLE;
  return `${hosts.slice(0, MAX_HOSTS_IN_TITLE).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
