/** How this process reaches each service: the hosted one at its address, the sandbox in a server of its own. */
import { randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import type { Clock } from './engine/clock.ts';
import type { Logger } from './engine/logger.ts';
import { RunError } from './errors.ts';
import type { Context } from './monitor/context.ts';
import { createKeyVerifier } from './service/key-verifier.ts';
import { SANDBOX_PATH, type Service, startService } from './service/server.ts';
import { VERSION } from './version.ts';

/** What the sandbox has to show to somebody who is new. */
export { SAMPLE_TOPIC } from './service/sandbox/topics.ts';
/** Below this path the simulation answers. */
export { SANDBOX_PATH } from './service/server.ts';
/** What a key of the service looks like is known to the service alone. */
export { keyIdOf, makeKey } from './service/keys.ts';

export type ServiceAccess = {
  endpoint: Context['endpoint'];
  /** Starts the local service where it does not run yet. */
  local(): Promise<Service>;
  close(): Promise<void>;
};

export type ServiceAccessOptions = {
  config: Config;
  clock: Clock;
  log: Logger;
  /** Open the service at its own port, for others too; otherwise it listens at any free port, for this process alone. */
  open: boolean;
  /** Looks up the hash of a key that was made by `service key create`. */
  findKeyHash: (id: string) => Promise<Uint8Array | undefined>;
};

/** The monitor beside it may ask as often as its searches want; 1,000 a second is what two cores answer. */
const RATE = { perMinute: 60_000, burst: 10_000 };

/**
 * The simulation is a pure function of its seed and the time, so every process may answer itself: a
 * server on loopback, started when it is first needed, with a key that only this process knows. It is
 * spoken to over HTTP as any service is.
 */
export function accessServices(options: ServiceAccessOptions): ServiceAccess {
  const { config, clock, log, open, findKeyHash } = options;
  const key = randomBytes(24).toString('base64url');
  let started: Promise<Service> | undefined;

  function local(): Promise<Service> {
    const keys = createKeyVerifier({
      rawKeys: open ? [key, ...config.service.keys] : [key],
      findKeyHash,
      clock,
    });
    const at = open
      ? { host: config.http.host, port: config.service.port, portAsked: config.service.portAsked }
      : { host: '127.0.0.1', port: 0, portAsked: true };
    // A start that failed is tried again by whoever asks next.
    started ??= startService({ ...at, clock, log, keys, rate: RATE, version: VERSION }).catch(
      (error: unknown) => {
        started = undefined;
        throw error;
      },
    );
    return started;
  }

  return {
    local,
    endpoint: async (kind) => {
      switch (kind) {
        case 'hosted':
          if (config.hosted === undefined)
            throw new RunError('service_unknown', { detail: 'SEARCH_API_URL is not set' });
          return { baseUrl: config.hosted.url, prefix: config.hosted.prefix, key: config.hosted.key };
        case 'sandbox': {
          const { port } = await local();
          return { baseUrl: `http://127.0.0.1:${port}${SANDBOX_PATH}`, prefix: undefined, key };
        }
        case 'own':
          throw new RunError('conn_refused', {
            detail: 'the own service has no live source in this version',
          });
      }
    },
    close: async () => {
      if (started === undefined) return;
      const service = await started.catch(() => null);
      await service?.close();
    },
  };
}
