/** The dashboard and the API at one address, put together. Half of the program is behind it: only commands that serve load it. */
import { openDatabase } from './store/database.ts';
import type { Home } from './home.ts';
import { SECOND } from './engine/clock.ts';
import { whoAsks } from './doors/http/access/asking.ts';
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

/**
 * Connections for requests are separate from those for runs, so that runs never wait for a request. No visitor holds all of
 * them: a page runs a handful of queries at once. Two are left for the program itself: authentication, readiness and the feed.
 */
const CONNECTIONS = { pool: 10, all: 8, each: 4 };
/** A reader does not wait longer, and what takes longer is an export, which has a connection of its own. */
const STATEMENT_MS = 20 * SECOND;
const WAIT_MS = 10 * SECOND;

/** @throws Refused `unavailable` when it cannot listen */
export async function startWeb(home: WebHome & Pick<Home, 'databaseUrl'>): Promise<WebServer> {
  const { pool: max, ...each } = CONNECTIONS;
  const db = openDatabase(home.databaseUrl, {
    log: home.ctx.log,
    name: 'strandline web',
    max,
    statementMs: STATEMENT_MS,
    shares: { ...each, waitMs: WAIT_MS, who: whoAsks },
  });
  try {
    const server = await startHttp({ ...home, ctx: { ...home.ctx, db } }, WEB);
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
