import { hasOrdinaryHost } from '../contract/link.ts';
import { urlOf } from '../contract/url.ts';
import { isHere } from './not-public.ts';
import type { Found } from './source.ts';

const SAFE = /^https?:\/\/[^\s()<>[\]{}"'`\\|^@\p{C}]+$/iu;

/** What is answered is citable: whatever its address is in the answer, it is the same in each of its lists. */
export function citableOf(item: Found): Found[] {
  const link = citable(item.link);
  if (link === undefined) return [];
  return [link === item.link ? item : { ...item, link }];
}

/**
 * The address of something on the web as it may be written in `[n](address)`, or undefined where it may not: no web address, one that holds a name
 * or password, or one of the machine that looks at it. Whatever could end the citation or begin another is percent-encoded; nothing else changes.
 */
export function citable(link: string): string | undefined {
  if (hasOrdinaryHost(link) && SAFE.test(link) && !/localhost/i.test(link)) return link;
  const url = urlOf(link);
  if (url === undefined) return undefined;
  // The brackets of a v6 address can neither stand there nor be encoded.
  if (isHere(url) || url.hostname.startsWith('[')) return undefined;
  if (SAFE.test(link)) return link;
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '')
    return undefined;
  return url.href.replace(
    /[()<>[\]{}"'`\\|^\s]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
