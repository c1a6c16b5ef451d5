/** A server with one deliberate mistake of each kind: it shows that the check can fail. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const ITEM = { title: 'a', link: '/relative', snippet: null, summary_description: '', with_metadata: true };
const POST = {
  user: { id: 7, url: 'https://a.example/u', created_at: 'Wed Oct 10 20:19:24 +0000 2018', verified: 'no' },
  id: 1_790_000_000_000,
  text: 'x',
  like_count: '3',
  view_count: null,
  created_at: '2026-11-21 12:00:00',
  quote: { id: '2' },
};
const ANSWER = {
  video_search_results: [{ organic_results: [ITEM] }],
  news_forum_search_results: { organic_results: [ITEM] },
  preprint_search_results: { organic_results: [{ ...ITEM, with_metadata: 'yes' }] },
  text_chunks: { microblog_summary: ['one', 'two'] },
  search_completion_links: ['https://a.example/found'],
  completion_links: ['https://a.example/invented'],
  completion: { key_posts: [{ text: 'x', url: 'nowhere' }], microblog_summary: 'three', summary: 'x' },
};

/** Answers whoever asks whatever, and cuts its streams. */
export async function startWrongService(): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      const streamed = body.includes('"streaming":true');
      if (streamed) response.end('data: {"type":"text"}\n\ndata: {"error":"x"}\n\n');
      else
        response.end(
          JSON.stringify(request.url?.includes('links') ? { miner_microblog_posts: [POST] } : ANSWER),
        );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listens at a port, not at a pipe
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
