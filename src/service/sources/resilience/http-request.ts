/**
 * One request to a public source. Says who asks, bounds how much is read, follows no redirect, and turns
 * whatever goes wrong into a reason without a word from outside.
 */

import type { Clock } from '../../../platform/clock.ts';
import { retryAfterMs } from '../../../protocol/retry-after.ts';
import { SourceDown } from '../outage.ts';
import { Agent, fetch, type Response } from 'undici';

/** The most decoded bytes that are read of an answer: a hundred posts are half a million. Reading more would keep others waiting. */
const MAX_PAYLOAD_BYTES = 2_000_000;

export type ProviderRequest = {
  url: URL;
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  /** Sent as it is; its content type stands among the headers. */
  body?: string;
  /** Statuses besides 2xx whose body the adapter reads itself. */
  reads?: readonly number[];
};
export type ProviderResponse = { status: number; headers: ResponseHeaders; text: string };
type ResponseHeaders = Response['headers'];

/** @throws SourceDown; or the signal's reason once it has aborted */
export type SendRequest = (question: ProviderRequest) => Promise<ProviderResponse>;

/**
 * @param who the `User-Agent`; some operators block without notice whoever does not say who asks
 * @param signal ends the request, wherever it is
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
 * An agent for all sources: a connection that cannot be made in 3 s is given up.
 * @param connections to one source: as many as it may be asked at once, since a request that waits for a
 *   connection seems to be one that is not answered
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

// For every request outwards, whoever makes it: a body within bounds, a failure as a code.

/** The whole body as text; undefined beyond so many bytes, where leaving the loop ends the connection. */
export async function readLimitedBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > most) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** What the network says, as a code (`ECONNREFUSED`): its words may repeat what a server sent. */
export function findNetworkCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(error.code))
    return error.code;
  return error.cause === undefined ? undefined : findNetworkCode(error.cause);
}
