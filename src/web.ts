/** The dashboard and the API at one address, put together. Half of the program is behind it: only commands that serve load it. */
import { apiRoutes } from './doors/http/api.ts';
import { type Doors, startHttp, type WebServer } from './doors/http/server.ts';
import { type ListensAt, startWaiting } from './doors/http/waiting.ts';
import { pageRoutes } from './doors/pages/pages.tsx';
import type { WebHome } from './doors/routes.ts';

export { startWaiting };
export type { ListensAt, WebHome, WebServer };

/** Everything that is served, for whoever serves it otherwise. */
export const WEB: Doors = { api: [apiRoutes], pages: [pageRoutes] };

/** Figures and health alone, under the same rules. */
export async function startMetrics(home: WebHome, at: ListensAt): Promise<WebServer> {
  const http = { ...at, baseUrl: undefined };
  const ctx = { ...home.ctx, config: { ...home.ctx.config, http } };
  return startHttp({ ...home, ctx }, { api: [], pages: [] });
}

/** @throws Refused `unavailable` when it cannot listen */
export async function startWeb(home: WebHome): Promise<WebServer> {
  return startHttp(home, WEB);
}
