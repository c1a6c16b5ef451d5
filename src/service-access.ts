/** How this process reaches each service: the hosted one at its address, the others in a server of its own. */
import { randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import type { Clock } from './engine/clock.ts';
import type { Logger } from './engine/logger.ts';
import { RunError } from './errors.ts';
import type { Context } from './monitor/context.ts';
import { languageModel } from './service/answer/model.ts';
import { restingModel } from './service/answer/resting-model.ts';
import { createKeyVerifier } from './service/key-verifier.ts';
import { LIVE_PATH, SANDBOX_PATH } from './service/mounts.ts';
import type { Answered, Service } from './service/server.ts';
import { openSources, type SourceHealth } from './service/sources/open.ts';
import type { Probed } from './service/sources/probe.ts';
import { chooseSources } from './service/sources/registry.ts';
import { portsOf } from './service-ports.ts';
import type { Database } from './store/database.ts';
import { findToken, touchToken } from './store/tokens.ts';
import { VERSION } from './version.ts';

export type { Answered } from './service/server.ts';
export type { SourceHealth } from './service/sources/open.ts';
export type { Probed } from './service/sources/probe.ts';
/** What the sandbox has to show to somebody who is new. */
export { SAMPLE_TOPIC } from './service/sandbox/topics.ts';

export type ServiceAccess = {
  endpoint: Context['endpoint'];
  ownSources: Context['ownSources'];
  /** Asks the public sources that need no key whether they answer; once, and for two seconds at most. */
  probe(): Promise<readonly Probed[]>;
  /** Every public source, and how it has been in this process; nobody is asked. */
  health(): Promise<readonly SourceHealth[]>;
  /** Starts the local service where it does not run yet. */
  local(): Promise<LocalService>;
  close(): Promise<void>;
};

export type LocalService = Service & {
  /** What answers at its root: public sources, or the simulation where none of them answered at the start. */
  root: 'live' | 'sandbox';
};

export type ServiceAccessOptions = {
  config: Config;
  clock: Clock;
  log: Logger;
  /** Keeps its keys, its sources' allowances and what was collected. */
  db: Database;
  /** Open the service at its own port, for others too; otherwise it listens at any free port, for this process alone. */
  open: boolean;
  /** Told of each request that the service of this process answered or refused. */
  onAnswered?: (answered: Answered) => void;
};

/** @throws InvalidInput for a source in `SERVICE_SOURCES` that is not known, or whose key is not set */
export function assertSources({ service }: Pick<Config, 'service'>): void {
  chooseSources(service.sources, VERSION);
}

/** Ten seconds' worth of calls may come at once. */
const BURSTS = 6;

/**
 * Every process may answer itself: a server on loopback, started when it is first needed, with a key that
 * only this process knows. It is spoken to over HTTP as any service is. What several processes must share,
 * allowances above all, they share in the database.
 * @throws InvalidInput for a source in `SERVICE_SOURCES` that is not known, or whose key is not set
 */
export function accessServices(options: ServiceAccessOptions): ServiceAccess {
  const { config, clock, log, db, open, onAnswered } = options;
  const { sources: settings, model, webGroup, callsPerMinute } = config.service;
  const key = randomBytes(24).toString('base64url');
  const opened = openSources(settings, { clock, log, ports: portsOf(db, clock), version: VERSION });
  const invented = settings.wanted.includes('sandbox');
  /** Named by the user: these are asked whether or not they answered at the start. */
  const named = settings.wanted.some((name) => name !== 'auto' && name !== 'sandbox');
  let probed: Promise<readonly Probed[]> | undefined;
  let started: Promise<LocalService> | undefined;

  function probe() {
    probed ??= opened.probe();
    return probed;
  }

  async function ownSources() {
    if (invented) return 'none';
    return named || (await probe()).some(answers) ? 'answering' : 'silent';
  }

  const findKey = (prefix: string) => findToken(db, 'service', prefix, clock.now());

  async function touchKey(prefix: string): Promise<void> {
    const found = await findKey(prefix);
    if (found !== undefined) await touchToken(db, found, clock.now());
  }

  async function start(): Promise<LocalService> {
    const keys = createKeyVerifier({
      rawKeys: open ? [key, ...config.service.keys] : [key],
      findKeyHashes: async (prefix) => (await findKey(prefix))?.keyHashes ?? [],
      // Nobody waits for it and nobody is told where it fails: an answer matters more than when a key was used.
      tellUsed: (prefix) => void touchKey(prefix).catch(() => {}),
      clock,
    });
    const at = open
      ? { host: config.http.host, port: config.service.port, portAsked: config.service.portAsked }
      : { host: '127.0.0.1', port: 0, portAsked: true };
    // Nobody else sees the root of a service that this process keeps to itself.
    const root = open && (await ownSources()) === 'answering' ? 'live' : 'sandbox';
    // Most processes never answer themselves: what that takes is loaded by those that do.
    const { startService } = await import('./service/server.ts');
    const service = await startService({
      ...at,
      clock,
      log,
      keys,
      ownKey: key,
      rate: { perMinute: callsPerMinute, burst: Math.ceil(callsPerMinute / BURSTS) },
      version: VERSION,
      webGroup,
      health: opened.health,
      ...(onAnswered === undefined ? {} : { onAnswered }),
      ...(root === 'live' ? { sources: opened.sources } : {}),
      ...(invented ? {} : { live: opened.sources }),
      ...(model === undefined ? {} : { model: restingModel(languageModel(model), clock) }),
    });
    return { ...service, root };
  }

  function local() {
    // A start that failed is tried again by whoever asks next.
    started ??= start().catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  }

  const below = async (path: string) => {
    const { url } = await local();
    return { baseUrl: `${url}${path}`, prefix: undefined, key };
  };

  return {
    local,
    probe,
    health: opened.health,
    ownSources,
    endpoint: async (kind) => {
      switch (kind) {
        case 'hosted':
          if (config.hosted === undefined)
            throw new RunError('service_unknown', { detail: 'SEARCH_API_URL is not set' });
          return { baseUrl: config.hosted.url, prefix: config.hosted.prefix, key: config.hosted.key };
        case 'sandbox':
          return below(SANDBOX_PATH);
        case 'own':
          // What began with what is real never gets what is invented.
          if (invented)
            throw new RunError('service_unknown', {
              detail: 'SERVICE_SOURCES is sandbox: no public source is asked',
            });
          return below(LIVE_PATH);
      }
    },
    close: async () => {
      const service = await started?.catch(() => null);
      await service?.close();
      await opened.close();
    },
  };
}

/** One that has a key was set by its user to be asked; one without has to show that it can be reached. */
function answers({ outcome }: Probed): boolean {
  return outcome === 'reachable' || outcome === 'unasked';
}
