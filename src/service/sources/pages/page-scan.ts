/**
 * One pass over the markup of a page, before a document is built of it: what it would cost, and what its head says of it.
 * Linear in the length of the page, and ends at the first limit that is exceeded.
 */

import { Parser } from 'htmlparser2';

/** A page of 1,000 levels takes the document 2.5 s, one of 20,000 overflows the stack. */
const MAX_DEPTH = 256;
/** Elements, attributes and pieces of text, of which each entity is one. A document of 250,000 elements takes 1.7 s; long encyclopedia articles have 30,000. */
const MAX_NODES = 100_000;
/** Of metadata, each; pages have 10 to 60 `<meta>`. */
const MAX_METADATA = 200;
const MAX_LINKED_DATA_LENGTH = 200_000;

export type PageScan = {
  elements: number;
  /** Sum of the depths of all elements: what finding the article costs grows with it. */
  depths: number;
  /** Whether the page has a `<body>`, which may be left out. */
  hasBody: boolean;
  /** `lang` of the page. */
  language: string;
  title: string;
  /** `<meta>`, its name or property in lower case. */
  metas: { name: string; content: string }[];
  /** Texts of `<script type="application/ld+json">`. */
  linkedData: string[];
  /** `datetime` of `<time>` elements that are marked as the time of publication. */
  times: string[];
};

/** Thrown by {@link scanPage}. The message continues a sentence. */
export class PageRefused extends Error {
  override readonly name = 'PageRefused';
}

/** @throws PageRefused for a page that is nested too deeply or has too many elements */
export function scanPage(html: string): PageScan {
  const scan: PageScan = {
    elements: 0,
    depths: 0,
    hasBody: false,
    language: '',
    title: '',
    metas: [],
    linkedData: [],
    times: [],
  };
  let depth = 0;
  let nodes = 0;
  /** Open pictures, which have titles of their own. */
  let pictures = 0;
  let linkedDataLength = 0;
  /** The element whose text is collected. */
  let collecting: 'title' | 'data' | undefined;
  let pieces: string[] = [];
  const count = () => {
    nodes += 1;
    if (nodes > MAX_NODES)
      throw new PageRefused(`has more than ${MAX_NODES.toLocaleString('en')} elements and texts`);
  };
  const parser = new Parser({
    onopentagname() {
      depth += 1;
      if (depth > MAX_DEPTH) throw new PageRefused(`nests elements more than ${MAX_DEPTH} deep`);
      scan.elements += 1;
      scan.depths += depth;
      count();
    },
    onattribute: count,
    onopentag(name, attributes) {
      if (name === 'html') scan.language ||= attributes['lang'] ?? '';
      if (name === 'body') scan.hasBody = true;
      if (name === 'svg') pictures += 1;
      if (name === 'meta') readMeta(scan, attributes);
      if (name === 'time' && isPublication(attributes) && scan.times.length < MAX_METADATA)
        scan.times.push(attributes['datetime'] ?? '');
      const isData = name === 'script' && /^\s*application\/ld\+json/i.test(attributes['type'] ?? '');
      if (isData || (name === 'title' && scan.title === '' && pictures === 0)) {
        collecting = isData ? 'data' : 'title';
        pieces = [];
      }
    },
    ontext(text) {
      count();
      if (collecting !== undefined) pieces.push(text);
    },
    onclosetag(name) {
      depth -= 1;
      if (name === 'svg') pictures -= 1;
      const text = collecting === undefined ? '' : pieces.join('');
      if (collecting === 'title') scan.title = text.replace(/<!\[CDATA\[|\]\]>/g, '');
      linkedDataLength += collecting === 'data' ? text.length : 0;
      if (collecting === 'data' && linkedDataLength <= MAX_LINKED_DATA_LENGTH) scan.linkedData.push(text);
      collecting = undefined;
    },
  });
  parser.end(html);
  return scan;
}

type Attributes = Readonly<Record<string, string>>;

function readMeta({ metas }: PageScan, attributes: Attributes): void {
  const name = attributes['property'] ?? attributes['name'] ?? attributes['itemprop'];
  const { content } = attributes;
  if (name !== undefined && content !== undefined && metas.length < MAX_METADATA)
    metas.push({ name: name.trim().toLowerCase(), content });
}

function isPublication({ itemprop = '', pubdate }: Attributes): boolean {
  return pubdate !== undefined || /\bdatePublished\b/i.test(itemprop);
}
