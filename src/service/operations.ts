/** The two operations as HTTP handlers: parse, search, answer in the words of the request's dialect. */

import { type Model, SOURCE_BY_TOOL } from '../domain/enumerations.ts';
import type { Clock } from '../platform/clock.ts';
import type { Dialect } from '../protocol/dialect.ts';
import { validationBody } from '../protocol/error-body.ts';
import type { AiSearchRequest } from '../protocol/specification.ts';
import { toWire } from '../protocol/wire.ts';
import { type AiSearchContext, hasResultGroup, runAiSearch, toResultGroup } from './ai-search.ts';
import { ClientGone } from './http-errors.ts';
import { searchMicroblog } from './microblog-search.ts';
import type { RetrievalRequest } from './planning/retrieval.ts';
import { boundedAiSearchRequest, boundedMicroblogSearchRequest, parseRequest } from './request-parser.ts';
import { listResultGroups, openEventStream } from './response-stream.ts';
import { distortPosts, distortResponse, type Faults, readFaults, shapeResponse } from './sandbox/faults.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';

/** The model of a request that names none: the cheapest. */
const DEFAULT_MODEL: Model = 'NOVA';

type OperationContext = AiSearchContext & {
  dialect: Dialect;
  /** Whether the header `X-Sandbox-Fault` is obeyed: only below `/sandbox`. */
  faulty: boolean;
  clock: Clock;
};

export type OperationHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Operation A. */
export function createAiSearchHandler(ctx: OperationContext): OperationHandler {
  return async (request, reply) => {
    const parsed = parseRequest(boundedAiSearchRequest, ctx.dialect, request.body);
    if (!parsed.ok) return reply.code(422).send(validationBody(parsed.problems));
    const faults = readFaults(ctx.faulty ? request.headers['x-sandbox-fault'] : undefined);
    if (faults.status !== undefined) return sendFault(reply, faults.status);
    const signal = createDisconnectSignal(reply);
    await delayResponse(faults, signal);
    const retrieval = resolveRetrieval(parsed.request, ctx.clock.now());
    if (parsed.request.streaming === true) return streamResponse(ctx, reply, retrieval, faults, signal);
    const answer = distortResponse(await runAiSearch(ctx, retrieval, signal), faults);
    const body = toWire(ctx.dialect, 'ai-answer', shapeResponse(answer, faults));
    return faults.truncate ? sendTruncated(reply, body) : reply.send(body);
  };
}

/** Operation B. */
export function createMicroblogHandler(ctx: OperationContext): OperationHandler {
  return async (request, reply) => {
    const parsed = parseRequest(boundedMicroblogSearchRequest, ctx.dialect, request.body);
    if (!parsed.ok) return reply.code(422).send(validationBody(parsed.problems));
    const faults = readFaults(ctx.faulty ? request.headers['x-sandbox-fault'] : undefined);
    if (faults.status !== undefined) return sendFault(reply, faults.status);
    const signal = createDisconnectSignal(reply);
    await delayResponse(faults, signal);
    const { prompt, model = DEFAULT_MODEL } = parsed.request;
    const answer = await searchMicroblog(ctx, { prompt, model, at: ctx.clock.now() }, signal);
    const posts = distortPosts(answer.miner_microblog_posts, faults);
    const body = toWire(ctx.dialect, 'microblog-answer', { ...answer, miner_microblog_posts: posts });
    return faults.truncate ? sendTruncated(reply, body) : reply.send(body);
  };
}

async function streamResponse(
  ctx: OperationContext,
  reply: FastifyReply,
  retrieval: RetrievalRequest,
  faults: Faults,
  signal: AbortSignal,
): Promise<FastifyReply> {
  reply.hijack();
  const stream = openEventStream(reply.raw, ctx.dialect, readHookHeaders(reply));
  const distorted = faults.content.size > 0;
  try {
    const whole = await runAiSearch(ctx, retrieval, signal, {
      onSource(source, found) {
        if (distorted || !hasResultGroup(source, ctx.webGroup)) return;
        stream.group(source, toResultGroup(found).organic_results);
      },
      onText: stream.text,
    });
    const answer = distortResponse(whole, faults);
    if (distorted) for (const [source, items] of listResultGroups(answer)) stream.group(source, items);
    if (faults.truncate) stream.cut();
    else await stream.answer(answer);
  } catch (err) {
    if (!signal.aborted) {
      ctx.log.error({ err }, 'an answer failed inside its stream');
      stream.fail();
    }
  }
  return reply;
}

/** A request with its defaults: what is not said is NOVA, the past 24 hours. A tool said twice is one. */
function resolveRetrieval(request: AiSearchRequest, at: Date): RetrievalRequest {
  return {
    prompt: request.prompt,
    selected: [...new Set(request.tools.map((tool) => SOURCE_BY_TOOL[tool]))],
    model: request.model ?? DEFAULT_MODEL,
    dateFilter: request.date_filter ?? 'PAST_24_HOURS',
    at,
  };
}

/** Aborts when the client goes away before its answer is finished. */
function createDisconnectSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new ClientGone());
  });
  return gone.signal;
}

async function delayResponse({ slowMs }: Faults, signal: AbortSignal): Promise<void> {
  if (slowMs === 0) return;
  try {
    await sleep(slowMs, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}

function sendFault(reply: FastifyReply, { code, body }: { code: number; body: unknown }): FastifyReply {
  // A text is the page of a proxy that stands before the service.
  if (typeof body === 'string') reply.type('text/html');
  return reply.code(code).send(body);
}

/** The headers that hooks have set, for a response that we write ourselves. */
function readHookHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}

/** Announces the whole length, sends half of the bytes and breaks the connection. */
function sendTruncated(reply: FastifyReply, body: unknown): FastifyReply {
  const bytes = Buffer.from(JSON.stringify(body));
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => reply.raw.destroy());
  return reply;
}
