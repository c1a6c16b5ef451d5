/** What the service and its feed process send each other. */

/** Of a decoded response. */
export const MAX_DOCUMENT_BYTES = 2_000_000;

/** The document is the body of the order. */
export type ParseOrder = {
  /** Resolves relative links. */
  address: string;
  /** The header, which may name the encoding. */
  contentType: string;
  /** Of a page, read its text, not the feeds that it names. */
  isWatched?: boolean;
};

export type FeedDocument =
  | { kind: 'feed'; entries: FeedEntry[] }
  /** A page, and the addresses of feeds that it names, best first. */
  | { kind: 'page'; feeds: string[] }
  /** A watched page, and its texts in their order. */
  | { kind: 'text'; entries: FeedEntry[] }
  /** `why` continues a sentence: `is neither a feed nor a page`. */
  | { kind: 'unreadable'; why: string };

/** Plain text, and a link that can be displayed. */
export type FeedEntry = {
  title: string;
  link: string;
  text: string;
  /** ISO 8601; null if it is missing or invalid. */
  publishedAt: string | null;
  /** The title of its page, which says what a text is about; of watched pages only. */
  page?: string;
};
