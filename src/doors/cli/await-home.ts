/** Opening the home of a program that runs on: what it stands on may come later than it does. */
import { setTimeout as wait } from 'node:timers/promises';
import { SECOND } from '../../engine/clock.ts';
import { type Home, type HomeOptions, openHome } from '../../home.ts';
import { isUnreachable } from '../../store/database.ts';
import type { ListensAt, WebServer } from '../../web.ts';
import type { Ending } from './signals.ts';

const FIRST_PAUSE_MS = SECOND;
const LONGEST_PAUSE_MS = 30 * SECOND;

export type AwaitHome = HomeOptions & {
  openService?: boolean;
  /** Ends the waiting. */
  ending: Ending;
  /** Where health is told once there is a home, and meanwhile that there is none. */
  healthAt: ListensAt | undefined;
};

/**
 * Opens the home, and tries again for as long as the database that `DATABASE_URL` names cannot be reached.
 * What waiting does not mend is thrown at once, as by `openHome`.
 * @returns null where it was asked to end meanwhile
 */
export async function awaitHome({ ending, healthAt, ...options }: AwaitHome): Promise<Home | null> {
  const { config, log } = options;
  // An embedded one is ours to start: nobody else will.
  if (config.databaseUrl === undefined) return openHome(options);
  const stopping = new AbortController();
  void ending.asked.then(() => stopping.abort());
  const { signal } = stopping;
  let health: WebServer | undefined;
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const home = await openHome({ ...options, signal });
        if (attempt > 0) log.info({ attempts: attempt + 1 }, 'the database is there');
        return home;
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        if (signal.aborted) return null;
        if (attempt === 0) {
          const reason = error instanceof Error ? error.message : undefined;
          log.warn({ reason }, 'waiting for the database; it is tried again until it is there');
          if (healthAt !== undefined) {
            const { startWaiting } = await import('../../web.ts');
            health = await startWaiting(healthAt);
          }
        } else log.debug({ err: error }, 'the database is still away');
      }
      await wait(pauseMs(attempt, Math.random), undefined, { signal }).catch(() => {});
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
export function pauseMs(attempt: number, random: () => number): number {
  const most = Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS);
  return Math.round(most * (0.5 + random() / 2));
}
