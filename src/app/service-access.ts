/** How this process reaches each service: the hosted one at its URL, the others in a server of this process. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { AskedSource } from '../model/asked-source.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { type Clock, monotonicMs } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { InvalidInput, RunError } from '../model/errors.ts';
import type { Context } from '../monitor/context.ts';
import { LIVE_PATH, SANDBOX_PATH } from '../service/ports.ts';
import type { ServedRequest, SourceHealth } from '../protocol/service-status.ts';
import type { MeteredModel } from '../service/answering/metered-model.ts';
import type { Service } from '../service/service-server.ts';
import type { OpenedSources, ProbeResult } from '../service/sources/source-setup.ts';
import type { Database } from '../store/db/database.ts';
import { readMissingHostedTools } from '../store/queries/run-tools.ts';
import type { ServiceKind } from '../model/closed-lists.ts';
import { findToken, touchToken } from '../store/access/tokens.ts';
import { VERSION } from '../config/version.ts';

export type { ProbeResult } from '../service/sources/source-setup.ts';
/** The sandbox's sample topic for new users. */
export { SAMPLE_TOPIC } from '../service/sandbox/simulated-topic.ts';

export type ServiceAccess = {
  endpoint: Context['endpoint'];
  ownSources: Context['ownSources'];
  missingTools: Context['missingTools'];
  serviceSources: Context['serviceSources'];
  progress: Context['progress'];
  /**
   * Checks whether the keyless public sources respond: at first for at most two seconds, later for ten, since a program without
   * a network may have a slow one next. Checks again if none did and somebody asks a minute later, or with `again`.
   */
  probe(options?: { again: boolean }): Promise<readonly ProbeResult[]>;
  /**
   * Probes every minute while no public source responds.
   * @param onReachable called once, when one responds that did not at first
   */
  watchSources(onReachable: (probed: readonly ProbeResult[]) => void): void;
  /** Every public source with its health as seen by this process; sends no requests. */
  health(): Promise<readonly SourceHealth[]>;
  /** Starts the local service if it is not running. */
  local(): Promise<LocalService>;
  close(): Promise<void>;
};

export type LocalService = Service;

type ServiceAccessOptions = {
  config: Config;
  clock: Clock;
  log: Logger;
  /** Stores its keys, its sources' allowances and the archive. */
  db: Database;
  /** Listen on the service's own port, for other clients too; otherwise on any free port, for this process only. */
  open: boolean;
  /** Pause between probes while no public source responds. Default: a minute. */
  probeEveryMs?: number;
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

/** A program that was started without a network must notice when it has one. */
const PROBE_EVERY_MS = MINUTE;
const LATER_PROBE_TIMEOUT_MS = 10 * SECOND;
/** A network that is lost is noticed by calls, which may be many at once. */
const PROBE_AFTER_FAILURE_MS = 10 * SECOND;

/** Runs whose sources are remembered: those that were heard of last. */
const MAX_WATCHED_RUNS = 500;
/** Where the service answers runs of each kind. */
const MOUNTS = { own: 'live', sandbox: 'sandbox', hosted: 'none' } as const satisfies Record<
  ServiceKind,
  string
>;

/** Allows bursts of ten seconds' worth of calls. */
const BURSTS = 6;

/**
 * Every process can run the service itself: a server on loopback, started on first use, with a key that only this process
 * knows, and called over HTTP like any service. Shared state, such as allowances, is in the database. The modules are
 * loaded only by processes that use it.
 */
export function accessServices(options: ServiceAccessOptions): ServiceAccess {
  const { config, clock, log, db, open, loadMeter, probeEveryMs = PROBE_EVERY_MS } = options;
  const { sources: settings, model, webGroup, callsPerMinute } = config.service;
  const key = randomBytes(24).toString('base64url');
  const invented = settings.wanted.includes('sandbox');
  const archived = settings.wanted.includes('archive');
  /** Named by the user: used even if a probe is refused. */
  const named = settings.wanted.some((name) => name !== 'auto');
  let opened: Promise<OpenedSources> | undefined;
  let probed: { at: number; results: Promise<readonly ProbeResult[]> } | undefined;
  let started: Promise<LocalService> | undefined;
  let prepared: Promise<void> | undefined;
  let watching: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** By mount and run, the last one last. */
  const progress = new Map<string, readonly AskedSource[]>();

  function keepProgress(run: string, plan: readonly AskedSource[]): void {
    progress.delete(run);
    progress.set(run, plan);
    const [oldest] = progress.keys();
    if (progress.size > MAX_WATCHED_RUNS && oldest !== undefined) progress.delete(oldest);
  }

  async function openOwn() {
    const [{ openSources }, { createServicePorts }] = await loadSources();
    return openSources(settings, { clock, log, ports: createServicePorts(db, clock), version: VERSION });
  }

  function sources() {
    opened ??= openOwn();
    return opened;
  }

  /**
   * Whether a source may respond. A source with a key was configured by the user and is not probed: it counts, as do named ones,
   * unless all others fail because there is no network. The archive needs none.
   */
  function isAnswering(results: readonly ProbeResult[]): boolean {
    if (archived || results.some(({ outcome }) => outcome === 'reachable')) return true;
    const failed = results.filter(({ outcome }) => outcome === 'unreachable');
    const unclear = named || results.some(({ outcome }) => outcome === 'unasked');
    return unclear && (failed.length === 0 || !failed.every(({ words }) => NO_NETWORK.test(words)));
  }

  function startProbe(timeoutMs?: number) {
    const results = sources().then((own) => own.probe(timeoutMs));
    probed = { at: monotonicMs(), results };
    return results;
  }

  async function probe({ again } = { again: false }) {
    const last = probed;
    if (again || last === undefined) return startProbe();
    const results = await last.results;
    if (probed !== last) return probed?.results ?? results;
    const isOld = monotonicMs() - last.at >= probeEveryMs;
    return isOld && !isAnswering(results) ? startProbe(LATER_PROBE_TIMEOUT_MS) : results;
  }

  async function ownSources({ failed } = { failed: false }) {
    if (invented) return 'none';
    // Runs that fail together share a probe.
    const isOld =
      probed !== undefined && monotonicMs() - probed.at >= Math.min(probeEveryMs, PROBE_AFTER_FAILURE_MS);
    // The probe that follows waits for this one.
    if (failed && isOld) void startProbe(LATER_PROBE_TIMEOUT_MS);
    return isAnswering(await probe()) ? 'answering' : 'unreachable';
  }

  function watchSources(onReachable: (probed: readonly ProbeResult[]) => void): void {
    if (invented) return;
    const wait = () => {
      watching = setTimeout(() => void check(), probeEveryMs);
      watching.unref();
    };
    const check = async () => {
      const results = await probe().catch(() => []); // the start of the service reports invalid sources
      if (isClosed) return;
      if (!isAnswering(results)) return wait();
      const reachable = results.filter(({ outcome }) => outcome === 'reachable');
      log.info({ sources: reachable.map(({ name }) => name) }, 'sources reachable');
      onReachable(results);
    };
    // With a network at the start, there is nothing to wait for.
    const begin = async () => {
      const shown = await (probed?.results ?? probe()).catch(() => []);
      if (!isClosed && !isAnswering(shown)) wait();
    };
    void begin();
  }

  const findKey = (prefix: string) => findToken(db, { opens: 'service', prefix, now: clock.now() });

  async function touchKey(prefix: string): Promise<void> {
    const token = await findKey(prefix);
    if (token !== undefined) await touchToken(db, token, clock.now());
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
    return startService({
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
      onProgress: ({ mount, id }, plan) => keepProgress(`${mount} ${id}`, plan),
      pages: own.pages,
      ...(onAnswered === undefined ? {} : { onAnswered }),
      // Also without a network: a client must not get simulated data now and real data later from one address.
      ...(invented ? {} : { sources: own.sources, live: own.sources, own: own.own }),
      ...(model === undefined ? {} : { model: await openModel(model, clock, db) }),
    });
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
    watchSources,
    health: async () => (await sources()).health(),
    serviceSources: async () =>
      invented
        ? []
        : (await (await sources()).health()).map(({ name, source, title, state, reason, live }) => ({
            name,
            source,
            title,
            isOn: state === 'on',
            reason,
            lastSuccess: live?.lastSuccess,
            lastFailure: live?.lastFailure,
          })),
    ownSources,
    progress: (kind, runId) => progress.get(`${MOUNTS[kind]} ${runId}`) ?? [],
    missingTools: async (kind) => {
      if (kind === 'hosted') return readMissingHostedTools(db);
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
      isClosed = true;
      clearTimeout(watching);
      const service = await started?.catch(() => null);
      await service?.close();
      const own = await opened?.catch(() => null);
      await own?.close();
    },
  };
}

/** Codes of a connection that was not possible. */
const NO_NETWORK = /\b(?:ENOTFOUND|EAI_AGAIN|ENETDOWN|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED)\b/;

/** The configured model with its limits; each client pauses it after failures of its own. */
async function openModel(
  settings: NonNullable<Config['service']['model']>,
  clock: Clock,
  db: Database,
): Promise<MeteredModel> {
  const [{ createLanguageModel, createRestingModel }, { createMeteredModel }, { createServicePorts }] =
    await Promise.all([
      import('../service/answering/language-model.ts'),
      import('../service/answering/metered-model.ts'),
      import('./service-ports.ts'),
    ]);
  const { allowances } = createServicePorts(db, clock);
  const resting = createRestingModel(createLanguageModel(settings), clock);
  return createMeteredModel(resting, { allowances, clock, callsPerDay: settings.callsPerDay });
}

type ModelPorts = Pick<Context, 'judge' | 'briefWriter' | 'translator'>;

export const NO_MODEL: ModelPorts = { judge: null, briefWriter: null, translator: null };

/** What the monitor asks the language model; the client is loaded with the first request. Null if no model is configured. */
export function createModelPorts({ service: { model } }: Config, clock: Clock, db: Database): ModelPorts {
  if (model === undefined) return NO_MODEL;
  let opened: Promise<MeteredModel> | undefined;
  const open = () => (opened ??= openModel(model, clock, db));
  return {
    judge: {
      judge: async (request, signal) => {
        const [metered, { askForVerdicts }] = await Promise.all([
          open(),
          import('../service/answering/ask-for-verdicts.ts'),
        ]);
        return askForVerdicts(metered, request, signal);
      },
    },
    briefWriter: {
      model: model.model,
      write: async (request, signal) => {
        const [metered, { askForBrief }] = await Promise.all([
          open(),
          import('../service/answering/ask-for-brief.ts'),
        ]);
        return askForBrief(metered, request, signal);
      },
    },
    translator: {
      model: model.model,
      translate: async (request, signal) => {
        const [metered, { askForTranslations }] = await Promise.all([
          open(),
          import('../service/answering/ask-for-translations.ts'),
        ]);
        return askForTranslations(metered, request, signal);
      },
    },
  };
}
