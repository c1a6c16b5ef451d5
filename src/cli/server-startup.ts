/** Starting a server: waits for its database, reports its sources, and limits its heap. */

import type { ProgramOptions } from '../app/program.ts';
import type { ProbeResult } from '../app/service-access.ts';
import type { OwnSources } from '../monitor/context.ts';
import type { ListenOptions, WebServer } from '../app/web-server.ts';
import { SECOND } from '../lib/time.ts';
import { isUnreachable } from '../store/db/database.ts';
import type { ShutdownRequest } from './process-exit.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

const FIRST_DB_RETRY_MS = SECOND;
const MAX_DB_RETRY_MS = 30 * SECOND;

type DbRetryOptions<Opened> = ProgramOptions & {
  open: (options: ProgramOptions) => Promise<Opened>;
  ending: ShutdownRequest;
  /** Serves health while the database is unreachable. */
  healthAt: ListenOptions | undefined;
};

/**
 * Opens a program, or two, and retries while the database in `DATABASE_URL` is unreachable. Other errors are thrown at once.
 * @returns null if it was asked to end in the meantime
 */
export async function openWithDbRetry<Opened>({
  open,
  ending,
  healthAt,
  ...options
}: DbRetryOptions<Opened>): Promise<Opened | null> {
  const { config, log } = options;
  // This process starts the embedded database itself, so there is nothing to wait for.
  if (config.databaseUrl === undefined) return open(options);
  const stopping = new AbortController();
  void ending.requested.then(() => stopping.abort());
  const { signal } = stopping;
  let health: WebServer | undefined;
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const opened = await open({ ...options, signal });
        if (attempt > 0) log.info({ attempts: attempt + 1 }, 'database reachable');
        return opened;
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        if (signal.aborted) return null;
        if (attempt === 0) {
          const reason = error instanceof Error ? error.message : undefined;
          log.warn({ reason }, 'database unreachable, retrying');
          if (healthAt !== undefined) {
            const { startWaiting } = await import('../app/web-server.ts');
            health = await startWaiting(healthAt);
          }
        } else log.debug({ err: error }, 'database still unreachable');
      }
      await wait(computeDbRetryMs(attempt, Math.random), undefined, { signal }).catch(() => {});
      if (signal.aborted) return null;
    }
  } finally {
    await health?.close();
  }
}

/**
 * Milliseconds before the next attempt: doubled each time, with jitter, so that processes that wait for one database do
 * not all connect at once.
 * @param random from 0 to below 1
 */
export function computeDbRetryMs(attempt: number, random: () => number): number {
  const most = Math.min(FIRST_DB_RETRY_MS * 2 ** attempt, MAX_DB_RETRY_MS);
  return Math.round(most * (0.5 + random() / 2));
}

type SourceConsequence = Readonly<Record<Exclude<OwnSources, 'none'>, string>>;

/**
 * The sources of the search service: one line for each that is configured, one for all that are not, and what follows.
 * If every source fails for the same reason, one line replaces theirs; without a network, one line replaces all.
 */
export function describeSources(
  probed: readonly ProbeResult[],
  state: OwnSources,
  consequence: SourceConsequence,
): string[] {
  const enabled = probed.filter(({ outcome }) => outcome !== 'off');
  const off = probed.filter(({ outcome }) => outcome === 'off').map(({ name }) => name);
  if (state === 'none') return ['none: SERVICE_SOURCES turns off all public sources'];
  if (state === 'unreachable' && isWithoutNetwork(enabled)) return [`no network: ${consequence.unreachable}`];
  const width = Math.max(0, ...enabled.map(({ name }) => name.length));
  return [
    ...(describeOutage(enabled) ?? enabled.map(({ name, words }) => `${name.padEnd(width)}  ${words}`)),
    ...(off.length === 0 ? [] : [`not configured: ${off.join(', ')}`]),
    state === 'unreachable' ? `none reachable: ${consequence.unreachable}` : consequence.answering,
  ];
}

/** The line for sources that are reachable now and were not at the start. @param isHosted see above */
export function describeReachable(probed: readonly ProbeResult[], isHosted: boolean): string {
  const names = probed.filter(({ outcome }) => outcome === 'reachable').map(({ name }) => name);
  return `reachable now: ${names.join(', ')}; ${describeWatchConsequence(isHosted).answering}`;
}

/** One line if several sources fail for the same reason. */
function describeOutage(enabled: readonly ProbeResult[]): string[] | undefined {
  const [first] = enabled;
  if (first === undefined || enabled.length < 2) return undefined;
  if (!enabled.every(({ outcome }) => outcome === 'unreachable')) return undefined;
  if (!enabled.every(({ words }) => words === first.words)) return undefined;
  return [`all ${enabled.length} sources (${enabled.map(({ name }) => name).join(', ')}): ${first.words}`];
}

/** Whether DNS lookup failed for each of several sources. */
function isWithoutNetwork(enabled: readonly ProbeResult[]): boolean {
  return (
    enabled.length > 1 &&
    enabled.every(({ outcome, words }) => outcome === 'unreachable' && /ENOTFOUND|EAI_AGAIN/.test(words))
  );
}

/** @param isHosted a hosted service is configured, which new topics use */
export function describeWatchConsequence(isHosted: boolean): SourceConsequence {
  const hosted = 'new topics use the hosted service, or these sources with --service own';
  return {
    answering: isHosted ? hosted : 'new topics use these sources',
    unreachable: isHosted
      ? 'new topics use the hosted service'
      : 'new topics start when a source is reachable',
  };
}

export const API_CONSEQUENCE: SourceConsequence = {
  answering: 'the service uses these sources; /sandbox returns simulated data',
  unreachable: 'the service finds nothing until a source is reachable; /sandbox returns simulated data',
};

/**
 * By default, V8 lets a small heap grow to four times its live objects before it collects; with this, to 2.2 times. Measured on bursts of
 * runs of 20 posts: the worker's peak falls from 226 to 180 MB at the same processor time a run. At 50 % it was 163 MB and 6 %
 * more processor time.
 */
const HEAP_GROWTH_PERCENT = 120;

/** Limits the memory of a long-running process that produces much garbage. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}
