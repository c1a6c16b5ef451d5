/** The dashboard and the API at one address, put together. */
import { apiRoutes } from './doors/http/api.ts';
import { type Doors, startHttp, type WebServer } from './doors/http/server.ts';
import { pageRoutes } from './doors/pages/pages.tsx';
import type { WebHome } from './doors/routes.ts';

export type { WebHome, WebServer };

/** Everything that is served, for whoever serves it otherwise. */
export const WEB: Doors = { api: [apiRoutes], pages: [pageRoutes] };

/** Figures and health alone, for a process without a door of its own; on loopback, and under the same rules. */
export async function startMetrics(home: WebHome, port: number): Promise<WebServer> {
  const http = { host: '127.0.0.1', port, portAsked: true, baseUrl: undefined };
  const ctx = { ...home.ctx, config: { ...home.ctx.config, http } };
  return startHttp({ ...home, ctx }, { api: [], pages: [] });
}

/** @throws Refused `unavailable` when it cannot listen */
export async function startWeb(home: WebHome): Promise<WebServer> {
  return startHttp(home, WEB);
}
