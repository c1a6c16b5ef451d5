/** Results of providers as items: those whose links can be displayed. */

import { isPrivateAddress } from '../../citable-link.ts';
import type { FoundItem } from '../search-source.ts';
import { toTitle, toWebExcerpt } from './plain-text.ts';
import { toShownLink } from './provider-addresses.ts';
import { parsePublishedAt } from './published-at.ts';

/** A result as an item in an array; empty, without reading its texts, if its link cannot be displayed. */
export function toResult(
  link: string,
  readItem: () => Omit<FoundItem, 'link' | 'summaryDescription'> & { summaryDescription?: string },
): FoundItem[] {
  const shown = toShownLink(link);
  return shown === undefined ? [] : [{ summaryDescription: '', ...readItem(), link: shown }];
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
