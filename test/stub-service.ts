/** A search service that responds as a test instructs, and records its requests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type StubRequest = {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
};
export type StubAnswer = (request: StubRequest, response: ServerResponse) => void | Promise<void>;

export type StubService = {
  url: string;
  requests: StubRequest[];
  /** How it responds from now on. */
  answers(answer: StubAnswer): void;
  close(): Promise<void>;
};

export function json(value: unknown, status = 200): StubAnswer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
}

export async function startStub(first: StubAnswer = json({ miner_tweets: [] })): Promise<StubService> {
  let answer = first;
  const requests: StubRequest[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // The client sends JSON objects only; anything else is a failing test.
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
      const asked = { path: request.url ?? '', headers: request.headers, body };
      requests.push(asked);
      void answer(asked, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answers: (next) => {
      answer = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A response that waits until it is released. */
export function gated(answer: StubAnswer): { answer: StubAnswer; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    answer: async (request, response) => {
      await opened;
      await answer(request, response);
    },
    open,
  };
}

/** A post of operation B in the wire's own names, with as little as a post needs; the rest is laid over it. */
export function wirePost(id: string, over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    user: { id: `9${id}`, username: `user_${id}`, name: `User ${id}`, followers_count: 10 },
    id,
    text: `post ${id}`,
    reply_count: 0,
    retweet_count: 0,
    like_count: 1,
    view_count: null,
    quote_count: 0,
    bookmark_count: 0,
    url: `https://x.example/user_${id}/status/${id}`,
    created_at: '2026-11-21T11:00:00.000Z',
    media: [],
    is_quote_tweet: false,
    is_retweet: false,
    lang: 'en',
    entities: {},
    ...over,
  };
}
