/** The dashboard and the API at one address, for `up`, `serve` and tests. It imports half of the program, so only commands that serve load it. */
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

/** Everything that is served, for whoever serves it otherwise. */
export const WEB: ServerRoutes = { api: [apiRoutes], pages: [addPageRoutes] };

/** Figures and health alone, under the same rules. */
export async function startMetrics(home: RouteContext, at: ListenOptions): Promise<WebServer> {
  const http = { ...at, baseUrl: undefined };
  const ctx = { ...home.ctx, config: { ...home.ctx.config, http } };
  return startHttpServer({ ...home, ctx }, { api: [], pages: [] });
}

/**
 * Connections for requests are separate from those for runs, so that runs never wait for a request. No visitor holds all of
 * them: a page runs a handful of queries at once. Two are left for the program itself: authentication, readiness and the feed.
 */
const CONNECTIONS = { pool: 10, all: 8, each: 4 };
/** A reader does not wait longer, and what takes longer is an export, which has a connection of its own. */
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
