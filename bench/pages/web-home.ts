/** What the web door stands on, over a database of the benchmark: a queue that holds nothing, and services that nobody asks. */
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { RouteContext } from '../../src/monitor/http/route-types.ts';
import type { Database } from '../../src/store/db/database.ts';

export function webHomeOn(
  db: Database,
  { url, readerUrl }: { url: string; readerUrl: string },
): RouteContext {
  const nobody = () => Promise.reject(new Error('the benchmark calls nobody'));
  return {
    ctx: {
      config: readConfig({ DATABASE_URL: url }),
      kind: 'real',
      clock: systemClock,
      log: createLogger('silent'),
      db,
      queue: {
        kind: 'postgres',
        enqueueRuns: () => Promise.resolve(),
        enqueueChannels: () => Promise.resolve(),
        enqueueWork: () => Promise.resolve(),
        restartScan: () => Promise.resolve(),
        depth: () => Promise.resolve({}),
        ping: () => Promise.resolve(),
        close: () => Promise.resolve(),
      },
      worker: 'bench',
      endpoint: nobody,
      ownSources: () => Promise.resolve('none'),
      progress: () => [],
      missingTools: () => Promise.resolve([]),
      serviceSources: () => Promise.resolve([]),
      isFree: () => Promise.resolve(true),
      judge: null,
      briefWriter: null,
      translator: null,
      random: Math.random,
    },
    services: { health: () => Promise.resolve([]) },
    readerUrl: () => readerUrl,
    embedded: null,
  };
}
