/** The lines of a document as it is shown: one for each block, without what is hidden or belongs to every page of a site. */

import { cleanLine, cleanText } from '../../../domain/text.ts';

/** A node of a document, as far as it is read. */
export type DomNode = {
  nodeType: number;
  localName?: string | null;
  nodeValue: string | null;
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
  parentNode: DomNode | null;
  getAttribute?: (name: string) => string | null;
};

const ELEMENT = 1;
const TEXT = 3;
const MAX_LINE_LENGTH = 4_000;
const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));
/** Their content is no text, or no text of this page. */
const SKIPPED = words(
  'script style noscript template svg math head nav header footer aside form select button dialog iframe object canvas video audio figure',
);
/** Elements within a line; all others end it. */
const INLINE = words(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr img',
);

/** @param isWhole of a whole page; of an article, what does not belong to it was removed, and its header has its first lines */
export function listLines(root: DomNode, { isWhole }: { isWhole: boolean }): string[] {
  const lines: string[] = [];
  let pieces: string[] = [];
  const end = () => {
    const line = cleanLine(cleanText(pieces.join(''), MAX_LINE_LENGTH));
    if (line !== '') lines.push(line);
    pieces = [];
  };
  let node: DomNode | null = root;
  while (node !== null) {
    const isLeft = node.nodeType === ELEMENT && isSkipped(node, isWhole);
    if (node.nodeType === TEXT) pieces.push(node.nodeValue ?? '');
    if (endsLine(node)) end();
    if (!isLeft && node.firstChild !== null) {
      node = node.firstChild;
      continue;
    }
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      if (node !== null && endsLine(node)) end();
    }
    node = node === root || node === null ? null : node.nextSibling;
  }
  end();
  return lines;
}

function endsLine({ nodeType, localName }: DomNode): boolean {
  return nodeType === ELEMENT && !INLINE.has(localName ?? '');
}

function isSkipped(node: DomNode, isWhole: boolean): boolean {
  const name = node.localName ?? '';
  if (SKIPPED.has(name)) return isWhole || name !== 'header';
  const get = (attribute: string) => node.getAttribute?.(attribute) ?? null;
  return (
    get('hidden') !== null ||
    get('aria-hidden') === 'true' ||
    /display\s{0,3}:\s{0,3}none/i.test(get('style') ?? '')
  );
}
