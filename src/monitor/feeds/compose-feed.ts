/** What a feed shows, from the discoveries of its scope: each thing as an entry with a permanent id. */
import { MAIN_COUNTERS, nameCounted } from '../../model/counters.ts';
import { formatCopies, formatCount } from '../../lib/display-format.ts';
import { isWebUrl } from '../../model/links/link.ts';
import { parseQuery } from '../../model/search-query.ts';
import { cleanLine, cleanText, escapeHtml } from '../../lib/text.ts';
import { findLatest } from '../../lib/time.ts';
import {
  type FeedItem,
  type FeedScope,
  readFeedItems,
  readFeedNamespace,
} from '../../store/queries/feed-items.ts';
import type { DiscoveryRow } from '../../store/queries/discoveries.ts';
import type { Context } from '../context.ts';
import type { FeedDocument, FeedDocumentEntry } from './feed-document.ts';
import type { FeedSubject } from './manage-feeds.ts';
import { createHash } from 'node:crypto';

/** More than arrive between two visits of a reader, and a document of some 200 kB at most. */
const MAX_FEED_ENTRIES = 100;

/** UTF-16 code units of a title, and of a text; the page has the whole text. */
const MAX_TITLE = 120;
const MAX_TEXT = 2_000;

/** A feed as it is served. */
export type ServedFeed = FeedSubject & {
  name: string;
  /** Names it among all feeds of the database, also after a topic is renamed. */
  identity: string;
  /** Since when it could have shown something. */
  since: Date;
  /** Start of the addresses of pages, without a slash at its end. */
  base: string;
  /** Its own address; null if that contains a key. */
  self: string | null;
};

/** @throws InvalidInput if the query cannot be parsed */
export function toFeedScope({ topic, search, query }: FeedSubject, now: Date): FeedScope {
  return {
    ...(search === null ? { topic: topic ?? undefined } : { search }),
    matching: query === '' ? undefined : { query: parseQuery(query), now },
  };
}

/** `strandline: ferry`; of the sandbox, it says so. */
export function titleFeed({ kind }: Pick<Context, 'kind'>, { name }: Pick<ServedFeed, 'name'>): string {
  return `strandline${kind === 'sandbox' ? ' sample (simulated)' : ''}: ${name}`;
}

/** Reads the newest items of a feed. @throws InvalidInput if its query cannot be parsed */
export async function composeFeed(
  ctx: Pick<Context, 'db' | 'clock' | 'kind'>,
  feed: ServedFeed,
): Promise<FeedDocument> {
  const now = ctx.clock.now();
  const namespace = await readFeedNamespace(ctx.db, now);
  const items = await readFeedItems(ctx.db, { ...toFeedScope(feed, now), limit: MAX_FEED_ENTRIES });
  const identify = (name: string) => `urn:uuid:${nameUuid(namespace, name)}`;
  return {
    id: identify(feed.identity),
    title: titleFeed(ctx, feed),
    page: `${feed.base}${writePagePath(feed)}`,
    self: feed.self,
    updated: findLatest(items.map(({ discovery }) => discovery.at)) ?? feed.since,
    entries: items.map((item) => composeEntry(item, feed.base, identify)),
  };
}

/** The page with the same content. */
function writePagePath({ topic, search, query }: FeedSubject): string {
  const q = query === '' ? '' : `?${new URLSearchParams({ q: query }).toString()}`;
  if (search !== null) return `/searches/${search}/discoveries${q}`;
  if (topic !== null) return `/topics/${topic}/discoveries${q}`;
  return query === '' ? '/' : `/explore${q}`;
}

function composeEntry(
  { discovery, thing }: FeedItem,
  base: string,
  identify: (name: string) => string,
): FeedDocumentEntry {
  const page = `${base}${writeThingPath(discovery)}`;
  const url = thing?.kind === 'post' ? thing.post.url : (discovery.url ?? null);
  const link = url !== null && isWebUrl(url) ? encodeAddress(url) : page;
  const who = thing?.kind === 'post' ? thing.post.author_username : null;
  const text = discovery.text ?? '';
  const words = cleanLine(text) === '' ? (url ?? `A ${discovery.kind} without text`) : text;
  const line = cleanLine(words);
  const short = line.length > MAX_TITLE ? `${cleanText(line, MAX_TITLE - 1)}…` : line;
  return {
    id: identify(nameThing(discovery)),
    title: who === null ? short : `@${cleanLine(who)}: ${short}`,
    author: who === null ? null : `@${cleanLine(who)}`,
    categories: [discovery.topic, discovery.search, discovery.kind],
    link,
    page,
    at: discovery.at,
    content: composeContent({ discovery, thing }, words, page, base),
  };
}

/**
 * Identifies an entry by the row of its item, not by its address or text: a link that turns out to name a known post, gets
 * another title, or is identified by other rules stays the same entry.
 */
function nameThing({ kind, post_id, link_id, spike_id, completion_id }: DiscoveryRow): string {
  return `${kind} ${post_id ?? link_id ?? spike_id ?? completion_id}`;
}

function writeThingPath(row: DiscoveryRow): string {
  const post = row.named_post_id ?? row.post_id;
  if (post !== null) return `/posts/${post}`;
  if (row.kind === 'completion') return `/searches/${row.search}/completions?to=${row.run_id}`;
  return row.kind === 'link' ? `/links/${row.link_id}` : `/searches/${row.search}#spikes`;
}

function composeContent({ discovery, thing }: FeedItem, words: string, page: string, base: string): string {
  const counters = MAIN_COUNTERS.flatMap((counter) => {
    const n = thing?.kind === 'post' ? thing.post[counter] : null;
    return n === null ? [] : [formatCount(n, nameCounted(counter, 1), nameCounted(counter))];
  });
  const snippet = thing?.kind === 'link' ? (thing.link.snippet ?? thing.link.summary_description) : null;
  const published = discovery.kind === 'spike' ? null : discovery.created_at;
  const links = [['Open in strandline', page]] as const;
  const { story_id } = discovery;
  const story = story_id === null ? [] : ([['What says the same', `${base}/stories/${story_id}`]] as const);
  const facts = [
    formatCopies(discovery),
    counters.length === 0 ? null : counters.join(', '),
    thing?.kind === 'link' ? thing.link.site : null,
    published === null ? null : `published ${published.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  ].filter((fact) => fact !== null);
  return [
    paragraph(words),
    snippet === null ? '' : paragraph(snippet),
    facts.length === 0 ? '' : paragraph(facts.join(' · ')),
    `<p>${[...links, ...story].map(([name, path]) => `<a href="${escapeHtml(path)}">${name}</a>`).join(' · ')}</p>`,
  ].join('');
}

function paragraph(text: string): string {
  const cut = text.length > MAX_TEXT ? `${cleanText(text, MAX_TEXT - 1)}…` : text;
  return `<p>${escapeHtml(cut.trim()).replaceAll('\n', '<br>')}</p>`;
}

/** As an ASCII address: some readers accept no other. */
function encodeAddress(url: string): string {
  return new URL(url).href;
}

/** A name-based UUID (RFC 9562, version 5). */
function nameUuid(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest();
  const bytes = hash.subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
