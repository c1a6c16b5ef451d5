/** Parses feeds in this process, for tests that are not about the process of the parser. */
import { parseFeedDocument } from '../../../src/service/sources/feeds/feed-document.ts';
import type { FeedParser } from '../../../src/service/sources/feeds/feed-parser.ts';

export const directParser: FeedParser = {
  parse: async (bytes, order) => parseFeedDocument(bytes, order),
  prepare: () => {},
  close: async () => {},
};
