/** The two operations over HTTP: one frame parses a request, and answers it in the words of its dialect. */

import { type Model, SOURCE_BY_TOOL } from '../model/enumerations.ts';
import type { AskedSource } from '../model/asked-source.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Dialect } from '../protocol/dialect.ts';
import { validationBody, type ValidationProblem } from '../protocol/error-body.ts';
import { PLAN_HEADER, type ServedAiResponse, type ServedPost } from '../protocol/extensions.ts';
import type { FlatAiResponse, FlatPost } from '../protocol/flat-response.ts';
import { ALL_SOURCES, type OwnSourceReport, type OwnSources } from '../protocol/own-sources.ts';
import { toWire } from '../protocol/wire.ts';
import { type AiSearchContext, type AiSearchListener, runAiSearch } from './ai-search.ts';
import { isOfEither } from './dialect-choice.ts';
import { ClientGone } from './http-errors.ts';
import { toCommonPosts, toFlatPosts } from './flat-posts.ts';
import { searchMicroblog, toServedPosts } from './microblog-search.ts';
import { readAskedPeriod } from './planning/asked-period.ts';
import type { RetrievalRequest } from './planning/retrieval.ts';
import { createSearchPlan, type SearchPlan } from './planning/search-plan.ts';
import { parseBody, parseRequest } from './request-parser.ts';
import { openEventStream } from './response-stream.ts';
import {
  readDomains,
  readWindow,
  SERVICE_AI_REQUESTS,
  type ServiceAiRequest,
  serviceMicroblogRequest,
} from './service-requests.ts';
import type { OwnSourceReader } from './sources/feeds/own-sources.ts';
import type { FoundItem, SearchSource } from './sources/search-source.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** The model of a request that names none: the cheapest. */
const DEFAULT_MODEL: Model = 'NOVA';

type WorkContext = AiSearchContext & {
  clock: Clock;
  /** Reads the sources that a request names; undefined: none are read. */
  own?: OwnSourceReader | undefined;
};

type OperationContext = Omit<WorkContext, 'webGroup' | 'plan'> & {
  /** The dialect of a request, by its User-Agent and its body. */
  chooseDialect: (userAgent: string | undefined, request: unknown) => Dialect;
  /** Whether clients of several dialects use the path. */
  isGuessed: boolean;
  /** Whether the response to a request has a group of web results. */
  showsWebGroup: (request: FastifyRequest) => boolean;
  /** Receives what sources are asked, as they respond; undefined if nobody wants to know of this request. */
  watchSources: (request: FastifyRequest) => ((sources: AskedSource[]) => void) | undefined;
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

/** Posts in the form of the dialect. */
export type MicroblogAnswer = Awaited<ReturnType<typeof searchMicroblog<ServedPost | FlatPost>>>;

export type AiWork = {
  operation: 'ai';
  /** Whether the client wants the parts of the answer as they are ready. */
  streaming: boolean;
  search: (signal: AbortSignal, listener?: AiSearchListener) => Promise<ServedAiResponse | FlatAiResponse>;
};

/** What an operation does. @throws the signal's reason once it has aborted */
type OperationWork =
  | AiWork
  | {
      operation: 'microblog';
      streaming: false;
      search: (signal: AbortSignal) => Promise<MicroblogAnswer>;
    };

/** An operation: the work for a request, or what is wrong with the request. */
type Operation = (
  ctx: WorkContext,
  dialect: Dialect,
  request: unknown,
) => { ok: true; work: OperationWork } | { ok: false; problems: ValidationProblem[] };

function defineOperation<Request>(
  schema: z.core.$ZodType<Request>,
  plan: (ctx: WorkContext, request: Request) => OperationWork,
): Operation {
  return (ctx, dialect, value) => {
    const parsed = parseRequest(schema, dialect, value);
    return parsed.ok ? { ok: true, work: plan(ctx, parsed.request) } : parsed;
  };
}

/** Each operation, by the form of its answer; `either` where a client may expect both. */
type OperationForms = Readonly<Record<Dialect['answers'], Operation> & { either?: Operation }>;

/** The sources of a request: those of the service that it does not leave out, and its own, whose state is reported. */
function chooseSources(
  { sources, own }: WorkContext,
  choice: OwnSources | null | undefined,
): { sources: readonly SearchSource[]; reports?: () => OwnSourceReport[] } {
  if (choice === null || choice === undefined) return { sources };
  const { read = [], without = [] } = choice;
  const left = sources.filter(
    ({ name, unavailable }) =>
      unavailable === true || !(without.includes(ALL_SOURCES) || without.includes(name)),
  );
  if (read.length === 0) return { sources: left, reports: () => [] };
  // A simulation reads nothing.
  if (own === undefined)
    return {
      sources: left,
      reports: () => read.map(({ id }) => ({ id, state: 'unasked', title: '', entries: 0 })),
    };
  const opened = own.open(read);
  return {
    sources: [
      ...left.filter(({ source, unavailable }) => !(unavailable === true && source === 'web')),
      opened,
    ],
    reports: () => opened.reports(),
  };
}

/** Operation A. */
export const AI_SEARCH: OperationForms = { grouped: defineAiSearch('grouped'), flat: defineAiSearch('flat') };

function defineAiSearch(answers: Dialect['answers']): Operation {
  return defineOperation<ServiceAiRequest>(SERVICE_AI_REQUESTS[answers], (ctx, request) => ({
    operation: 'ai',
    streaming: request.streaming === true,
    search: async (signal, listener) => {
      const form = { answers, linksOnly: request.result_type === 'ONLY_LINKS' };
      const retrieval = resolveRetrieval(request, ctx.clock.now());
      const { sources, reports } = chooseSources(ctx, request.own_sources);
      const response = await runAiSearch({ ...ctx, sources }, retrieval, form, signal, listener);
      return reports === undefined ? response : { ...response, own_sources: reports() };
    },
  }));
}

/** Operation B. */
export const MICROBLOG_SEARCH: OperationForms = {
  grouped: defineMicroblogSearch(toServedPosts),
  flat: defineMicroblogSearch(toFlatPosts),
  either: defineMicroblogSearch(toCommonPosts),
};

/** @param toPosts the posts of an item in the form of the dialect */
function defineMicroblogSearch(toPosts: (item: FoundItem) => readonly (ServedPost | FlatPost)[]): Operation {
  return defineOperation(serviceMicroblogRequest, (ctx, { prompt, model, count, own_sources }) => ({
    operation: 'microblog',
    streaming: false,
    search: (signal) => {
      const at = ctx.clock.now();
      const request = { prompt, model: model ?? DEFAULT_MODEL, count: count ?? undefined, at };
      const { sources } = chooseSources(ctx, own_sources);
      return searchMicroblog({ ...ctx, sources }, request, toPosts, signal);
    },
  }));
}

export function createOperationHandler(ctx: OperationContext, forms: OperationForms) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { log } = ctx;
    const body = parseBody(request.body);
    if (!body.ok) return reply.code(422).send(validationBody(body.problems));
    const userAgent = request.headers['user-agent'];
    const dialect = ctx.chooseDialect(userAgent, body.request);
    const common = ctx.isGuessed && isOfEither(userAgent, body.request) ? forms.either : undefined;
    const work = { ...ctx, webGroup: ctx.showsWebGroup(request), plan: createPlan(ctx, request) };
    const planned = (common ?? forms[dialect.answers])(work, dialect, body.request);
    if (!planned.ok) return reply.code(422).send(validationBody(planned.problems));
    const signal = createDisconnectSignal(reply);
    return ctx.respond({ request, reply, dialect, log, signal, ...planned.work });
  };
}

function createPlan({ watchSources }: OperationContext, request: FastifyRequest): SearchPlan | undefined {
  const onChange = watchSources(request);
  const isShown = request.headers[PLAN_HEADER] === 'true';
  if (!isShown && onChange === undefined) return undefined;
  const plan = createSearchPlan(isShown);
  if (onChange !== undefined) plan.watch(onChange);
  return plan;
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

/** A request with its defaults: the model NOVA, and the period that the prompt names, or else the past 24 hours. A tool that is listed twice counts once. */
function resolveRetrieval(request: ServiceAiRequest, at: Date): RetrievalRequest {
  return {
    prompt: request.prompt,
    selected: [...new Set(request.tools.map((tool) => SOURCE_BY_TOOL[tool]))],
    model: request.model ?? DEFAULT_MODEL,
    dateFilter: request.date_filter ?? readAskedPeriod(request.prompt) ?? 'PAST_24_HOURS',
    window: readWindow(request, at),
    count: request.count ?? undefined,
    domains: readDomains(request),
    at,
  };
}

export function createDisconnectSignal(reply: FastifyReply): AbortSignal {
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
