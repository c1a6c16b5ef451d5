/**
 * Sends one request to a public source. Identifies itself, limits the response size, follows no redirects, and reports
 * failures without outside text.
 */

import type { Clock } from '../../../platform/clock.ts';
import { findNetworkCode } from '../../../platform/network.ts';
import { retryAfterMs } from '../../../protocol/retry-after.ts';
import { SourceDown } from '../outage.ts';
import { Agent, fetch, type Response } from 'undici';

/**
 * Maximum decoded response size in bytes; a hundred posts have half a million. Parsing more would block the event loop.
 */
const MAX_PAYLOAD_BYTES = 2_000_000;

export type ProviderRequest = {
  url: URL;
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  /** Sent as is; set the content type in the headers. */
  body?: string;
  /** Statuses besides 2xx whose body the adapter handles. */
  reads?: readonly number[];
};
export type ProviderResponse = { status: number; headers: ResponseHeaders; text: string };
type ResponseHeaders = Response['headers'];

/** @throws SourceDown; or the signal's reason if it aborts */
type SendRequest = (question: ProviderRequest) => Promise<ProviderResponse>;

/**
 * @param who the `User-Agent`; some operators silently block anonymous clients
 * @param signal aborts the request
 */
export function createRequestSender(options: {
  who: string;
  agent: Agent;
  clock: Clock;
  signal: AbortSignal;
}): SendRequest {
  const { who, agent, clock, signal } = options;
  return async ({ url, method = 'GET', headers, body, reads = [] }) => {
    try {
      const response = await fetch(url, {
        method,
        headers: { 'user-agent': who, ...headers },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        dispatcher: agent,
        signal,
      });
      const { status } = response;
      if (response.ok || reads.includes(status)) {
        const text = await readLimitedBody(response.body ?? [], MAX_PAYLOAD_BYTES);
        if (text === undefined)
          throw new SourceDown('source_failed', {
            detail: `response larger than ${MAX_PAYLOAD_BYTES} bytes`,
          });
        return { status, headers: response.headers, text };
      }
      await response.body?.cancel().catch(() => {});
      throw toOutage(response, clock);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SourceDown) throw error;
      throw new SourceDown('source_failed', {
        detail: `no response (${findNetworkCode(error) ?? 'unknown'})`,
      });
    }
  };
}

/**
 * The agent for all sources. Connecting times out after 3 s.
 * @param connections maximum per source, at least its concurrency: a request that waits for a connection would look
 *   unanswered
 */
export function openAgent(connections: number): Agent {
  return new Agent({ connect: { timeout: 3_000 }, connections });
}

function toOutage({ status, headers }: Response, clock: Clock): SourceDown {
  const wait = retryAfterMs(headers.get('retry-after'), clock.now()) ?? undefined;
  const detail = `HTTP ${status}`;
  if (status === 429) return new SourceDown('source_busy', { detail, retryAfterMs: wait });
  if (status === 401 || status === 403) return new SourceDown('source_refused', { detail });
  return new SourceDown('source_failed', { detail, retryAfterMs: wait });
}

// For all outgoing requests: bounded bodies.

/** The whole body as text; undefined if it exceeds the limit. */
export async function readLimitedBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<string | undefined> {
  return (await readLimitedBytes(body, most))?.toString('utf8');
}

/** The whole body; undefined if it exceeds the limit, where leaving the loop closes the connection. */
export async function readLimitedBytes(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > most) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
