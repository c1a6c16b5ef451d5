/** Lists of feeds as people exchange them: OPML, or addresses one a line. In linear time, whatever the document is. */
import { decodeXML } from 'entities';
import { cleanLine } from './text.ts';

export type ListedFeed = { address: string; title: string };

/** `<` has no place in an attribute, so an element ends before the next one. */
const OUTLINE = /<outline\s([^<]{1,8000})/gi;
const ATTRIBUTE = /(?:^|\s)(xmlUrl|title|text)\s{0,9}=\s{0,9}(?:"([^"]{0,2000})"|'([^']{0,2000})')/gi;

export function isOpml(text: string): boolean {
  return /<opml[\s>]/i.test(text);
}

/** The feeds of an OPML document, in its order, also of folders; entities that it declares are not expanded. */
export function listOpmlFeeds(document: string): ListedFeed[] {
  return Array.from(document.matchAll(OUTLINE), ([, members = '']) => {
    const titles = new Map<string, string>();
    for (const [, name = '', double, single] of members.matchAll(ATTRIBUTE))
      titles.set(name.toLowerCase(), decodeXML(double ?? single ?? ''));
    return {
      address: (titles.get('xmlurl') ?? '').trim(),
      title: cleanLine(titles.get('title') ?? titles.get('text') ?? ''),
    };
  }).filter(({ address }) => address !== '');
}

/** Of a text with one entry a line: those that are no comment. */
export function listLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
