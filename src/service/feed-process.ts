/** Entry point of the process that parses feeds; see sources/feeds/. Few imports, for a quick start. */
import { serveOrders } from '../platform/child-frames.ts';
import { MAX_DOCUMENT_BYTES, type ParseOrder } from './sources/feeds/feed-parser.ts';
import { parseFeedDocument } from './sources/feeds/feed-document.ts';

serveOrders<ParseOrder>(async (order, bytes) => {
  const document = parseFeedDocument(bytes, order);
  return { ending: 'parsed', body: Buffer.from(JSON.stringify(document)) };
}, MAX_DOCUMENT_BYTES);
