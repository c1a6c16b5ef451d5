/** The two operations over HTTP: one frame parses a request, and answers it in the words of its dialect. */

import { type Model, SOURCE_BY_TOOL } from '../domain/enumerations.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Dialect } from '../protocol/dialect.ts';
import { validationBody } from '../protocol/error-body.ts';
import type { ServedAiResponse, ServedMicroblogResponse } from '../protocol/extensions.ts';
import type { AiSearchRequest, microblogSearchRequest } from '../protocol/specification.ts';
import { toWire } from '../protocol/wire.ts';
import { type AiSearchContext, type AiSearchListener, runAiSearch } from './ai-search.ts';
import { ClientGone } from './http-errors.ts';
import { searchMicroblog } from './microblog-search.ts';
import type { RetrievalRequest } from './planning/retrieval.ts';
import { boundedAiSearchRequest, boundedMicroblogSearchRequest, parseRequest } from './request-parser.ts';
import { openEventStream } from './response-stream.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** The model of a request that names none: the cheapest. */
const DEFAULT_MODEL: Model = 'NOVA';

type OperationContext = AiSearchContext & {
  dialect: Dialect;
  clock: Clock;
  /** Responds to a parsed request: {@link respond}, or a wrapper of it at a mount. */
  respond: (exchange: Exchange) => Promise<FastifyReply>;
};

/** A request that was parsed, and how it is answered. */
export type Exchange = {
  request: FastifyRequest;
  reply: FastifyReply;
  dialect: Dialect;
  log: Logger;
  /** Aborts when the client goes away before its answer is finished. */
  signal: AbortSignal;
} & OperationWork;

/** What an operation does. @throws the signal's reason once it has aborted */
type OperationWork =
  | {
      operation: 'ai';
      /** Whether the client wants the parts of the answer as they are ready. */
      streaming: boolean;
      search: (signal: AbortSignal, listener?: AiSearchListener) => Promise<ServedAiResponse>;
    }
  | {
      operation: 'microblog';
      streaming: false;
      search: (signal: AbortSignal) => Promise<ServedMicroblogResponse>;
    };

type Operation<Request> = {
  schema: z.core.$ZodType<Request>;
  plan: (ctx: OperationContext, request: Request) => OperationWork;
};

/** Operation A. */
export const AI_SEARCH: Operation<AiSearchRequest> = {
  schema: boundedAiSearchRequest,
  plan: (ctx, request) => ({
    operation: 'ai',
    streaming: request.streaming === true,
    search: (signal, listener) =>
      runAiSearch(ctx, resolveRetrieval(request, ctx.clock.now()), signal, listener),
  }),
};

/** Operation B. */
export const MICROBLOG_SEARCH: Operation<z.infer<typeof microblogSearchRequest>> = {
  schema: boundedMicroblogSearchRequest,
  plan: (ctx, { prompt, model = DEFAULT_MODEL }) => ({
    operation: 'microblog',
    streaming: false,
    search: (signal) => searchMicroblog(ctx, { prompt, model, at: ctx.clock.now() }, signal),
  }),
};

export function createOperationHandler<Request>(ctx: OperationContext, operation: Operation<Request>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { dialect, log } = ctx;
    const parsed = parseRequest(operation.schema, dialect, request.body);
    if (!parsed.ok) return reply.code(422).send(validationBody(parsed.problems));
    const signal = createDisconnectSignal(reply);
    return ctx.respond({
      request,
      reply,
      dialect,
      log,
      signal,
      ...operation.plan(ctx, parsed.request),
    });
  };
}

/** Sends the whole answer, or its parts as they are ready. */
export async function respond(exchange: Exchange): Promise<FastifyReply> {
  const { reply, dialect, log, signal } = exchange;
  if (!exchange.streaming)
    return reply.send(toWire(dialect, `${exchange.operation}-answer`, await exchange.search(signal)));
  reply.hijack();
  const stream = openEventStream(reply.raw, dialect, readHookHeaders(reply));
  try {
    await stream.answer(await exchange.search(signal, { onGroup: stream.group, onText: stream.text }));
  } catch (err) {
    if (!signal.aborted) {
      log.error({ err }, 'stream failed');
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

function createDisconnectSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new ClientGone());
  });
  return gone.signal;
}

/** The headers that hooks have set, for a response that we write ourselves. */
function readHookHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}
