/** The server of API and pages: what every request passes, and the routes behind it. */
import fastify from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { addressOf, listenAt } from '../../engine/listen.ts';
import { allowedBy, SCOPES } from '../../monitor/access/scopes.ts';
import type { App, Routes, WebHome } from '../routes.ts';

export type WebServer = {
  /** `http://host:port`, without a path. */
  url: string;
  port: number;
  close(): Promise<void>;
};

/**
 * Starts the server.
 * @throws Refused `unavailable` when it cannot listen: a port that was asked for is taken
 */
export async function startHttp(home: WebHome, routes: readonly Routes[]): Promise<WebServer> {
  const { host, port: asked, portAsked } = home.ctx.config.http;
  const { app, port } = await listenAt(() => buildServer(home, routes), {
    what: 'the dashboard',
    host,
    port: asked,
    portAsked,
  });
  return { url: addressOf(host, port), port, close: () => app.close() };
}

/** @returns a server that is ready and does not listen */
export async function buildServer(home: WebHome, routes: readonly Routes[]): Promise<App> {
  const app: App = fastify({ forceCloseConnections: true }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest('visitor');
  app.addHook('onRequest', async (request) => {
    request.visitor = { kind: 'local', scopes: allowedBy(SCOPES), name: null };
  });
  for (const add of routes) await app.register(async (scoped: App) => add(scoped, home));
  await app.ready();
  return app;
}
