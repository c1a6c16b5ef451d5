/**
 * The HTTP server of the API and the dashboard: hooks for every request, and the routes. `web-server.ts` starts it with a
 * separate connection pool.
 */

import { healthRoutes, rewriteVerboseReadyz } from '../api/health-routes.ts';
import { honorIdempotencyKeys } from '../api/idempotency-key.ts';
import { addJsonParser } from '../api/json-body.ts';
import { countRequests, metricsRoutes } from '../api/metrics-routes.ts';
import { documentApi } from '../api/openapi/document.ts';
import { removeMount, SANDBOX_MOUNT } from '../model/mount.ts';
import { mountReplies } from '../monitor/http/mounted-replies.ts';
import { createProblemHandler, refuseMalformedRequest } from '../api/problem-details.ts';
import { Refused } from '../model/errors.ts';
import { toJson } from '../lib/json-values.ts';
import { acceptCommands } from '../monitor/access/command-key.ts';
import { openAccess } from '../monitor/access/authentication.ts';
import { toActor } from '../monitor/access/visitor-scopes.ts';
import { WrongMethod } from '../monitor/http/error-statuses.ts';
import { addGate } from '../monitor/http/gate.ts';
import type { App, RouteContext, Routes } from '../monitor/http/route-types.ts';
import {
  buildRateLimit,
  countRuns,
  limitConnections,
  type Limits,
  LIMITS,
} from '../monitor/http/server-limits.ts';
import { createShares, trackCurrentVisitor } from '../monitor/http/visitor-shares.ts';
import { SECOND } from '../lib/time.ts';
import { isLocalOnly } from '../platform/http/allowed-hosts.ts';
import { readClientAddress } from '../platform/client-address.ts';
import { buildSecurityHeaders } from '../platform/http/security-headers.ts';
import { formatAddress, listenAt } from '../platform/listen.ts';
import { hasTokens } from '../store/access/tokens.ts';
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
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';

export type WebServer = {
  /** `http://host:port`, without a path. */
  url: string;
  port: number;
  /** Stops accepting requests, ends event streams, and lets current replies finish within {@link DRAIN_MS}. */
  close(): Promise<void>;
};

/** Routes of the API and the dashboard. Pages set their own error handler, which also handles 404. */
export type ServerRoutes = { api: readonly Routes[]; pages: readonly Routes[] };

/** How long an idle connection stays open. */
const KEEP_ALIVE_MS = 72 * SECOND;
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
  { limits, sandbox }: { limits?: Partial<Limits> | undefined; sandbox?: RouteContext | undefined } = {},
): Promise<WebServer> {
  const { host, port: wantedPort, portAsked, portVariable, baseUrl } = home.ctx.config.http;
  if (!isLocalOnly({ host, baseUrl }) && !(await hasTokens(home.ctx.db)))
    throw new Refused(
      'conflict',
      `${baseUrl ?? host} is reachable from other machines and no token exists. Create one first: strandline token create --name NAME --scope admin`,
    );
  const mounted =
    sandbox === undefined
      ? undefined
      : await buildHttpServer({ ...sandbox, mount: SANDBOX_MOUNT }, doors, limits);
  const build = () =>
    buildHttpServer({ ...home, sandbox: mounted === undefined ? null : SANDBOX_MOUNT }, doors, limits, {
      mounted,
    });
  const listening = listenAt(build, {
    what: 'the dashboard',
    host,
    port: wantedPort,
    portAsked,
    portVariable,
  });
  const { app, port } = await listening.catch(async (error: unknown) => {
    await mounted?.close();
    throw error;
  });
  let closed: Promise<void> | undefined;
  return {
    url: formatAddress(host, port),
    port,
    close: () => (closed ??= drainServer(app, mounted)),
  };
}

async function drainServer(app: App, mounted: App | undefined): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  try {
    await Promise.all([app.close(), mounted?.close()]);
  } finally {
    clearTimeout(cut);
  }
}

/**
 * @param more.mounted the application below {@link SANDBOX_MOUNT} of this server; it has limits of its own, and never listens
 * @param more.commandKey it is for commands that have this key, at an address of its own
 * @returns a server that is ready but not listening
 * @throws Error if a route does not declare its scope
 */
export async function buildHttpServer(
  home: RouteContext,
  doors: ServerRoutes,
  less: Partial<Limits> = {},
  { mounted, commandKey }: { mounted?: App | undefined; commandKey?: string } = {},
): Promise<App> {
  const { mount = '' } = home;
  const { log, config } = home.ctx;
  const limits = { ...LIMITS, perMinute: config.requestsPerMinute, ...less };
  const problem = createProblemHandler(log);
  const app: App = fastify({
    bodyLimit: limits.bodyBytes,
    routerOptions: { maxParamLength: limits.pathParameter },
    serverFactory: (handle) =>
      createServer(
        {
          keepAliveTimeout: KEEP_ALIVE_MS,
          requestTimeout: limits.requestMs,
          maxHeaderSize: limits.headerBytes,
          headersTimeout: limits.requestMs,
          connectionsCheckingInterval: limits.requestMs / 10,
          // The gate rejects it with the same error format as other failures.
          requireHostHeader: false,
        },
        mounted === undefined ? handle : splitRequests(handle, mounted),
      ),
    // `clientAddress` reads the header of trusted proxies; other forwarded headers are ignored.
    trustProxy: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: refuseMalformedRequest,
    frameworkErrors: (error, request, reply) => void problem(error, request, reply),
    genReqId: () => randomUUID(),
    rewriteUrl: mount === '' ? rewriteVerboseReadyz : ({ url = '/' }) => url,
  }).withTypeProvider<ZodTypeProvider>();
  limitConnections(app.server, limits.connections);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(problem);
  app.removeAllContentTypeParsers();
  mountReplies(app, mount);
  const repliesEnd = mount === '' && commandKey === undefined ? null : trackOpenReplies(app);

  const bound = commandKey === undefined ? config.http : { host: '127.0.0.1', baseUrl: undefined };
  const visitors = await openAccess(home.ctx, { localMayEnter: isLocalOnly(bound) });
  const access = commandKey === undefined ? visitors : acceptCommands(visitors, commandKey);
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
      return { ...(this.execution?.ctx ?? home.ctx), actor: toActor(this.visitor) };
    },
  });
  recordRoutes(app);
  await app.register(helmet, buildSecurityHeaders(bound.baseUrl?.startsWith('https:') === true));
  await app.register(cookie);
  await app.register(rateLimit, buildRateLimit(limits));
  app.decorate('countRun', countRuns(app, limits));
  addGate(app, access, { ...bound, mount }, limits);
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
    // Of the process: they speak of the real database, and a sandbox that is away is no reason to restart.
    const ofProcess = mount === '' ? [healthRoutes, metricsRoutes(requests)] : [];
    for (const add of [...ofProcess, ...doors.api]) await add(scoped, home);
  });
  await app.register(async (scoped: App) => addNotFoundHandler(scoped), { prefix: '/api' });
  await app.register(async (scoped: App) => {
    markRoutes(scoped, 'page');
    await scoped.register(formbody, { bodyLimit: limits.formBytes });
    for (const add of doors.pages) await add(scoped, home);
    addNotFoundHandler(scoped);
  });
  // Registered last, so that event streams have been asked to end before.
  if (repliesEnd !== null) await app.register(async (scoped: App) => scoped.addHook('preClose', repliesEnd));
  await app.ready();
  return app;
}

/** Hands requests below the mount to the mounted application, with the address that they have within it. */
export function splitRequests(handle: RequestListener, mounted: App): RequestListener {
  return (request, response) => {
    const within = removeMount(SANDBOX_MOUNT, request.url ?? '/');
    if (within === undefined) return handle(request, response);
    request.url = within;
    return mounted.routing(request, response);
  };
}

/**
 * Closing an application that listens waits for its replies; one that is mounted must count them.
 * @returns waits for the replies of the requests that are open
 */
function trackOpenReplies(app: App): () => Promise<void> {
  const open = new Set<ServerResponse>();
  app.addHook('onRequest', async (_request, { raw }) => {
    open.add(raw);
    raw.once('close', () => open.delete(raw));
  });
  return async () => {
    await Promise.all([...open].map((response) => once(response, 'close')));
  };
}

/** Records every route and rejects one without a scope. Routes that may make calls are counted together. */
function recordRoutes(app: App): void {
  const table: App['routeTable'][number][] = [];
  app.decorate('routeTable', table);
  app.addHook('onRoute', (route) => {
    const { scope, idempotent } = route.config ?? {};
    if (scope === undefined || scope.length === 0)
      throw new Error(`the route ${String(route.method)} ${route.url} declares no scope`);
    for (const method of [route.method].flat())
      table.push({ method, url: route.url, scope, idempotent: idempotent !== undefined });
    if ([scope].flat().includes('run'))
      route.onRequest = [
        ...[route.onRequest ?? []].flat(),
        async (request: FastifyRequest) => app.countRun(request),
      ];
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
  scoped.setNotFoundHandler({ preHandler: scoped.rateLimit() }, ({ url }, reply) => {
    const [address = ''] = url.split('?');
    const allowed = listMethodsAt(address, scoped.routeTable);
    if (allowed.length > 0) {
      reply.header('allow', allowed.join(', '));
      throw new WrongMethod(allowed);
    }
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
