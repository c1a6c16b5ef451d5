/**
 * Starting a program that keeps running: it waits for its database, says which sources it can ask, and keeps its heap
 * small.
 */

import { openProgram, type Program, type ProgramOptions } from '../app/program.ts';
import type { LocalService, ProbeResult } from '../app/service-access.ts';
import { assertSources } from '../app/source-variables.ts';
import type { ListenOptions, WebServer } from '../app/web-server.ts';
import { SECOND } from '../domain/time.ts';
import { isUnreachable } from '../store/database.ts';
import type { ShutdownRequest } from './process-exit.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

const FIRST_DB_RETRY_MS = SECOND;
const MAX_DB_RETRY_MS = 30 * SECOND;

type DbRetryOptions = ProgramOptions & {
  openService?: boolean;
  /** Ends the waiting. */
  ending: ShutdownRequest;
  /** Where health is served; while the database is away, that it is. */
  healthAt: ListenOptions | undefined;
};

/**
 * Opens the program, and tries again for as long as the database that `DATABASE_URL` names cannot be reached.
 * What waiting does not mend is thrown at once, as by `openProgram`.
 * @returns null where it was asked to end meanwhile
 */
export async function openWithDbRetry({
  ending,
  healthAt,
  ...options
}: DbRetryOptions): Promise<Program | null> {
  const { config, log } = options;
  await assertSources(config);
  // An embedded one is ours to start: nobody else will.
  if (config.databaseUrl === undefined) return openProgram(options);
  const stopping = new AbortController();
  void ending.requested.then(() => stopping.abort());
  const { signal } = stopping;
  let health: WebServer | undefined;
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const program = await openProgram({ ...options, signal });
        if (attempt > 0) log.info({ attempts: attempt + 1 }, 'the database is there');
        return program;
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        if (signal.aborted) return null;
        if (attempt === 0) {
          const reason = error instanceof Error ? error.message : undefined;
          log.warn({ reason }, 'waiting for the database; it is tried again until it is there');
          if (healthAt !== undefined) {
            const { startWaiting } = await import('../app/web-server.ts');
            health = await startWaiting(healthAt);
          }
        } else log.debug({ err: error }, 'the database is still away');
      }
      await wait(computeDbRetryMs(attempt, Math.random), undefined, { signal }).catch(() => {});
      if (signal.aborted) return null;
    }
  } finally {
    await health?.close();
  }
}

/**
 * How long is waited before the next attempt, in milliseconds: doubled each time, and between half and the whole of it,
 * so that all that wait for one database do not come at once.
 * @param random from 0 to below 1
 */
export function computeDbRetryMs(attempt: number, random: () => number): number {
  const most = Math.min(FIRST_DB_RETRY_MS * 2 ** attempt, MAX_DB_RETRY_MS);
  return Math.round(most * (0.5 + random() / 2));
}

type SourceConsequence = Readonly<Record<LocalService['root'], string>>;

/**
 * What the search service can ask from here: one line for each source that is asked, one for all that are
 * off, and what follows from it.
 */
export function describeSources(
  probed: readonly ProbeResult[],
  root: LocalService['root'],
  consequence: SourceConsequence,
): string[] {
  const asked = probed.filter(({ outcome }) => outcome !== 'off');
  const off = probed.filter(({ outcome }) => outcome === 'off').map(({ name }) => name);
  if (asked.length === 0 && root === 'sandbox')
    return ['all seven simulated (sandbox); nothing outside is called'];
  const width = Math.max(0, ...asked.map(({ name }) => name.length));
  return [
    ...asked.map(({ name, words }) => `${name.padEnd(width)}  ${words}`),
    ...(off.length === 0 ? [] : [`off: ${off.join(', ')}; docs/sources.md says what each needs`]),
    consequence[root],
  ];
}

/** For whoever watches topics. */
export const WATCH_CONSEQUENCE: SourceConsequence = {
  live: 'what you watch is looked for there; the sandbox stays beside it',
  sandbox: 'none answers just now: what you watch is looked for in the sandbox, which is invented',
};

/** For whoever calls the service. */
export const API_CONSEQUENCE: SourceConsequence = {
  live: 'the root answers from these; /sandbox is invented',
  sandbox:
    'none answers just now: until the next start the root answers from the sandbox, which is invented; /live asks them',
};

/**
 * V8 collects a small heap when it is up to four times what lives in it; with this it is 2.2 times. Measured on bursts of
 * runs of 20 posts: the worker's peak falls from 226 to 180 MB at the same processor time a run. At 50 % it was 163 MB and 6 %
 * more processor time.
 */
const HEAP_GROWTH_PERCENT = 120;

/** Keeps the memory of a process small that makes much garbage for as long as it runs. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}
