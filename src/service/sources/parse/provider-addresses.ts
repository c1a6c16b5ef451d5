/** Addresses of provider endpoints and of results. */

import { MAX_LINK_LENGTH, parseUrl } from '../../../domain/link.ts';
import { isPrivateAddress } from '../../citable-link.ts';
import type { FoundItem } from '../search-source.ts';
import { toTitle, toWebExcerpt } from './plain-text.ts';
import { parsePublishedAt } from './published-at.ts';

/** Parameters of a request; as a list, a name may be repeated. */
export type QueryParams =
  | Readonly<Record<string, string>>
  | readonly (readonly [name: string, value: string])[];

/** An address below a server's base URL, which may have a path (a mirror, a proxy). */
export function buildEndpoint(server: string, path: string, params: QueryParams = {}): URL {
  const url = new URL(path, server.endsWith('/') ? server : `${server}/`);
  const pairs = Array.isArray(params) ? params : Object.entries(params);
  for (const [name, value] of pairs) url.searchParams.append(name, value);
  return url;
}

/** An address of characters that addresses may have, or letters of any script. */
const ORDINARY_CHARACTERS = /^[^\s\p{C}\\"<>`{}|^]+$/u;

/** A link that can be displayed, as the provider gave it: HTTP, with a host, without credentials. Never fetched. */
export function toShownLink(text: string): string | undefined {
  const url = text.length > MAX_LINK_LENGTH ? undefined : parseUrl(text);
  if (url === undefined) return undefined;
  const { protocol, hostname, username, password, href } = url;
  const isShown =
    /^https?:$/.test(protocol) &&
    hostname !== '' &&
    username === '' &&
    password === '' &&
    href.length <= MAX_LINK_LENGTH;
  if (!isShown) return undefined;
  return ORDINARY_CHARACTERS.test(text) && text.startsWith(`${protocol}//`) ? text : href;
}

/** A result as an item in an array; empty if its link cannot be displayed. */
export function toResult({
  link,
  ...item
}: Omit<FoundItem, 'summaryDescription'> & { summaryDescription?: string }): FoundItem[] {
  const shown = toShownLink(link);
  return shown === undefined ? [] : [{ summaryDescription: '', ...item, link: shown }];
}

/**
 * A web search result as an item in an array; empty if its link cannot be displayed.
 * @param result.intranet allow private hosts; only for a search engine that the user runs
 * @param result.text Markdown, HTML or plain text
 * @param result.periodOnly whether the engine was asked for the query's period, and so vouches for undated results
 */
export function toWebResult(result: {
  title: string | undefined;
  url: string;
  text: string | undefined;
  published: string | undefined;
  periodOnly: boolean;
  intranet?: boolean;
}): FoundItem[] {
  const link = toShownLink(result.url);
  if (link === undefined || (result.intranet !== true && isPrivateAddress(new URL(link)))) return [];
  const publishedAt = parsePublishedAt(result.published);
  return [
    {
      source: 'web',
      title: toTitle(result.title ?? '') || new URL(link).hostname,
      link,
      snippet: toWebExcerpt(result.text ?? ''),
      summaryDescription: '',
      publishedAt,
      ...(publishedAt === undefined && result.periodOnly && { periodVouched: true }),
    },
  ];
}
