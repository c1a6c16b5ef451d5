/** Finding a port to listen at, for the servers of this program. */
import type { FastifyInstance } from 'fastify';
import { Refused } from '../domain/errors.ts';

/** How many ports after the default one are tried. */
const MAX_PORTS_TRIED = 100;

/**
 * Listens at the port, or, when it is only a default and taken, at the next free one. Each attempt gets a
 * server of its own: one that failed to listen cannot try again.
 * @param at.what who wants to listen, for the words of a refusal: `the search service`
 * @throws Refused `unavailable` when the port was asked for and is taken, or none can be had
 */
export async function listenAt(
  build: () => Promise<FastifyInstance>,
  { what, host, port, portAsked }: { what: string; host: string; port: number; portAsked: boolean },
): Promise<{ app: FastifyInstance; port: number }> {
  const last = portAsked || port === 0 ? port : Math.min(65_535, port + MAX_PORTS_TRIED);
  for (let next = port; ; next++) {
    const app = await build();
    try {
      await app.listen({ host, port: next });
      const address = app.server.address();
      return { app, port: typeof address === 'object' && address !== null ? address.port : next };
    } catch (error) {
      await app.close();
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      if (code === 'EADDRINUSE' && next < last) continue;
      throw new Refused('unavailable', describeListenFailure(what, code, host, port, portAsked));
    }
  }
}

function describeListenFailure(
  what: string,
  code: string,
  host: string,
  port: number,
  portAsked: boolean,
): string {
  if (code !== 'EADDRINUSE') return `${what} cannot listen at ${host}:${port} (${code})`;
  return portAsked
    ? `port ${port} of ${host} is taken; ${what} was asked to use it and no other`
    : `no free port for ${what} from ${port} on at ${host}`;
}

/** The address as a client writes it. */
export function formatAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
