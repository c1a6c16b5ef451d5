/** The API for commands beside a server: the same routes, without limits of requests, for whoever has the key in `server.json`. */
import { mcpRoutes } from '../mcp/mcp-routes.ts';
import { apiRoutes } from '../api/api-routes.ts';
import { SANDBOX_MOUNT } from '../model/mount.ts';
import { formatAddress } from '../platform/listen.ts';
import { buildHttpServer, type ServerRoutes, splitRequests } from './http-server.ts';
import type { Program } from './program.ts';
import type { RequestListener } from 'node:http';

export type CommandApi = { handle: RequestListener; close(): Promise<void> };

const ROUTES: ServerRoutes = { api: [apiRoutes, mcpRoutes], pages: [] };
/** A person at this machine is not counted; arguments may be long, and contain a file. */
const LIMITS = {
  perMinute: 1_000_000,
  runsPerMinute: 1_000_000,
  pathParameter: 8_000,
  bodyBytes: 8_000_000,
};

/** @param dashboard its address; null if there is none */
export async function openCommandApi(
  { real, sandbox }: { real: Program; sandbox: Program | null },
  key: string,
  dashboard: string | null,
): Promise<CommandApi> {
  const { host, port } = real.ctx.config.http;
  const publicBase = dashboard ?? formatAddress(host, port);
  const mounted =
    sandbox === null
      ? undefined
      : await buildHttpServer(
          { ...sandbox, mount: SANDBOX_MOUNT, publicBase: `${publicBase}${SANDBOX_MOUNT}` },
          ROUTES,
          LIMITS,
          { commandKey: key },
        );
  const home = { ...real, publicBase, sandbox: mounted === undefined ? null : SANDBOX_MOUNT };
  const app = await buildHttpServer(home, ROUTES, LIMITS, { commandKey: key });
  const handle: RequestListener = (request, response) => app.routing(request, response);
  return {
    handle: mounted === undefined ? handle : splitRequests(handle, mounted),
    close: async () => void (await Promise.all([app.close(), mounted?.close()])),
  };
}
