/** The two operations as HTTP handlers: parse, search, answer in the words of the request's dialect. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dialect } from '../contract/dialect.ts';
import { type Model, SOURCE_OF_TOOL } from '../contract/enumerations.ts';
import { validationBody } from '../contract/error-bodies.ts';
import type { AiSearchRequest } from '../contract/request.ts';
import { toWire } from '../contract/wire.ts';
import type { Clock } from '../engine/clock.ts';
import { type AiSearchContext, aiSearch } from './ai-search.ts';
import { groupOf, isGrouped } from './assemble.ts';
import { ClientGone } from './client-gone.ts';
import { retrievePosts } from './posts.ts';
import { boundedAiSearchRequest, boundedMicroblogSearchRequest, parseRequest } from './request.ts';
import type { Retrieval } from './retrieve.ts';
import { distortAnswer, distortPosts, type Faults, readFaults, shapeAnswer } from './sandbox/faults.ts';
import { groupsOf, openStream } from './stream.ts';
import { sendTruncated } from './truncate.ts';

/** What a request is answered with that does not say: the cheapest. */
const MODEL: Model = 'NOVA';

export type OperationContext = AiSearchContext & {
  dialect: Dialect;
  /** Whether the header `X-Sandbox-Fault` is obeyed: only below `/sandbox`. */
  faulty: boolean;
  clock: Clock;
};

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Operation A. */
export function aiSearchHandler(ctx: OperationContext): Handler {
  return async (request, reply) => {
    const parsed = parseRequest(boundedAiSearchRequest, ctx.dialect, request.body);
    if (!parsed.ok) return reply.code(422).send(validationBody(parsed.problems));
    const faults = readFaults(ctx.faulty ? request.headers['x-sandbox-fault'] : undefined);
    if (faults.status !== undefined) return sendFault(reply, faults.status);
    const signal = goneSignal(reply);
    await pause(faults, signal);
    const asked = retrievalOf(parsed.request, ctx.clock.now());
    if (parsed.request.streaming === true) return streamAnswer(ctx, reply, asked, faults, signal);
    const answer = distortAnswer(await aiSearch(ctx, asked, signal), faults);
    const body = toWire(ctx.dialect, 'ai-answer', shapeAnswer(answer, faults));
    return faults.truncate ? sendTruncated(reply, body) : reply.send(body);
  };
}

/** Operation B. */
export function microblogHandler(ctx: OperationContext): Handler {
  return async (request, reply) => {
    const parsed = parseRequest(boundedMicroblogSearchRequest, ctx.dialect, request.body);
    if (!parsed.ok) return reply.code(422).send(validationBody(parsed.problems));
    const faults = readFaults(ctx.faulty ? request.headers['x-sandbox-fault'] : undefined);
    if (faults.status !== undefined) return sendFault(reply, faults.status);
    const signal = goneSignal(reply);
    await pause(faults, signal);
    const { prompt, model = MODEL } = parsed.request;
    const answer = await retrievePosts(ctx, { prompt, model, at: ctx.clock.now() }, signal);
    const posts = distortPosts(answer.miner_microblog_posts, faults);
    const body = toWire(ctx.dialect, 'microblog-answer', { ...answer, miner_microblog_posts: posts });
    return faults.truncate ? sendTruncated(reply, body) : reply.send(body);
  };
}

async function streamAnswer(
  ctx: OperationContext,
  reply: FastifyReply,
  asked: Retrieval,
  faults: Faults,
  signal: AbortSignal,
): Promise<FastifyReply> {
  reply.hijack();
  const stream = openStream(reply.raw, ctx.dialect, headersOf(reply));
  const distorted = faults.content.size > 0;
  try {
    const whole = await aiSearch(ctx, asked, signal, {
      ready(source, found) {
        if (distorted || !isGrouped(source, ctx.webGroup)) return;
        stream.group(source, groupOf(found).organic_results);
      },
      told: stream.text,
    });
    const answer = distortAnswer(whole, faults);
    if (distorted) for (const [source, items] of groupsOf(answer)) stream.group(source, items);
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
function retrievalOf(request: AiSearchRequest, at: Date): Retrieval {
  return {
    prompt: request.prompt,
    selected: [...new Set(request.tools.map((tool) => SOURCE_OF_TOOL[tool]))],
    model: request.model ?? MODEL,
    dateFilter: request.date_filter ?? 'PAST_24_HOURS',
    at,
  };
}

/** Aborts when the client goes away before its answer is finished. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new ClientGone());
  });
  return gone.signal;
}

async function pause({ slowMs }: Faults, signal: AbortSignal): Promise<void> {
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
function headersOf(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}
