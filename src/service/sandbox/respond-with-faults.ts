/** Sends sandbox responses: as on every mount, plus the requested faults. */

import type { Dialect } from '../../protocol/dialect.ts';
import type { ServedAiResponse, ServedMicroblogResponse } from '../../protocol/extensions.ts';
import type { FlatAiResponse } from '../../protocol/flat-response.ts';
import { toWire } from '../../protocol/wire.ts';
import type { AiSearchListener } from '../ai-search.ts';
import { type Exchange, type MicroblogAnswer, respond } from '../operations.ts';
import {
  distortPosts,
  distortResponse,
  type Faults,
  listGroups,
  readFaults,
  shapeResponse,
} from './faults.ts';
import type { FastifyReply } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';

/** Replaces {@link respond} below `/sandbox`, the only path where `X-Sandbox-Fault` has an effect. */
export async function respondWithFaults(exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, dialect, signal } = exchange;
  const header = request.headers['x-sandbox-fault'];
  if (header === undefined) return respond(exchange);
  const faults = readFaults(header);
  if (faults.status !== undefined) return sendFault(reply, faults.status);
  const { slowMs } = faults;
  if (slowMs > 0) await sleep(slowMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  if (exchange.streaming) return respondInParts(exchange, faults);
  const answer =
    exchange.operation === 'ai'
      ? distortGroups(await exchange.search(signal), faults)
      : distortMicroblog(await exchange.search(signal), dialect, faults);
  const body = toWire(dialect, `${exchange.operation}-answer`, answer);
  return faults.truncate ? sendTruncated(reply, body) : reply.send(body);
}

// Content faults distort what the specification shows; flat answers have only the other faults.

function distortGroups(answer: ServedAiResponse | FlatAiResponse, faults: Faults): object {
  return 'text_chunks' in answer ? shapeResponse(distortResponse(answer, faults), faults) : answer;
}

function distortMicroblog(answer: MicroblogAnswer, { answers }: Dialect, faults: Faults): object {
  // The dialect decides the form of the answer.
  return answers === 'grouped' ? distortPosts(answer as ServedMicroblogResponse, faults) : answer;
}

/** If content faults apply, groups are sent only once all are complete. */
function respondInParts(exchange: Exchange & { operation: 'ai' }, faults: Faults): Promise<FastifyReply> {
  const cut = new AbortController();
  const search = async (signal: AbortSignal, listener?: AiSearchListener) => {
    const distorted = faults.content.size > 0 && exchange.dialect.answers === 'grouped';
    const whole = await exchange.search(
      signal,
      distorted && listener ? { ...listener, onGroup: () => {} } : listener,
    );
    const answer = 'text_chunks' in whole ? distortResponse(whole, faults) : whole;
    if (distorted && 'text_chunks' in answer)
      for (const [name, source] of listGroups(answer))
        listener?.onGroup(source, answer[name]?.organic_results ?? []);
    if (faults.truncate) {
      exchange.reply.raw.end();
      cut.abort();
      cut.signal.throwIfAborted();
    }
    return answer;
  };
  return respond({ ...exchange, search, signal: AbortSignal.any([exchange.signal, cut.signal]) });
}

function sendFault(reply: FastifyReply, { code, body }: { code: number; body: unknown }): FastifyReply {
  // Like an error page of a reverse proxy.
  if (typeof body === 'string') reply.type('text/html');
  return reply.code(code).send(body);
}

/** Announces the full length, sends half of the bytes, and closes the connection. */
function sendTruncated(reply: FastifyReply, body: unknown): FastifyReply {
  const bytes = Buffer.from(JSON.stringify(body));
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => reply.raw.destroy());
  return reply;
}
