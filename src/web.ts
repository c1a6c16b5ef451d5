/** The dashboard and the API at one address, put together. */
import { apiRoutes } from './doors/http/api.ts';
import { startHttp, type WebServer } from './doors/http/server.ts';
import { pageRoutes } from './doors/pages/pages.tsx';
import type { WebHome } from './doors/routes.ts';

/** @throws Refused `unavailable` when it cannot listen */
export async function startWeb(home: WebHome): Promise<WebServer> {
  return startHttp(home, [apiRoutes, pageRoutes]);
}
