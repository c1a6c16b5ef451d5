/** Which of the pages that were found are opened: the best of each tool in turn, as many as the model allows. */

import type { Source } from '../../model/enumerations.ts';
import { parseUrl } from '../../model/links/link.ts';
import { isPrivateAddress, toCitableLink } from '../citable-link.ts';
import { interleaveLists } from '../ranking/result-ranking.ts';
import type { FoundItem } from '../sources/search-source.ts';
import type { Findings } from './retrieval.ts';

/** Tools whose results are pages of text. A post is complete already, a video has no text, and a preprint has its abstract. */
const OPENED_SOURCES: readonly Source[] = ['web', 'encyclopedia', 'news_forum', 'discussion_board'];
/** Of one host, so that the pages differ, and no site is asked for many at once. */
const MAX_PER_HOST = 3;
const OTHER_TYPES =
  /\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|epub|zip|gz|tar|7z|rar|exe|dmg|iso|apk|jpe?g|png|gif|webp|svg|avif|mp[34]|m4[av]|webm|mov|avi|wav|ogg|flac|json|xml|rss|atom|csv|txt)$/i;

/** The address that is fetched for a result; undefined if there is no page to open. */
export function findPageAddress({ link, post }: FoundItem): string | undefined {
  // The link of a watched page's text leads into the page, which was read.
  if (post !== undefined || link.includes('#!') || toCitableLink(link) === undefined) return undefined;
  const url = parseUrl(link);
  if (url === undefined || isPrivateAddress(url) || OTHER_TYPES.test(url.pathname)) return undefined;
  url.hash = '';
  return url.href;
}

/** @returns addresses, each once, best first */
export function choosePages(findings: Findings, most: number): string[] {
  const lists = OPENED_SOURCES.map((source) => findings.get(source) ?? []);
  const chosen = new Set<string>();
  const byHost = new Map<string, number>();
  for (const item of interleaveLists(lists)) {
    if (chosen.size >= most) break;
    const address = findPageAddress(item);
    if (address === undefined || chosen.has(address)) continue;
    const { host } = new URL(address);
    const ofHost = byHost.get(host) ?? 0;
    if (ofHost >= MAX_PER_HOST) continue;
    byHost.set(host, ofHost + 1);
    chosen.add(address);
  }
  return [...chosen];
}
