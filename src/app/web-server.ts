/** The dashboard and the API on one port, for `up`, `serve` and tests. Large: only commands that serve load it. */
import { type Database, openDatabase } from '../store/db/database.ts';
import type { Program } from './program.ts';
import { SECOND } from '../lib/time.ts';
import { getCurrentVisitorKey } from '../monitor/http/visitor-shares.ts';
import { apiRoutes } from '../api/api-routes.ts';
import { mcpRoutes } from '../mcp/mcp-routes.ts';
import { type ServerRoutes, startHttpServer, type WebServer } from './http-server.ts';
import { type ListenOptions, startWaiting } from './unavailable-server.ts';
import { addPageRoutes } from '../web/page-routes.ts';
import type { RouteContext } from '../monitor/http/route-types.ts';
import { readSampleLines } from '../web/overview/sample-lines.ts';
import { SAMPLE_TOPIC } from './service-access.ts';

export { startWaiting };
export type { ListenOptions, RouteContext, WebServer };

/** All routes, for other servers. */
export const WEB: ServerRoutes = { api: [apiRoutes, mcpRoutes], pages: [addPageRoutes] };

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
/** Fewer visitors, and less data. */
const SANDBOX_CONNECTIONS: typeof CONNECTIONS = { pool: 6, all: 4, each: 3 };
/** People do not wait longer; exports take longer, but have their own connection. */
const STATEMENT_MS = 20 * SECOND;
const WAIT_MS = 10 * SECOND;

type WebProgram = RouteContext & Pick<Program, 'databaseUrl'>;

/**
 * @param sandbox served at `/sandbox`; null if there is none
 * @throws Refused `unavailable` when it cannot listen
 */
export async function startWeb(home: WebProgram, sandbox: WebProgram | null = null): Promise<WebServer> {
  const pools: Database[] = [];
  const connect = (program: WebProgram, connections: typeof CONNECTIONS): RouteContext => {
    const db = openPool(program, connections);
    pools.push(db);
    return { ...program, ctx: { ...program.ctx, db } };
  };
  const closePools = async () => void (await Promise.all(pools.map((db) => db.close())));
  try {
    const mounted = sandbox === null ? undefined : connect(sandbox, SANDBOX_CONNECTIONS);
    const real = connect(home, CONNECTIONS);
    const server =
      mounted === undefined
        ? await startHttpServer(real, WEB)
        : await startHttpServer({ ...real, sample: () => readSample(mounted) }, WEB, { sandbox: mounted });
    let closed: Promise<void> | undefined;
    const close = async () => {
      await server.close();
      await closePools();
    };
    return { ...server, close: () => (closed ??= close()) };
  } catch (error) {
    await closePools();
    throw error;
  }
}

/** A sandbox that is away takes nothing from the overview but its sample; its own pages say why. */
async function readSample({ ctx }: RouteContext) {
  return readSampleLines(ctx, SAMPLE_TOPIC).catch((error: unknown) => {
    ctx.log.warn({ err: error }, 'sample not read');
    return null;
  });
}

function openPool({ databaseUrl, ctx }: WebProgram, { pool: max, ...each }: typeof CONNECTIONS): Database {
  return openDatabase(databaseUrl, {
    log: ctx.log,
    name: 'strandline web',
    max,
    statementMs: STATEMENT_MS,
    shares: { ...each, waitMs: WAIT_MS, who: getCurrentVisitorKey },
  });
}
