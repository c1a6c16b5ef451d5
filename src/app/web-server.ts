/** The dashboard and the API on one port, for `up`, `serve` and tests. Large: only commands that serve load it. */
import { openDatabase } from '../store/database.ts';
import type { Program } from './program.ts';
import { SECOND } from '../domain/time.ts';
import { getCurrentVisitorKey } from '../monitor/http/visitor-shares.ts';
import { apiRoutes } from '../api/api-routes.ts';
import { type ServerRoutes, startHttpServer, type WebServer } from './http-server.ts';
import { type ListenOptions, startWaiting } from './unavailable-server.ts';
import { addPageRoutes } from '../web/page-routes.ts';
import type { RouteContext } from '../monitor/http/route-types.ts';

export { startWaiting };
export type { ListenOptions, RouteContext, WebServer };

/** All routes, for other servers. */
export const WEB: ServerRoutes = { api: [apiRoutes], pages: [addPageRoutes] };

/** Serves only metrics and health, with the same access rules. */
export async function startMetrics(home: RouteContext, at: ListenOptions): Promise<WebServer> {
  const http = { ...at, baseUrl: undefined };
  const ctx = { ...home.ctx, config: { ...home.ctx.config, http } };
  return startHttpServer({ ...home, ctx }, { api: [], pages: [] });
}

/**
 * Requests and runs use separate connections, so that runs never wait for a request. One visitor cannot use all of them: a
 * page runs a handful of queries at once. Two are reserved for authentication, readiness and the feed.
 */
const CONNECTIONS = { pool: 10, all: 8, each: 4 };
/** People do not wait longer; exports take longer, but have their own connection. */
const STATEMENT_MS = 20 * SECOND;
const WAIT_MS = 10 * SECOND;

/** @throws Refused `unavailable` when it cannot listen */
export async function startWeb(home: RouteContext & Pick<Program, 'databaseUrl'>): Promise<WebServer> {
  const { pool: max, ...each } = CONNECTIONS;
  const db = openDatabase(home.databaseUrl, {
    log: home.ctx.log,
    name: 'strandline web',
    max,
    statementMs: STATEMENT_MS,
    shares: { ...each, waitMs: WAIT_MS, who: getCurrentVisitorKey },
  });
  try {
    const server = await startHttpServer({ ...home, ctx: { ...home.ctx, db } }, WEB);
    let closed: Promise<void> | undefined;
    const close = async () => {
      await server.close();
      await db.close();
    };
    return { ...server, close: () => (closed ??= close()) };
  } catch (error) {
    await db.close();
    throw error;
  }
}
