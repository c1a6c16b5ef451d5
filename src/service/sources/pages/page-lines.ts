/** The lines of a document as it is shown: one for each block, without what is hidden or belongs to every page of a site. */

import { cleanLine, cleanText } from '../../../lib/text.ts';
import { INLINE_ELEMENTS, SKIPPED_ELEMENTS } from '../feeds/page-document.ts';

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
  return nodeType === ELEMENT && !INLINE_ELEMENTS.has(localName ?? '');
}

function isSkipped(node: DomNode, isWhole: boolean): boolean {
  const name = node.localName ?? '';
  // Captions of pictures, and what people may write, are no sentences of a text.
  if (name === 'figure' || name === 'textarea') return true;
  if (SKIPPED_ELEMENTS.has(name)) return isWhole || name !== 'header';
  const get = (attribute: string) => node.getAttribute?.(attribute) ?? null;
  return (
    get('hidden') !== null ||
    get('aria-hidden') === 'true' ||
    /display\s{0,3}:\s{0,3}none/i.test(get('style') ?? '')
  );
}
