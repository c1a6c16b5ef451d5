/** The server of API and pages: what every request passes, and the routes behind it. */
import { randomUUID } from 'node:crypto';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import fastify, { type FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { SECOND } from '../../engine/clock.ts';
import { addressOf, listenAt } from '../../engine/listen.ts';
import { Refused } from '../../errors.ts';
import { openAccess } from '../../monitor/access/access.ts';
import { actorOf } from '../../monitor/access/scopes.ts';
import { hasTokens } from '../../store/tokens.ts';
import { WrongMethod } from '../failure.ts';
import { toJson } from '../json.ts';
import type { App, Routes, WebHome } from '../routes.ts';
import { rememberWhoAsks } from './access/asking.ts';
import { boundConnections } from './access/connections.ts';
import { addGate } from './access/gate.ts';
import { headersFor } from './access/headers.ts';
import { isPrivate } from './access/hosts.ts';
import { readJsonBodies } from './access/json-body.ts';
import { type Limits, LIMITS, rateOfAll, rateOfRuns } from './access/limits.ts';
import { openShares } from './access/shares.ts';
import { healthRoutes, toRoute } from './health.ts';
import { honorIdempotencyKeys } from './idempotency.ts';
import { methodsAt } from './methods.ts';
import { metricsRoutes } from './metrics.ts';
import { countRequests } from './metrics/own.ts';
import { documentApi } from './openapi.ts';
import { sendProblem } from './problem.ts';
import { openStatements } from './statements.ts';
import { refuseUnread } from './unread.ts';

export type WebServer = {
  /** `http://host:port`, without a path. */
  url: string;
  port: number;
  /** Takes nothing new, ends streams of events, and lets what is being answered be answered, for a moment. */
  close(): Promise<void>;
};

/** The routes of both doors. Pages set an error handler of their own; what they do not find is an error too. */
export type Doors = { api: readonly Routes[]; pages: readonly Routes[] };

/** How long answers under way may take when the server closes. */
const DRAIN_MS = 2 * SECOND;

/**
 * Starts the server.
 * @throws Refused `unavailable` when it cannot listen: a port that was asked for is taken; `conflict` when others
 *   could reach it and no token was made
 */
export async function startHttp(home: WebHome, doors: Doors, limits?: Partial<Limits>): Promise<WebServer> {
  const { host, port: asked, portAsked, baseUrl } = home.ctx.config.http;
  if (!isPrivate({ host, baseUrl }) && !(await hasTokens(home.ctx.db)))
    throw new Refused(
      'conflict',
      `others can reach ${baseUrl ?? host}, and there is no token yet; make one first: strandline token create --name NAME --scope admin`,
    );
  const { app, port } = await listenAt(() => buildServer(home, doors, limits), {
    what: 'the dashboard',
    host,
    port: asked,
    portAsked,
  });
  let closed: Promise<void> | undefined;
  return {
    url: addressOf(host, port),
    port,
    close: () => (closed ??= drain(app)),
  };
}

async function drain(app: App): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
  }
}

/**
 * @returns a server that is ready and does not listen
 * @throws Error where a route does not say who may ask it
 */
export async function buildServer(home: WebHome, doors: Doors, less: Partial<Limits> = {}): Promise<App> {
  const { log, config } = home.ctx;
  const limits = { ...LIMITS, perMinute: config.requestsPerMinute, ...less };
  const problem = sendProblem(log);
  const app: App = fastify({
    bodyLimit: limits.bodyBytes,
    routerOptions: { maxParamLength: limits.pathParameter },
    requestTimeout: limits.requestMs,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.requestMs / 10,
      // The gate refuses it, in the words of every other failure.
      requireHostHeader: false,
    },
    trustProxy: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: refuseUnread,
    frameworkErrors: (error, request, reply) => void problem(error, request, reply),
    genReqId: () => randomUUID(),
    rewriteUrl: toRoute,
  }).withTypeProvider<ZodTypeProvider>();
  boundConnections(app.server, limits.connections);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(problem);
  app.removeAllContentTypeParsers();

  const bound = config.http;
  const access = await openAccess(home.ctx, { localMayEnter: isPrivate(bound) });
  app.decorate('access', access);
  const shares = openShares();
  app.decorate('shares', shares);
  const statements = openStatements(home, shares.statements);
  app.decorate('statements', statements);
  app.addHook('onClose', () => statements.close());
  app.decorateRequest('visitor');
  app.decorateRequest('execution', null);
  app.decorateRequest('formToken', {
    getter(this: FastifyRequest) {
      return access.formTokenFor(this.visitor);
    },
  });
  app.decorateRequest('acting', {
    getter(this: FastifyRequest) {
      return { ...home.ctx, actor: actorOf(this.visitor) };
    },
  });
  keepTable(app, limits);
  await app.register(helmet, headersFor(bound.baseUrl?.startsWith('https:') === true));
  await app.register(cookie);
  await app.register(rateLimit, rateOfAll(limits));
  addGate(app, access, bound, limits);
  rememberWhoAsks(app);
  app.addHook('onResponse', async ({ id, method, routeOptions, visitor }, { statusCode, elapsedTime }) => {
    const asked = {
      request: id,
      method,
      route: routeOptions.url ?? 'none',
      visitor: visitor.name ?? visitor.kind,
    };
    log.debug({ ...asked, status: statusCode, ms: Math.round(elapsedTime) }, 'answered');
  });
  const requests = countRequests(app);
  await app.register(compress, { globalDecompression: false, threshold: 1_024 });

  await documentApi(app, home);
  await app.register(async (scoped: App) => {
    opensTo(scoped, 'api');
    scoped.setReplySerializer((payload) => toJson(payload));
    readJsonBodies(scoped);
    honorIdempotencyKeys(scoped, home);
    for (const add of [healthRoutes, metricsRoutes(requests), ...doors.api]) await add(scoped, home);
  });
  await app.register(async (scoped: App) => answerUnknown(scoped), { prefix: '/api' });
  await app.register(async (scoped: App) => {
    opensTo(scoped, 'page');
    await scoped.register(formbody, { bodyLimit: limits.formBytes });
    for (const add of doors.pages) await add(scoped, home);
    answerUnknown(scoped);
  });
  await app.ready();
  return app;
}

/** Writes down every route, and lets none in that does not say who may ask it. */
function keepTable(app: App, limits: Limits): void {
  const table: App['routeTable'][number][] = [];
  app.decorate('routeTable', table);
  app.addHook('onRoute', (route) => {
    const { scope, idempotent } = route.config ?? {};
    if (scope === undefined || scope.length === 0)
      throw new Error(`the route ${String(route.method)} ${route.url} does not say who may ask it`);
    for (const method of [route.method].flat())
      table.push({ method, url: route.url, scope, idempotent: idempotent !== undefined });
    if ([scope].flat().includes('run')) route.config = { rateLimit: rateOfRuns(limits), ...route.config };
  });
}

/** Says of each route of this scope by which door it is asked. */
function opensTo(scoped: App, door: 'api' | 'page'): void {
  scoped.addHook('onRoute', (route) => {
    route.config = { ...route.config, door };
  });
}

/** What no route answers is an error like others, told in the words of this scope. */
function answerUnknown(scoped: App): void {
  scoped.setNotFoundHandler({ preHandler: scoped.rateLimit() }, ({ url }) => {
    const [address = ''] = url.split('?');
    const allowed = methodsAt(address, scoped.routeTable);
    if (allowed.length > 0) throw new WrongMethod(allowed);
    throw new Refused('not_found', 'there is nothing at this address');
  });
}
