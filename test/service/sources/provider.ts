/** A provider on this machine that answers what a test tells it to and remembers how it was asked. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { steppedClock } from '../../../src/platform/clock.ts';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import type { SourceQuery } from '../../../src/service/sources/search-source.ts';
import type { AdapterContext } from '../../../src/service/sources/adapter.ts';
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

export type Provider = { url: string; requests: Request[]; answers(...answers: [Answer, ...Answer[]]): void };

/** The instant at which all tests of sources happen. */
export const NOW = new Date('2026-11-21T12:00:00.000Z');

/** Answers with the first, the second, ... and then always with the last. */
export async function startProvider(...first: [Answer, ...Answer[]]): Promise<Provider> {
  let answers: Answer[] = first;
  const requests: Request[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const target = incoming.url ?? '';
      const { pathname, searchParams } = new URL(target, 'http://provider');
      const request = {
        method: incoming.method ?? '',
        target,
        path: pathname,
        params: Object.fromEntries(searchParams),
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(request);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      void answer?.(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answers: (...next) => {
      answers = next;
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
 * `cuts` why it found less than there is.
 */
export function startAsking(signal = new AbortController().signal) {
  const clock = steppedClock(NOW);
  const agent = openAgent(4);
  onTestFinished(() => agent.destroy());
  const spent: number[] = [];
  const cuts: SourceDown[] = [];
  const asking: AdapterContext = {
    ask: createRequestSender({ who: 'strandline-test', agent, clock, signal }),
    clock,
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
  };
  return { asking, clock, spent, cuts };
}

/** The last seven days. */
export function query(over: Partial<SourceQuery> = {}): SourceQuery {
  return {
    prompt: 'tidal turbines',
    keywords: ['tidal', 'turbines'],
    from: new Date('2026-11-14T12:00:00.000Z'),
    to: NOW,
    limit: 10,
    mostMs: 25_000,
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
