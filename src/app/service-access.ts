/** How this process reaches each service: the hosted one at its address, the others in a server of its own. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { InvalidInput, RunError } from '../domain/errors.ts';
import type { Context } from '../monitor/context.ts';
import { LIVE_PATH, SANDBOX_PATH } from '../service/ports.ts';
import type { ServedRequest, SourceHealth } from '../protocol/service-status.ts';
import type { Service } from '../service/service-server.ts';
import type { OpenedSources, ProbeResult } from '../service/sources/source-setup.ts';
import type { Database } from '../store/database.ts';
import { findToken, touchToken } from '../store/tokens.ts';
import { VERSION } from '../config/version.ts';

export type { ProbeResult } from '../service/sources/source-setup.ts';
/** What the sandbox has to show to somebody who is new. */
export { SAMPLE_TOPIC } from '../service/sandbox/simulated-topic.ts';

export type ServiceAccess = {
  endpoint: Context['endpoint'];
  ownSources: Context['ownSources'];
  /** Asks the public sources that need no key whether they answer; once, and for two seconds at most. */
  probe(): Promise<readonly ProbeResult[]>;
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

type ServiceAccessOptions = {
  config: Config;
  clock: Clock;
  log: Logger;
  /** Keeps its keys, its sources' allowances and what was collected. */
  db: Database;
  /** Open the service at its own port, for others too; otherwise it listens at any free port, for this process alone. */
  open: boolean;
  /** Loads what is told of each request that the service of this process answered or refused. */
  loadMeter?: () => Promise<(answered: ServedRequest) => void>;
};

function loadServer() {
  return Promise.all([import('../service/service-server.ts'), import('../service/key-gate.ts')]);
}

function loadSources() {
  return Promise.all([import('../service/sources/source-setup.ts'), import('./service-ports.ts')]);
}

/** Loads what the local service takes, for a process that is about to start it. */
export async function loadService(): Promise<void> {
  await Promise.all([loadServer(), loadSources()]);
}

/** Ten seconds' worth of calls may come at once. */
const BURSTS = 6;

/**
 * Every process may answer itself: a server on loopback, started when it is first needed, with a key that
 * only this process knows. It is spoken to over HTTP as any service is. What several processes must share,
 * allowances above all, they share in the database. Most processes never answer themselves: what that takes is loaded by
 * those that do.
 */
export function accessServices(options: ServiceAccessOptions): ServiceAccess {
  const { config, clock, log, db, open, loadMeter } = options;
  const { sources: settings, model, webGroup, callsPerMinute } = config.service;
  const key = randomBytes(24).toString('base64url');
  const invented = settings.wanted.includes('sandbox');
  /** Named by the user: these are asked whether or not they answered at the start. */
  const named = settings.wanted.some((name) => name !== 'auto' && name !== 'sandbox');
  let opened: Promise<OpenedSources> | undefined;
  let probed: Promise<readonly ProbeResult[]> | undefined;
  let started: Promise<LocalService> | undefined;

  async function openOwn() {
    const [{ openSources }, { createServicePorts }] = await loadSources();
    return openSources(settings, { clock, log, ports: createServicePorts(db, clock), version: VERSION });
  }

  function sources() {
    opened ??= openOwn();
    return opened;
  }

  function probe() {
    probed ??= sources().then((own) => own.probe());
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
    const [[{ startService }, { createKeyVerifier }], onAnswered, own] = await Promise.all([
      loadServer(),
      loadMeter?.(),
      sources(),
    ]);
    const keys = createKeyVerifier({
      rawKeys: open ? [key, ...config.service.keys] : [key],
      findKeyHashes: async (prefix) => (await findKey(prefix))?.keyHashes ?? [],
      // Nobody waits for it and nobody is told where it fails: an answer matters more than when a key was used.
      onKeyUsed: (prefix) => void touchKey(prefix).catch(() => {}),
      clock,
    });
    const at = open
      ? { host: config.http.host, port: config.service.port, portAsked: config.service.portAsked }
      : { host: '127.0.0.1', port: 0, portAsked: true };
    // Nobody else sees the root of a service that this process keeps to itself.
    const root = open && (await ownSources()) === 'answering' ? 'live' : 'sandbox';
    const service = await startService({
      ...at,
      clock,
      log,
      keys,
      ownKey: key,
      rate: { perMinute: callsPerMinute, burst: Math.ceil(callsPerMinute / BURSTS) },
      version: VERSION,
      webGroup,
      health: own.health,
      ...(onAnswered === undefined ? {} : { onAnswered }),
      ...(root === 'live' ? { sources: own.sources } : {}),
      ...(invented ? {} : { live: own.sources }),
      ...(model === undefined ? {} : { model: await openModel(model, clock) }),
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
    const { url } = await local().catch((error: unknown) => {
      if (!(error instanceof InvalidInput)) throw error;
      throw new RunError('service_unknown', { detail: error.message });
    });
    return { baseUrl: `${url}${path}`, prefix: undefined, key };
  };

  return {
    local,
    probe,
    health: async () => (await sources()).health(),
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
      const own = await opened?.catch(() => null);
      await own?.close();
    },
  };
}

/** One that has a key was set by its user to be asked; one without has to show that it can be reached. */
function answers({ outcome }: ProbeResult): boolean {
  return outcome === 'reachable' || outcome === 'unasked';
}

async function openModel(settings: NonNullable<Config['service']['model']>, clock: Clock) {
  const { createLanguageModel, createRestingModel } = await import('../service/answering/language-model.ts');
  return createRestingModel(createLanguageModel(settings), clock);
}
