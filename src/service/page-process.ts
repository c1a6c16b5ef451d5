/** Entry point of the process that reads pages; see sources/pages/. */
import { serveOrders } from '../platform/child-frames.ts';
import { readPage } from './sources/pages/page-article.ts';
import { MAX_PAGE_BYTES, type PageOrder } from './sources/pages/page-orders.ts';
import { judgeByRobots } from './sources/pages/robots-rules.ts';

serveOrders(async (order, bytes) => {
  const body = Buffer.from(JSON.stringify(answer(order as PageOrder, bytes))); // the service sends nothing else
  return { ending: 'read', body };
}, MAX_PAGE_BYTES);

function answer(order: PageOrder, bytes: Buffer): unknown {
  switch (order.kind) {
    case 'ready':
      warmUp();
      return null;
    case 'page':
      return readPage(bytes, order);
    case 'robots':
      return judgeByRobots(bytes, order);
  }
}

let isWarm = false;

/** The first page takes the libraries ten times as long as the next, which is no fault of the page. */
function warmUp(): void {
  if (!isWarm)
    readPage(Buffer.from(`<p>${'A sentence, of a page. '.repeat(30)}`), { contentType: '', robots: '' });
  isWarm = true;
}
