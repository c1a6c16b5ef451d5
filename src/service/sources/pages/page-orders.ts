/** What the service and the process that reads pages send each other. */

/** The largest decoded page. */
export const MAX_PAGE_BYTES = 2_000_000;

export type PageOrder =
  /** Answered as soon as the process runs, so that its start does not count as reading. */
  | { kind: 'ready' }
  /** The body is the page; both are headers: `Content-Type` may name the encoding, `X-Robots-Tag` forbid quotations. */
  | { kind: 'page'; contentType: string; robots: string }
  /** Whether `who`, a `User-Agent`, may fetch `address`. The body is the robots.txt of its site, which is at `robots`. */
  | { kind: 'robots'; address: string; robots: string; who: string };

/** What a page says. Texts are plain, in one line each. */
export type PageText = {
  /** Empty if it has none. */
  title: string;
  author: string | null;
  /** ISO 639 code in lower case, of the whole page: `en`, `pt-br`. */
  language: string | null;
  /** Of its first publication, ISO 8601; null if it does not say. */
  publishedAt: string | null;
  /** In the order of the page. */
  paragraphs: string[];
};

/** `why` continues a sentence: `nests elements more than 256 deep`. */
export type PageReading = { kind: 'page'; page: PageText } | { kind: 'unreadable'; why: string };

/** `delayMs`: between two requests to the site. */
export type RobotsVerdict = { allowed: boolean; delayMs: number };
