/** How this process reaches each service: the hosted one at its address, the sandbox in a server of its own. */
import { randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import type { Clock } from './engine/clock.ts';
import type { Logger } from './engine/logger.ts';
import { RunError } from './errors.ts';
import type { Endpoint } from './monitor/context.ts';
import { SANDBOX_PATH, type Service, startService } from './service/server.ts';
import type { ServiceKind } from './store/services.ts';

export type ServiceAccess = {
  endpoint(kind: ServiceKind): Promise<Endpoint>;
  close(): Promise<void>;
};

/** The local server answers this process alone, so nothing but the machine bounds it. */
const UNBOUNDED = { perMinute: 1_000_000, burst: 1_000_000 };

/**
 * The simulation is a pure function of its seed and the time, so every process may answer itself: a
 * server on loopback, started when it is first needed, with a key that only this process knows. It is
 * spoken to over HTTP as any service is.
 */
export function endpoints(options: { config: Config; clock: Clock; log: Logger }): ServiceAccess {
  const { config, clock, log } = options;
  const key = randomBytes(24).toString('base64url');
  let local: Promise<Service> | undefined;

  function start(): Promise<Service> {
    const keys = { verify: (raw: string) => Promise.resolve(raw === key) };
    return startService({ host: '127.0.0.1', port: 0, portAsked: true, clock, log, keys, rate: UNBOUNDED });
  }

  return {
    endpoint: async (kind) => {
      switch (kind) {
        case 'hosted':
          if (config.hosted === undefined) throw new RunError('conn_refused', { detail: 'SEARCH_API_URL is not set' });
          return { baseUrl: config.hosted.url, prefix: config.hosted.prefix, key: config.hosted.key };
        case 'sandbox': {
          local ??= start();
          return { baseUrl: `${(await local).url}${SANDBOX_PATH}`, prefix: undefined, key };
        }
        case 'own':
          throw new RunError('conn_refused', { detail: 'the own service has no live source in this version' });
      }
    },
    close: async () => {
      if (local !== undefined) await (await local).close();
    },
  };
}
