import type { Found } from '../../source.ts';
import { excerpt, plainText, titleOf } from './plain-text.ts';
import { publishedAt } from './published-at.ts';
import { isIntranet } from '../../not-public.ts';
import { shownLink } from './web-address.ts';

/**
 * A result of a web search as an item, in an array; empty where its link cannot be shown.
 * @param result.intranet whether the search may know a network of one's own; a public one has no business there
 */
export function webResult(result: {
  title: string | undefined;
  url: string;
  text: string | undefined;
  published: string | undefined;
  intranet?: boolean;
}): Found[] {
  const link = shownLink(result.url);
  if (link === undefined || (result.intranet !== true && isIntranet(new URL(link)))) return [];
  return [
    {
      source: 'web',
      title: titleOf(result.title ?? '') || new URL(link).hostname,
      link,
      snippet: excerpt(plainText(result.text ?? '')),
      summaryDescription: '',
      publishedAt: publishedAt(result.published),
    },
  ];
}
