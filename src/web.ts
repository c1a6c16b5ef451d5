/** The dashboard and the API at one address, put together. */
import { apiRoutes } from './doors/http/api.ts';
import { type Doors, startHttp, type WebServer } from './doors/http/server.ts';
import { pageRoutes } from './doors/pages/pages.tsx';
import type { WebHome } from './doors/routes.ts';

export type { WebServer };

/** Everything that is served, for whoever serves it otherwise. */
export const WEB: Doors = { api: [apiRoutes], pages: [pageRoutes] };

/** @throws Refused `unavailable` when it cannot listen */
export async function startWeb(home: WebHome): Promise<WebServer> {
  return startHttp(home, WEB);
}
