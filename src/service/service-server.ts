/** The search service: both operations, in every dialect, over HTTP. */
import { randomUUID } from 'node:crypto';
import type { BlockList } from 'node:net';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { loadDialect } from '../protocol/dialect.ts';
import type { ServedRequest } from '../protocol/service-status.ts';
import type { AskedSource } from '../model/asked-source.ts';
import { SECOND } from '../lib/time.ts';
import type { Clock } from '../platform/clock.ts';
import { formatAddress, listenAt } from '../platform/listen.ts';
import type { Logger } from '../platform/logger.ts';
import { registerDescription } from './service-openapi.ts';
import { registerPageRoutes } from './page/page-routes.ts';
import type { LanguageModel } from './answering/language-model.ts';
import type { MeteredModel } from './answering/metered-model.ts';
import {
  registerErrorHandlers,
  rejectUnreadableUrl,
  rejectUnreadableRequest,
  rejectInvalidHead,
} from './http-errors.ts';
import {
  createKeyCheck,
  createKeyGate,
  createOwnKeyTest,
  createRateLimiter,
  DEFAULT_KEY_RATE,
  type KeyVerifier,
  type RateLimit,
} from './key-gate.ts';
import { buildServedPaths, isClientOf2026 } from './dialect-choice.ts';
import { registerCheckRoute } from './check-route.ts';
import { registerHealthRoutes } from './service-health.ts';
import { LIVE_PATH, SANDBOX_PATH } from './ports.ts';
import { createPlanner, type Planner } from './planning/model-plan.ts';
import { AI_SEARCH, createOperationHandler, MICROBLOG_SEARCH, respond } from './operations.ts';
import { SANDBOX_SEED, createSandboxSources } from './sandbox/sandbox-sources.ts';
import { respondWithFaults } from './sandbox/respond-with-faults.ts';
import { registerTruthRoute } from './sandbox/ground-truth.ts';
import type { SearchSource } from './sources/search-source.ts';
import type { PageOpener } from './sources/pages/page-opener.ts';
import type { OpenedSources } from './sources/source-setup.ts';

/** The longest body of a request, in bytes; a prompt has 2,000 characters. */
const MAX_BODY_BYTES = 64 * 1_024;
/** The most bytes of a request's line and headers together. */
const MAX_HEADER_BYTES = 16 * 1_024;
/** A request that has not come whole by then is given up. */
const REQUEST_TIMEOUT_MS = 10 * SECOND;
/** A connection on which nothing moved for so long is closed; no answer takes longer than its 120 s. */
const IDLE_TIMEOUT_MS = 150 * SECOND;

export type ServiceOptions = {
  /** An address to listen at; loopback unless the user says otherwise. */
  host: string;
  port: number;
  /** Whether the user asked for this port; a default moves to the next free port. */
  portAsked: boolean;
  clock: Clock;
  log: Logger;
  keys: KeyVerifier;
  /** The program's version, shown by `/healthz`. */
  version?: string;
  /** What answers at the root; the simulation when left out. */
  sources?: readonly SearchSource[];
  /** What answers below `/live`; when left out there is no such path. */
  live?: readonly SearchSource[];
  /** Reads the sources that a request names, at the root and below `/live`. Default: none are read. */
  own?: OpenedSources['own'];
  /** Health of each public source, for `/healthz/sources`. Optional. */
  health?: OpenedSources['health'];
  /** Plans queries and writes completions; shown by `/healthz/sources` if it counts. Default: completions quote sources. */
  model?: LanguageModel & Partial<Pick<MeteredModel, 'use'>>;
  /** Opens found pages, for results that are not simulated. Default: none are opened. */
  pages?: PageOpener | undefined;
  /** Whether web pages have their own group (`web_search_results`), and results a date, which the specification does not define. */
  webGroup?: boolean;
  /** Name of the simulated world; another seed yields other posts. */
  sandboxSeed?: string;
  /** Proxies whose `X-Forwarded-For` names the client. Default: none. */
  trustedProxies?: BlockList | undefined;
  /** Rate limit per key. Default: {@link DEFAULT_KEY_RATE}. */
  rate?: RateLimit;
  /** Key of the process that runs it: without a rate limit, with a group of web results. */
  ownKey?: string;
  /** Called when sources are asked and respond, for a run of the process that runs it: those with its key and an `X-Run-Id`. */
  onProgress?: (run: { mount: ServedRequest['mount']; id: string }, sources: AskedSource[]) => void;
  /** Called after every request of an operation, for metrics. */
  onAnswered?: (answered: ServedRequest) => void;
  /** Time limit for receiving a whole request, in milliseconds. Default: 10 s. */
  requestMs?: number;
};

export type Service = {
  /** `http://host:port`, without a path; `${url}/sandbox` and `${url}/live` are base URLs too. */
  url: string;
  port: number;
  close(): Promise<void>;
};

const SERVED_OPERATIONS = [
  ['ai', AI_SEARCH],
  ['microblog', MICROBLOG_SEARCH],
] as const;

/** Starts the service. @throws Refused `unavailable` if the configured port is in use */
export async function startService(options: ServiceOptions): Promise<Service> {
  const simulated = createSandboxSources(options.sandboxSeed);
  const parts = { ...options, simulated, sources: options.sources ?? simulated, instance: randomUUID() };
  const { app, port } = await listenAt(() => buildService(parts), {
    ...options,
    what: 'the search service',
    portVariable: 'SERVICE_PORT',
  });
  const url = formatAddress(options.host, port);
  options.log.info({ address: url }, 'search service listening');
  return { url, port, close: () => app.close() };
}

type ServerParts = ServiceOptions & {
  simulated: readonly SearchSource[];
  sources: readonly SearchSource[];
  instance: string;
};

async function buildService(parts: ServerParts): Promise<FastifyInstance> {
  const { clock, log, keys, simulated, sources, live, requestMs = REQUEST_TIMEOUT_MS } = parts;
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: requestMs,
    connectionTimeout: IDLE_TIMEOUT_MS,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      // Rejected by http-errors.ts, with a body.
      requireHostHeader: false,
      headersTimeout: requestMs,
      connectionsCheckingInterval: requestMs / 10,
    },
    clientErrorHandler: rejectUnreadableRequest,
    frameworkErrors: rejectUnreadableUrl,
    forceCloseConnections: true,
    genReqId: ({ headers }) => chooseRequestId(headers['x-request-id']),
  });
  // Bodies are parsed where they are validated, so that errors use the request's dialect.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // Bodies are parsed as JSON, whatever the content type.
    request.raw.headers['content-type'] = 'application/json';
  });
  app.addHook('onRequest', rejectInvalidHead);
  // Node would reject an unknown Expect header with an empty body; let a hook respond instead.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  app.addHook('onResponse', async (request, reply) => {
    const took = { status: reply.statusCode, ms: Math.round(reply.elapsedTime), request: request.id };
    log.debug({ ...took, route: request.routeOptions.url ?? 'none' }, 'request completed');
  });
  registerErrorHandlers(app, log);
  registerHealthRoutes(app, parts);

  const isOwn = createOwnKeyTest(parts.ownKey);
  const check = createKeyCheck(keys, createRateLimiter(parts.rate ?? DEFAULT_KEY_RATE, clock), isOwn, parts);
  const gate = createKeyGate(check);
  registerTruthRoute(app, gate, parts.sandboxSeed ?? SANDBOX_SEED, clock);
  const planner = parts.model && createPlanner(parts.model, log);
  const means = { ...parts, planner };
  const atRoot = describeMount('root', '', sources, means);
  const mounts = [
    atRoot,
    describeMount('sandbox', SANDBOX_PATH, simulated, means),
    ...(live === undefined ? [] : [describeMount('live', LIVE_PATH, live, means)]),
  ];
  const [neutral, named, flat] = [loadDialect('neutral'), loadDialect('named'), loadDialect('named-2026')];
  const doors = [
    { at: buildServedPaths(neutral), chooseDialect: () => neutral, isGuessed: false },
    {
      at: buildServedPaths(named),
      chooseDialect: (userAgent: string | undefined, request: unknown) =>
        isClientOf2026(userAgent, request, flat) ? flat : named,
      isGuessed: true,
    },
    { at: buildServedPaths(flat), chooseDialect: () => flat, isGuessed: false },
  ];
  const about = registerDescription(
    app,
    parts,
    [neutral, named, flat],
    mounts.map(({ below }) => below || '/'),
  );
  registerPageRoutes(app, {
    sources,
    log,
    clock,
    check,
    about,
    version: parts.version ?? 'unknown',
    model: atRoot.model,
    planner: atRoot.planner,
    pages: atRoot.pages,
    onAnswered: ({ status, ms }) =>
      parts.onAnswered?.({ operation: 'ai', mount: 'root', status, seconds: ms / SECOND }),
  });
  for (const { mount, below, isSimulated, ...given } of mounts) {
    for (const { at, chooseDialect, isGuessed } of doors) {
      const ctx = {
        ...given,
        chooseDialect,
        isGuessed,
        respond: mount === 'sandbox' ? respondWithFaults : respond,
        clock,
        log,
        // The own monitor stores titles, texts and dates.
        showsWebGroup: (request: FastifyRequest) =>
          parts.webGroup === true || (mount === 'live' && isOwn(request)),
        watchSources: (request: FastifyRequest) => {
          const id = request.headers['x-run-id'];
          if (parts.onProgress === undefined || typeof id !== 'string' || !isOwn(request)) return undefined;
          return (plan: AskedSource[]) => parts.onProgress?.({ mount, id }, plan);
        },
      };
      for (const [operation, forms] of SERVED_OPERATIONS)
        app.post(
          `${below}${at[operation]}`,
          {
            onRequest: [
              // Responses with simulated data have a header `x-sandbox`.
              async (_request, reply) => {
                if (isSimulated) reply.header('x-sandbox', 'true');
              },
              gate,
            ],
            onResponse: async (_request, { statusCode, elapsedTime }) =>
              parts.onAnswered?.({ operation, mount, status: statusCode, seconds: elapsedTime / SECOND }),
          },
          createOperationHandler(ctx, forms),
        );
    }
  }
  if (parts.own !== undefined) registerCheckRoute(app, { gate, own: parts.own, below: LIVE_PATH });
  await app.ready();
  return app;
}

/**
 * What answers below a path, and with what. Simulated results reach no language model, which may charge; their addresses lead
 * nowhere, so no page is opened; and no source that a request names stands beside them.
 */
function describeMount(
  mount: ServedRequest['mount'],
  below: string,
  sources: readonly SearchSource[],
  { own, model, planner, pages }: ServiceOptions & { planner: Planner | undefined },
) {
  const isSimulated = sources.some(({ state }) => state === 'sandbox');
  return {
    mount,
    below,
    sources,
    isSimulated,
    own: isSimulated ? undefined : own,
    model: isSimulated ? undefined : model,
    planner: isSimulated ? undefined : planner,
    pages: isSimulated ? undefined : pages,
  };
}

/** The caller's request ID, if it is safe to echo. */
function chooseRequestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w.-]{1,64}$/.test(header) ? header : randomUUID();
}
