/**
 * Takes requests of commands in the server that owns the data directory: the API, without limits of requests, on loopback only,
 * for whoever has the key in `server.json`.
 */

import type { CommandApi } from '../app/command-api.ts';
import type { Program } from '../app/program.ts';
import { VERSION } from '../config/version.ts';
import { Refused } from '../model/errors.ts';
import { SECOND } from '../lib/time.ts';
import { hashKey, isKeyOf, keyOfHeader } from '../platform/keys.ts';
import { recordServer } from './running-server.ts';
import { describeSettings } from './shell-settings.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

export type CommandServer = {
  /** Takes no more requests, and resolves when the current ones have ended. */
  close(): Promise<void>;
};

/** Arguments of a command may be long. */
const MAX_HEADER_BYTES = 256 * 1_024;
/** How long requests may take to end. */
const CLOSE_MS = 6 * SECOND;

type ServedPrograms = { real: Program; sandbox: Program | null };
type OpenApi = (programs: ServedPrograms, key: string, dashboard: string | null) => Promise<CommandApi>;

/**
 * @param dashboard its address; null if there is none
 * @returns null with an external database: no program owns the data directory
 */
export async function serveCommands(
  programs: ServedPrograms,
  dashboard: string | null,
  openApi: OpenApi = openCommandApi,
): Promise<CommandServer | null> {
  const { ctx, embedded } = programs.real;
  if (embedded === null) return null;
  const { config, log } = ctx;
  const key = randomBytes(32).toString('base64url');
  config.secrets.push(key);
  let api: Promise<CommandApi> | undefined;
  const keyHash = hashKey(key);
  /** Opened by the first request. */
  const openApiOnce = () =>
    (api ??= openApi(programs, key, dashboard).catch((error: unknown) => {
      api = undefined;
      throw error;
    }));

  const options = { requestTimeout: 0, keepAliveTimeout: 1, maxHeaderSize: MAX_HEADER_BYTES };
  const server = createServer(options, (request, response) => {
    if (!isKeyOf(keyOfHeader(request.headers.authorization) ?? '', keyHash))
      return void response.writeHead(404, { connection: 'close' }).end('not found\n');
    return void openApiOnce().then(
      ({ handle }) => handle(request, response),
      (error: unknown) => {
        log.error({ err: error }, 'the API for commands was not opened');
        response.destroy();
      },
    );
  });

  const port = await listen(server);
  const settings = await describeSettings(config, key);
  const own = { pid: process.pid, version: VERSION, dashboard, port, key, settings };
  const forget = await recordServer(config.dataDir, own).catch((error: unknown) => {
    server.close();
    throw error;
  });
  return {
    close: async () => {
      await forget();
      server.close();
      // A request that waits for a service does not hold up the end of the server.
      const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
      await (await api?.catch(() => undefined))?.close();
      clearTimeout(cut);
      server.closeAllConnections();
    },
  };
}

/** Loaded lazily: a worker has no other API. */
const openCommandApi: OpenApi = async (...args) =>
  (await import('../app/command-api.ts')).openCommandApi(...args);

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null)
    throw new Refused('unavailable', 'no loopback address');
  return address.port;
}
