/** How this process reaches each service: the hosted one at its URL, the others in a server of this process. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { SECOND } from '../domain/time.ts';
import { type Clock, monotonicMs } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { InvalidInput, RunError } from '../domain/errors.ts';
import type { Context } from '../monitor/context.ts';
import { LIVE_PATH, SANDBOX_PATH } from '../service/ports.ts';
import type { ServedRequest, SourceHealth } from '../protocol/service-status.ts';
import type { Service } from '../service/service-server.ts';
import type { OpenedSources, ProbeResult } from '../service/sources/source-setup.ts';
import type { Database } from '../store/database.ts';
import { readHostedSilences } from '../store/queries/run-tools.ts';
import { findToken, touchToken } from '../store/tokens.ts';
import { VERSION } from '../config/version.ts';

export type { ProbeResult } from '../service/sources/source-setup.ts';
/** The sandbox's sample topic for new users. */
export { SAMPLE_TOPIC } from '../service/sandbox/simulated-topic.ts';

export type ServiceAccess = {
  endpoint: Context['endpoint'];
  ownSources: Context['ownSources'];
  missingTools: Context['missingTools'];
  /**
   * Checks, for at most two seconds, whether the keyless public sources respond. Checks again if none did and somebody asks half a
   * minute later, or with `again`.
   */
  probe(options?: { again: boolean }): Promise<readonly ProbeResult[]>;
  /** Every public source with its health as seen by this process; sends no requests. */
  health(): Promise<readonly SourceHealth[]>;
  /** Starts the local service if it is not running. */
  local(): Promise<LocalService>;
  close(): Promise<void>;
};

export type LocalService = Service & {
  /** What its root serves: public sources, or the simulation if none responded at startup. */
  root: 'live' | 'sandbox';
};

type ServiceAccessOptions = {
  config: Config;
  clock: Clock;
  log: Logger;
  /** Stores its keys, its sources' allowances and the archive. */
  db: Database;
  /** Listen on the service's own port, for other clients too; otherwise on any free port, for this process only. */
  open: boolean;
  /** Loads the callback that receives each request that this process's service answered or rejected. */
  loadMeter?: () => Promise<(answered: ServedRequest) => void>;
};

function loadServer() {
  return Promise.all([import('../service/service-server.ts'), import('../service/key-gate.ts')]);
}

function loadSources() {
  return Promise.all([import('../service/sources/source-setup.ts'), import('./service-ports.ts')]);
}

/** Preloads the modules of the local service. */
export async function loadService(): Promise<void> {
  await Promise.all([loadServer(), loadSources()]);
}

/** A server that was started without a network must notice when it has one. */
const PROBE_AGAIN_MS = 30 * SECOND;

/** Allows bursts of ten seconds' worth of calls. */
const BURSTS = 6;

/**
 * Every process can run the service itself: a server on loopback, started on first use, with a key that only this process
 * knows, and called over HTTP like any service. Shared state, such as allowances, is in the database. The modules are
 * loaded only by processes that use it.
 */
export function accessServices(options: ServiceAccessOptions): ServiceAccess {
  const { config, clock, log, db, open, loadMeter } = options;
  const { sources: settings, model, webGroup, callsPerMinute } = config.service;
  const key = randomBytes(24).toString('base64url');
  const invented = settings.wanted.includes('sandbox');
  /** Named by the user: used whether or not they responded at startup. */
  const named = settings.wanted.some((name) => name !== 'auto' && name !== 'sandbox');
  let opened: Promise<OpenedSources> | undefined;
  let probed: { at: number; results: Promise<readonly ProbeResult[]> } | undefined;
  let started: Promise<LocalService> | undefined;
  let prepared: Promise<void> | undefined;

  async function openOwn() {
    const [{ openSources }, { createServicePorts }] = await loadSources();
    return openSources(settings, { clock, log, ports: createServicePorts(db, clock), version: VERSION });
  }

  function sources() {
    opened ??= openOwn();
    return opened;
  }

  async function probe({ again } = { again: false }) {
    const now = monotonicMs();
    if (again) probed = undefined;
    if (probed !== undefined && now - probed.at > PROBE_AGAIN_MS && !(await probed.results).some(answers))
      probed = undefined;
    probed ??= { at: now, results: sources().then((own) => own.probe()) };
    return probed.results;
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
      // Not awaited, and errors are ignored: the response matters more than the time a key was last used.
      onKeyUsed: (prefix) => void touchKey(prefix).catch(() => {}),
      clock,
    });
    const at = open
      ? { host: config.http.host, port: config.service.port, portAsked: config.service.portAsked }
      : { host: '127.0.0.1', port: 0, portAsked: true };
    // The root matters only if other clients can reach the service.
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
      trustedProxies: config.trustedProxies,
      health: own.health,
      ...(onAnswered === undefined ? {} : { onAnswered }),
      ...(root === 'live' ? { sources: own.sources } : {}),
      ...(invented ? {} : { live: own.sources }),
      ...(model === undefined ? {} : { model: await openModel(model, clock) }),
    });
    return { ...service, root };
  }

  function local() {
    // The next call retries a failed start.
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
    missingTools: async (kind) => {
      if (kind === 'hosted') return readHostedSilences(db);
      return kind === 'own' && !invented ? (await sources()).missing : [];
    },
    endpoint: async (kind) => {
      switch (kind) {
        case 'hosted':
          if (config.hosted === undefined)
            throw new RunError('service_unknown', { detail: 'SEARCH_API_URL is not set' });
          return { baseUrl: config.hosted.url, prefix: config.hosted.prefix, key: config.hosted.key };
        case 'sandbox':
          return below(SANDBOX_PATH);
        case 'own':
          // Never return simulated data to a search of real data.
          if (invented)
            throw new RunError('service_unknown', {
              detail: 'SERVICE_SOURCES is sandbox, which excludes public sources',
            });
          // Starts with the server, so that the first search does not wait for it. The server itself reports invalid sources.
          prepared ??= sources()
            .then((own) => own.prepare())
            .catch(() => {});
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

/** A source with a key was configured by the user; one without must respond to the probe. */
function answers({ outcome }: ProbeResult): boolean {
  return outcome === 'reachable' || outcome === 'unasked';
}

async function openModel(settings: NonNullable<Config['service']['model']>, clock: Clock) {
  const { createLanguageModel, createRestingModel } = await import('../service/answering/language-model.ts');
  return createRestingModel(createLanguageModel(settings), clock);
}
