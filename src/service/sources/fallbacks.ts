/**
 * Sources other than live ones: discussion boards through web search, the archive, and a placeholder that reports why no
 * source responds.
 */

import { type Source, SOURCES } from '../../model/enumerations.ts';
import { parseUrl } from '../../model/links/link.ts';
import type { Archive } from '../ports.ts';
import { SourceDown } from './outage.ts';
import type { FoundItem, SearchSource } from './search-source.ts';
import { FULL, listBestWords } from './provider-query.ts';
import type { OfferedSource } from './source-registry.ts';

/** Hosts of Reddit; path of a thread or a comment in it. */
const BOARD_HOST = /^(?:(?:www|old|new|np|m|amp|[a-z]{2})\.)?reddit\.com$/;
const THREAD_PATH = /^\/r\/(\w+)\/comments\/(\w+)(?:\/([^/]*))?/i;
/** Suffixes that search engines add to thread titles: ` : r/rust`, ` - Reddit`. */
const TITLE_TAIL = /(?<!\s)\s+[:|\-–]\s+(?:r\/\w+|reddit)\s*$/i;

/** Finds threads of Reddit through web search, if Reddit itself is no source. */
export function createBoardFallback(web: SearchSource): SearchSource {
  return {
    // Inherits the limits of web search.
    ...web,
    name: `reddit-through-${web.name}`,
    source: 'discussion_board',
    async find(query) {
      // First, so that it survives truncation of a long prompt.
      const results = await web.find({ ...query, prompt: `site:reddit.com ${query.prompt}` });
      const threads = new Map<string, FoundItem>();
      for (const item of results) {
        const thread = parseThread(item.link);
        if (thread !== undefined && !threads.has(thread.id))
          threads.set(thread.id, toThread(item, thread.link));
      }
      return [...threads.values()];
    },
  };
}

function parseThread(address: string): { id: string; link: string } | undefined {
  const url = parseUrl(address);
  if (url === undefined) return undefined;
  const { hostname, pathname } = url;
  const match = BOARD_HOST.test(hostname) ? THREAD_PATH.exec(pathname) : null;
  if (match === null) return undefined;
  const [, board = '', thread = '', slug = ''] = match;
  const path = [board, 'comments', thread, slug].filter((part) => part !== '').join('/');
  return { id: thread.toLowerCase(), link: `https://www.reddit.com/r/${path}/` };
}

function toThread(item: FoundItem, link: string): FoundItem {
  return {
    ...item,
    source: 'discussion_board',
    link,
    title: item.title.replace(TITLE_TAIL, '') || item.title,
  };
}

/** Of the newest, every word is required: fewer if nothing matches. */
const WORD_ATTEMPTS = [3, 2] as const;

/** The monitor's archive as a source for each tool. */
export function createArchiveSources(archive: Archive): SearchSource[] {
  return SOURCES.map((source) => ({
    name: `archive-${source.replace('_', '-')}`,
    source,
    state: 'live',
    // It ranks by all words of the prompt and requires none.
    wordings: 'own',
    find: ({ report = () => {}, ...query }) =>
      archive.find({
        prompt: query.prompt,
        newestWith: listBestWords(query, WORD_ATTEMPTS),
        onFull: () => report(FULL),
        source,
        from: query.from,
        to: query.to,
        limit: query.limit,
        signal: query.signal,
      }),
  }));
}

/** Placeholder for a tool without sources: reports why, and what to set. */
export function createUnavailableSource(source: Source, offered: readonly OfferedSource[]): SearchSource {
  return {
    name: source.replace('_', '-'),
    source,
    state: 'live',
    unavailable: true,
    find: () => Promise.reject(explainUnavailable(source, offered)),
  };
}

/** Why a tool has no source, and what to set. */
export function explainUnavailable(source: Source, offered: readonly OfferedSource[]): SourceDown {
  const ours = offered.filter((candidate) => candidate.source === source);
  const unset = ours
    .filter(({ adapter, needs }) => adapter === undefined && needs.length > 0)
    .map(({ needs }) => needs.join(' and '));
  const asIs = ours.filter(({ adapter }) => adapter !== undefined).map(({ name }) => name);
  return asIs.length > 0
    ? new SourceDown('source_off', { detail: `add ${asIs.join(' or ')} to SERVICE_SOURCES` })
    : new SourceDown('source_needs_key', { detail: `set ${unset.join(', or ')}` });
}
