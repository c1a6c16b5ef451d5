/** What the service and its feed process send each other. */

/** The largest decoded document that a setting may allow; the default of `FEEDS_MAX_MB` is 10. */
export const MAX_DOCUMENT_BYTES = 50_000_000;

/** The document is the body of the order. */
export type ParseOrder = {
  /** Resolves relative links. */
  address: string;
  /** The header, which may name the encoding. */
  contentType: string;
  /** Of a page, read its text, not the feeds that it names. */
  isWatched?: boolean;
};

/** Titles are plain text, empty if there is none. */
export type FeedDocument =
  /** `unlinked`: entries that cannot be shown, with an empty link. */
  | { kind: 'feed'; title: string; entries: FeedEntry[]; unlinked: FeedEntry[]; counts: EntryCounts }
  /** A page, and the addresses of feeds that it names, best first. */
  | { kind: 'page'; title: string; feeds: string[] }
  /** A watched page, and its texts in their order. */
  | { kind: 'text'; title: string; entries: FeedEntry[] }
  /** `why` continues a sentence: `is neither a feed nor a page`. */
  | { kind: 'unreadable'; why: string };

/** Entries of a feed, and how many of them were not read like others. */
export type EntryCounts = {
  all: number;
  /** Without an address that can be displayed: left out. */
  unlinked: number;
  /** Older than the newest that are read: left out. */
  beyond: number;
  /** Without a time: dated by when they were first seen. */
  undated: number;
  /** With a time that cannot be read: dated as well by when they were first seen. */
  unreadable: number;
};

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
