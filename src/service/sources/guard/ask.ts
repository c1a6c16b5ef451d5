/**
 * One request to a public source. Says who asks, bounds how much is read, follows no redirect, and turns
 * whatever goes wrong into a reason without a word from outside.
 */
import { Agent, fetch, type Response } from 'undici';
import { retryAfterMs } from '../../../contract/retry-after.ts';
import type { Clock } from '../../../engine/clock.ts';
import { networkCode, readAtMost } from '../../network.ts';
import { SourceDown } from '../../outage.ts';

/** The most decoded bytes that are read of an answer: a hundred posts are half a million. Reading more would keep others waiting. */
const MOST_BYTES = 2_000_000;

export type Question = {
  url: URL;
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  /** Sent as it is; its content type stands among the headers. */
  body?: string;
  /** Statuses besides 2xx whose body the adapter reads itself. */
  reads?: readonly number[];
};
export type Reply = { status: number; headers: Headers; text: string };
type Headers = Response['headers'];

/** @throws SourceDown; or the signal's reason once it has aborted */
export type Ask = (question: Question) => Promise<Reply>;

/**
 * @param who the `User-Agent`; some operators block without notice whoever does not say who asks
 * @param signal ends the request, wherever it is
 */
export function createAsk(options: { who: string; agent: Agent; clock: Clock; signal: AbortSignal }): Ask {
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
        const text = await readAtMost(response.body ?? [], MOST_BYTES);
        if (text === undefined)
          throw new SourceDown('source_failed', { detail: `more than ${MOST_BYTES} bytes` });
        return { status, headers: response.headers, text };
      }
      await response.body?.cancel().catch(() => {});
      throw refusalOf(response, clock);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SourceDown) throw error;
      throw new SourceDown('source_failed', { detail: `no answer (${networkCode(error) ?? 'unknown'})` });
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

function refusalOf({ status, headers }: Response, clock: Clock): SourceDown {
  const wait = retryAfterMs(headers.get('retry-after'), clock.now()) ?? undefined;
  const detail = `answered ${status}`;
  if (status === 429) return new SourceDown('source_busy', { detail, retryAfterMs: wait });
  if (status === 401 || status === 403) return new SourceDown('source_refused', { detail });
  return new SourceDown('source_failed', { detail, retryAfterMs: wait });
}
