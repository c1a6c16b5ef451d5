/**
 * Reads the text of a page: the article that `@mozilla/readability` finds in it, or else all its lines. Runs in the process
 * of `page-process.ts`, since a hostile page can take this library seconds, or its stack.
 */

import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { isBoilerplate } from '../parse/boilerplate.ts';
import { decodeDocument } from '../feeds/document-encoding.ts';
import { type DomNode, listLines } from './page-lines.ts';
import { forbidsQuotation, readMetadata } from './page-metadata.ts';
import type { PageReading } from './page-orders.ts';
import { PageRefused, type PageScan, scanPage } from './page-scan.ts';

/** Finding an article among more takes over a second; news sites have 500 to 5,000, up to 20 deep. */
const MAX_ARTICLE_ELEMENTS = 10_000;
const MAX_ARTICLE_DEPTHS = 150_000;
/** A shorter article is a part of the page, such as the first of its notices. */
const MIN_ARTICLE_LENGTH = 250;
/** Of all paragraphs. */
const MAX_TEXT_LENGTH = 60_000;
const MAX_PARAGRAPHS = 600;
const MIN_LINE_LENGTH = 12;

/** Never throws, unless memory or stack do not suffice. */
export function readPage(
  bytes: Uint8Array,
  { contentType, robots }: { contentType: string; robots: string },
): PageReading {
  const why = findForeignType(bytes);
  if (why !== undefined) return { kind: 'unreadable', why };
  const html = decodeDocument(bytes, contentType);
  if (!/<[a-z!]/i.test(html)) return { kind: 'unreadable', why: 'is no page' };
  try {
    const scan = scanPage(html);
    if (forbidsQuotation(scan, robots)) return { kind: 'unreadable', why: 'asks not to be quoted' };
    const paragraphs = keepText(listTextLines(html, scan));
    if (paragraphs.length === 0) return { kind: 'unreadable', why: 'has no text: scripts may write it' };
    return { kind: 'page', page: { ...readMetadata(scan), paragraphs } };
  } catch (error) {
    if (error instanceof PageRefused) return { kind: 'unreadable', why: error.message };
    throw error;
  }
}

/** Documents that a server calls a page. */
function findForeignType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  if (start.includes('%PDF-')) return 'is a PDF';
  // Unless every other byte is zero, which is UTF-16. A single zero may be a mistake.
  const zeros = start.split('\0').length - 1;
  return zeros > start.length / 100 && zeros < start.length / 4 ? 'is no text' : undefined;
}

function listTextLines(html: string, scan: PageScan): string[] {
  const isFit = scan.elements <= MAX_ARTICLE_ELEMENTS && scan.depths <= MAX_ARTICLE_DEPTHS;
  const article = isFit ? findArticle(html, scan) : undefined;
  const lines = article === undefined ? [] : listLines(article, { isWhole: false });
  const isShort = lines.reduce((sum, { length }) => sum + length, 0) < MIN_ARTICLE_LENGTH;
  return isShort ? listPageLines(html, scan) : lines;
}

function findArticle(html: string, scan: PageScan): DomNode | undefined {
  try {
    const article = new Readability<DomNode>(openDocument(html, scan), {
      serializer: (node) => node,
    }).parse();
    return article?.content ?? undefined;
  } catch {
    // The library does not expect some documents. All lines are read instead.
    return undefined;
  }
}

/** The lines of the main part of a page, if the page names a main part. */
function listPageLines(html: string, scan: PageScan): string[] {
  const document = openDocument(html, scan);
  const root: DomNode | null = document.querySelector('main') ?? document.body;
  return root === null ? [] : listLines(root, { isWhole: true });
}

/** With a head and a body, each of which a page may leave out, and without which neither library finds a text. */
function openDocument(html: string, { hasBody }: PageScan) {
  const { document } = parseHTML(hasBody ? html : `<html><body>${html}</body></html>`);
  const body = document.querySelector('body');
  const { head } = document; // made, if there is none
  let isBehind = false;
  // They are moved meanwhile.
  const children = Array.from(document.documentElement.children);
  for (const child of children) {
    if (child === body) isBehind = true;
    else if (isBehind) body?.append(child);
    else if (child !== head) head.append(child);
  }
  return document;
}

function keepText(lines: readonly string[]): string[] {
  const kept = new Set<string>();
  let length = 0;
  for (const line of lines) {
    if (line.length < MIN_LINE_LENGTH || isBoilerplate(line)) continue;
    length += line.length;
    if (kept.size === MAX_PARAGRAPHS || length > MAX_TEXT_LENGTH) break;
    kept.add(line);
  }
  return [...kept];
}
