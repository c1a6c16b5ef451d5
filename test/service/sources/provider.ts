/** A local provider that responds as a test instructs and records its requests. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { steppedClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import type { MicroblogAuthor, MicroblogPost } from '../../../src/protocol/specification.ts';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import type { SourceNotice, SourceQuery } from '../../../src/service/sources/search-source.ts';
import type { Adapter, AdapterContext } from '../../../src/service/sources/adapter.ts';
import { createRequestSender, openAgent } from '../../../src/service/sources/resilience/http-request.ts';

export type Request = {
  method: string;
  /** As it was sent, with its query. */
  target: string;
  path: string;
  params: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: string;
};
export type Answer = (request: Request, response: ServerResponse) => void | Promise<void>;
export type Answers = [Answer, ...Answer[]];

export type Provider = { url: string; requests: Request[]; answers(...answers: Answers): void };

/** The instant at which all tests of sources happen. */
export const NOW = new Date('2026-11-21T12:00:00.000Z');

/** One for all tests of a file: more connections than any of them has requests under way. */
export const AGENT = openAgent(64);

// One server for all tests of a file. Each provider has the first part of the path as its own.
type Mount = { requests: Request[]; answers: Answer[]; open: Set<ServerResponse> };
const mounts = new Map<string, Mount>();
let serials = 0;
const server = createServer((incoming, response) => {
  const [, name = '', target = '/'] = /^\/(\d+)(\/.*)?$/.exec(incoming.url ?? '') ?? [];
  const mount = mounts.get(name);
  if (mount === undefined) return void response.writeHead(410).end();
  mount.open.add(response);
  response.on('close', () => mount.open.delete(response));
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const { pathname, searchParams } = new URL(target, 'http://provider');
    const request = {
      method: incoming.method ?? '',
      target,
      path: pathname,
      params: Object.fromEntries(searchParams),
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    mount.requests.push(request);
    const answer = mount.answers.length > 1 ? mount.answers.shift() : mount.answers[0];
    void answer?.(request, response);
  });
});

/** Answers with the first, the second, ... and then always with the last. */
export async function startProvider(...first: Answers): Promise<Provider> {
  if (!server.listening) {
    server.unref(); // it ends with its process
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  serials += 1;
  const name = String(serials);
  const mount: Mount = { requests: [], answers: [...first], open: new Set() };
  mounts.set(name, mount);
  onTestFinished(() => {
    mounts.delete(name);
    for (const response of mount.open) response.destroy();
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${port}/${name}`,
    requests: mount.requests,
    answers: (...next) => {
      mount.answers = [...next];
    },
  };
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return text(JSON.stringify(value), status, { 'content-type': 'application/json', ...headers });
}

export function text(body: string, status = 200, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** A recorded answer. */
export function sample(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`samples/${name}`, import.meta.url), 'utf8'));
}

/**
 * What an adapter asks with, over a real connection; `spent` is what it took of its allowance, in order, and
 * `cuts` why it found less than there is, `rests` how long it is to be left alone.
 */
export function startAsking(signal = new AbortController().signal) {
  const clock = steppedClock(NOW);
  const spent: number[] = [];
  const cuts: SourceDown[] = [];
  const rests: number[] = [];
  const notices: SourceNotice[] = [];
  const asking: AdapterContext = {
    ask: createRequestSender({ who: 'strandline-test', agent: AGENT, clock, signal }),
    clock,
    log: createLogger('silent'),
    who: 'strandline-test',
    leftMs: () => 6_000,
    spend: async (units) => {
      spent.push(units);
    },
    unspend: async (units) => {
      spent.push(-units);
    },
    cutShort: (down) => {
      cuts.push(down);
    },
    rest: (ms) => {
      rests.push(ms);
    },
    report: (notice) => {
      notices.push(notice);
    },
  };
  return { asking, clock, spent, cuts, rests, notices };
}

/** An adapter before a provider that answers so, and what asking it needs. */
export async function startAdapter(make: (url: string) => Adapter, ...answers: Answers) {
  const provider = await startProvider(...answers);
  const adapter = make(provider.url);
  const started = startAsking();
  const find = (over: Partial<SourceQuery> = {}) => adapter.find(query(over), started.asking);
  return { provider, adapter, ...started, find, outage: () => outageOf(find()) };
}

/** The last seven days. */
export function query(over: Partial<SourceQuery> = {}): SourceQuery {
  return {
    prompt: 'tidal turbines',
    keywords: ['tidal', 'turbines'],
    from: new Date('2026-11-14T12:00:00.000Z'),
    to: NOW,
    limit: 10,
    timeoutMs: 25_000,
    signal: new AbortController().signal,
    ...over,
  };
}

/** The reason why a source gave nothing, and a failing test when it gave something. */
export async function outageOf(finding: Promise<unknown>): Promise<SourceDown> {
  const error: unknown = await finding.then(
    () => new Error('it gave something'),
    (reason: unknown) => reason,
  );
  if (error instanceof SourceDown) return error;
  throw error;
}

/** Every word of an error that a log could show: message, stack, causes, members. */
export function everyWordOf(error: unknown): string {
  const words: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    words.push(String(at), at.stack ?? '', JSON.stringify(at, Object.getOwnPropertyNames(at)));
  }
  return words.join('\n');
}

/** An author and a post of a microblog of which nothing is known. */
export const BARE_AUTHOR = {
  created_at: null,
  description: null,
  favourites_count: null,
  followers_count: null,
  listed_count: null,
  media_count: null,
  profile_image_url: null,
  statuses_count: null,
  verified: false,
  is_blue_verified: false,
  can_dm: null,
  can_media_tag: null,
  location: null,
} satisfies Partial<MicroblogAuthor>;
export const BARE_POST = {
  reply_count: null,
  repost_count: null,
  like_count: null,
  view_count: null,
  quote_count: null,
  impression_count: null,
  bookmark_count: null,
  media: [],
  is_quote_post: false,
  is_repost: false,
  lang: null,
  conversation_id: null,
  in_reply_to_screen_name: null,
  in_reply_to_status_id: null,
  in_reply_to_user_id: null,
  quoted_status_id: null,
  quote: null,
  entities: { hashtags: [], user_mentions: [], urls: [] },
} satisfies Partial<MicroblogPost>;
