/**
 * The HTTP server of the API and the dashboard: hooks for every request, and the routes. `web-server.ts` starts it with a
 * separate connection pool.
 */

import { healthRoutes, rewriteVerboseReadyz } from '../api/health-routes.ts';
import { honorIdempotencyKeys } from '../api/idempotency-key.ts';
import { addJsonParser } from '../api/json-body.ts';
import { countRequests, metricsRoutes } from '../api/metrics-routes.ts';
import { documentApi } from '../api/openapi/document.ts';
import { createProblemHandler, refuseMalformedRequest } from '../api/problem-details.ts';
import { Refused } from '../domain/errors.ts';
import { toJson } from '../domain/json-values.ts';
import { openAccess } from '../monitor/access/authentication.ts';
import { toActor } from '../monitor/access/visitor-scopes.ts';
import { WrongMethod } from '../monitor/http/error-statuses.ts';
import { followFormerSlugs } from '../monitor/http/former-slugs.ts';
import { addGate } from '../monitor/http/gate.ts';
import type { App, RouteContext, Routes } from '../monitor/http/route-types.ts';
import {
  buildRateLimit,
  buildRunRateLimit,
  limitConnections,
  type Limits,
  LIMITS,
} from '../monitor/http/server-limits.ts';
import { createShares, trackCurrentVisitor } from '../monitor/http/visitor-shares.ts';
import { SECOND } from '../domain/time.ts';
import { isLocalOnly } from '../platform/http/allowed-hosts.ts';
import { readClientAddress } from '../platform/client-address.ts';
import { buildSecurityHeaders } from '../platform/http/security-headers.ts';
import { formatAddress, listenAt } from '../platform/listen.ts';
import { hasTokens } from '../store/tokens.ts';
import { openStatements } from './sql-statements.ts';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import type { FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { randomUUID } from 'node:crypto';

export type WebServer = {
  /** `http://host:port`, without a path. */
  url: string;
  port: number;
  /** Stops accepting requests, ends event streams, and lets current replies finish within {@link DRAIN_MS}. */
  close(): Promise<void>;
};

/** Routes of the API and the dashboard. Pages set their own error handler, which also handles 404. */
export type ServerRoutes = { api: readonly Routes[]; pages: readonly Routes[] };

/** How long current replies may take when the server closes. */
const DRAIN_MS = 2 * SECOND;

/**
 * Starts the server.
 * @throws Refused `unavailable` if the configured port is in use; `conflict` if it is reachable from other machines and no
 * token exists
 */
export async function startHttpServer(
  home: RouteContext,
  doors: ServerRoutes,
  limits?: Partial<Limits>,
): Promise<WebServer> {
  const { host, port: wantedPort, portAsked, portVariable, baseUrl } = home.ctx.config.http;
  if (!isLocalOnly({ host, baseUrl }) && !(await hasTokens(home.ctx.db)))
    throw new Refused(
      'conflict',
      `${baseUrl ?? host} is reachable from other machines and no token exists. Create one first: strandline token create --name NAME --scope admin`,
    );
  const { app, port } = await listenAt(() => buildHttpServer(home, doors, limits), {
    what: 'the dashboard',
    host,
    port: wantedPort,
    portAsked,
    portVariable,
  });
  let closed: Promise<void> | undefined;
  return {
    url: formatAddress(host, port),
    port,
    close: () => (closed ??= drainServer(app)),
  };
}

async function drainServer(app: App): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
  }
}

/**
 * @returns a server that is ready but not listening
 * @throws Error if a route does not declare its scope
 */
export async function buildHttpServer(
  home: RouteContext,
  doors: ServerRoutes,
  less: Partial<Limits> = {},
): Promise<App> {
  const { log, config } = home.ctx;
  const limits = { ...LIMITS, perMinute: config.requestsPerMinute, ...less };
  const problem = createProblemHandler(log);
  const app: App = fastify({
    bodyLimit: limits.bodyBytes,
    routerOptions: { maxParamLength: limits.pathParameter },
    requestTimeout: limits.requestMs,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.requestMs / 10,
      // The gate rejects it with the same error format as other failures.
      requireHostHeader: false,
    },
    // `clientAddress` reads the header of trusted proxies; other forwarded headers are ignored.
    trustProxy: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: refuseMalformedRequest,
    frameworkErrors: (error, request, reply) => void problem(error, request, reply),
    genReqId: () => randomUUID(),
    rewriteUrl: rewriteVerboseReadyz,
  }).withTypeProvider<ZodTypeProvider>();
  limitConnections(app.server, limits.connections);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(problem);
  app.removeAllContentTypeParsers();

  const bound = config.http;
  const access = await openAccess(home.ctx, { localMayEnter: isLocalOnly(bound) });
  app.decorate('access', access);
  const shares = createShares();
  app.decorate('shares', shares);
  const statements = openStatements(home, shares.statements);
  app.decorate('statements', statements);
  app.addHook('onClose', () => statements.close());
  app.decorateRequest('visitor');
  app.decorateRequest('clientAddress', {
    getter(this: FastifyRequest) {
      return readClientAddress(this.raw, config.trustedProxies);
    },
  });
  app.decorateRequest('execution', null);
  app.decorateRequest('formToken', {
    getter(this: FastifyRequest) {
      return access.formTokenFor(this.visitor);
    },
  });
  app.decorateRequest('acting', {
    getter(this: FastifyRequest) {
      return { ...home.ctx, actor: toActor(this.visitor) };
    },
  });
  recordRoutes(app, limits);
  await app.register(helmet, buildSecurityHeaders(bound.baseUrl?.startsWith('https:') === true));
  await app.register(cookie);
  await app.register(rateLimit, buildRateLimit(limits));
  addGate(app, access, bound, limits);
  trackCurrentVisitor(app);
  app.addHook('onResponse', async ({ id, method, routeOptions, visitor }, { statusCode, elapsedTime }) => {
    const fields = {
      request: id,
      method,
      route: routeOptions.url ?? 'none',
      visitor: visitor.name ?? visitor.kind,
    };
    log.debug({ ...fields, status: statusCode, ms: Math.round(elapsedTime) }, 'request completed');
  });
  const requests = countRequests(app);
  await app.register(compress, { globalDecompression: false, threshold: 1_024 });

  await documentApi(app, home);
  await app.register(async (scoped: App) => {
    markRoutes(scoped, 'api');
    scoped.setReplySerializer((payload) => toJson(payload));
    addJsonParser(scoped);
    honorIdempotencyKeys(scoped, home);
    followFormerSlugs(scoped, home.ctx.db);
    for (const add of [healthRoutes, metricsRoutes(requests), ...doors.api]) await add(scoped, home);
  });
  await app.register(async (scoped: App) => addNotFoundHandler(scoped), { prefix: '/api' });
  await app.register(async (scoped: App) => {
    markRoutes(scoped, 'page');
    await scoped.register(formbody, { bodyLimit: limits.formBytes });
    followFormerSlugs(scoped, home.ctx.db);
    for (const add of doors.pages) await add(scoped, home);
    addNotFoundHandler(scoped);
  });
  await app.ready();
  return app;
}

/** Records every route and rejects one without a scope. */
function recordRoutes(app: App, limits: Limits): void {
  const table: App['routeTable'][number][] = [];
  app.decorate('routeTable', table);
  app.addHook('onRoute', (route) => {
    const { scope, idempotent } = route.config ?? {};
    if (scope === undefined || scope.length === 0)
      throw new Error(`the route ${String(route.method)} ${route.url} declares no scope`);
    for (const method of [route.method].flat())
      table.push({ method, url: route.url, scope, idempotent: idempotent !== undefined });
    if ([scope].flat().includes('run'))
      route.config = { rateLimit: buildRunRateLimit(limits), ...route.config };
  });
}

/** Marks each route of this scope as API or dashboard. */
function markRoutes(scoped: App, door: 'api' | 'page'): void {
  scoped.addHook('onRoute', (route) => {
    route.config = { ...route.config, door };
  });
}

/** An address without a route is an error like others, rendered by the error handler of this scope. */
function addNotFoundHandler(scoped: App): void {
  scoped.setNotFoundHandler({ preHandler: scoped.rateLimit() }, ({ url }) => {
    const [address = ''] = url.split('?');
    const allowed = listMethodsAt(address, scoped.routeTable);
    if (allowed.length > 0) throw new WrongMethod(allowed);
    throw new Refused('not_found', 'no page or route at this address');
  });
}

/** @returns methods of the routes that match a path; empty if none match */
function listMethodsAt(address: string, table: App['routeTable']): string[] {
  const steps = address.split('/');
  const isOf = (url: string) => {
    const own = url.split('/');
    return own.length === steps.length && own.every((step, i) => step.startsWith(':') || step === steps[i]);
  };
  return [...new Set(table.filter(({ url }) => isOf(url)).map(({ method }) => method))].toSorted();
}
