/** Entry point of the process that parses feeds; see sources/feeds/. Few imports, for a quick start. */
import { serveOrders } from '../platform/child-frames.ts';
import { parseFeedDocument } from './sources/feeds/feed-document.ts';
import { MAX_DOCUMENT_BYTES, type ParseOrder } from './sources/feeds/feed-orders.ts';

serveOrders(async (order, bytes) => {
  // The service sends nothing else.
  const document = parseFeedDocument(bytes, order as ParseOrder);
  return { ending: 'parsed', body: Buffer.from(JSON.stringify(document)) };
}, MAX_DOCUMENT_BYTES);
