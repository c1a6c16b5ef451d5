/** The service in a process of its own: says its port, and ends with whoever started it. */
import { MINUTE } from '../../src/lib/time.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { startService } from '../../src/service/service-server.ts';
import type { SearchSource } from '../../src/service/sources/search-source.ts';
import { SOURCES } from '../../src/model/enumerations.ts';

/** What each stub takes, in milliseconds, spread over the sources of a tool each. */
const DELAYS_MS = [5, 10, 20, 40, 60, 80, 100];
/** The source of this tool never answers where the client asks for it. */
const DEAF = 'video';

const service = await startService({
  host: '127.0.0.1',
  port: 0,
  portAsked: true,
  clock: systemClock,
  log: createLogger('error'),
  keys: { verify: async () => true },
  rate: { perMinute: 1_000_000 * MINUTE, burst: 1_000_000 },
  live: SOURCES.map((source, i) => stub(source, source === DEAF ? undefined : DELAYS_MS[i])),
});
process.send?.(service.url);
/** The most processor time between two turns of the event loop since it was last asked, in milliseconds. */
let longestMs = 0;
let isWatching = false;
function watch(before: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(before);
  longestMs = Math.max(longestMs, (user + system) / 1_000);
  if (isWatching) setImmediate(watch, process.cpuUsage());
}
process.on('message', (message) => {
  // What it has spent hardly depends on who else is at work on the machine.
  if (message === 'cpu') process.send?.(process.cpuUsage());
  if (message === 'watch') {
    isWatching = true;
    watch(process.cpuUsage());
    process.send?.('watching');
  }
  if (message === 'longest') {
    isWatching = false;
    process.send?.(longestMs);
    longestMs = 0;
  }
});
process.on('disconnect', () => process.exit());

/** A source that takes its time and then gives ten items; without a time, it never answers. */
function stub(source: SearchSource['source'], delayMs: number | undefined): SearchSource {
  return {
    name: `stub-${source}`,
    source,
    state: 'live',
    find: ({ to, signal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        if (delayMs === undefined) return;
        setTimeout(() => resolve(Array.from({ length: 10 }, (_, n) => item(source, n, to))), delayMs);
      }),
  };
}

function item(source: SearchSource['source'], n: number, at: Date) {
  const words = Array.from({ length: 30 }, (_, i) => `word${(n * 31 + i * 7) % 97}`).join(' ');
  return {
    source,
    title: `${source} ${n}: ${words.slice(0, 40)}`,
    link: `https://${source.replace('_', '-')}.example/${n}`,
    snippet: `The tide number ${n} of ${source} turned the turbine. ${words}.`,
    summaryDescription: '',
    publishedAt: new Date(at.getTime() - n * MINUTE),
  };
}
