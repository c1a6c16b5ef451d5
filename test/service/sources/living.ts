/** A live source around an adapter of the test, with a fixed clock. */
import { createLogger } from '../../../src/platform/logger.ts';
import { steppedClock } from '../../../src/platform/clock.ts';
import type { FoundItem } from '../../../src/service/sources/search-source.ts';
import type { Adapter } from '../../../src/service/sources/adapter.ts';
import { createLiveSource, type LiveOptions } from '../../../src/service/sources/live-source.ts';
import { memoryPorts } from './memory-ports.ts';
import { AGENT, NOW } from './provider.ts';

export function startLive(
  over: Partial<Adapter> & Pick<Adapter, 'find'>,
  options: Partial<LiveOptions> = {},
) {
  const clock = steppedClock(NOW);
  const lines: string[] = [];
  const ports = memoryPorts(clock);
  const waited: number[] = [];
  const source = createLiveSource(
    {
      name: 'tested',
      source: 'web',
      title: 'Tested',
      dates: 'exact',
      sample: 'news',
      terms: 'None.',
      pace: { perMinute: 60_000, burst: 1_000 },
      ...over,
    },
    {
      clock,
      log: createLogger('debug', [], { write: (line) => lines.push(line) }),
      ports,
      who: 'strandline-test',
      agent: AGENT,
      // Waiting takes no time but that of the clock.
      wait: async (ms, signal) => {
        signal.throwIfAborted();
        waited.push(ms);
        clock.advance(ms);
      },
      ...options,
    },
  );
  return { source, clock, ports, lines, waited };
}

export function item(n = 1): FoundItem {
  return {
    source: 'web',
    title: `item ${n}`,
    link: `https://a.example/${n}`,
    snippet: '',
    summaryDescription: '',
    publishedAt: NOW,
  };
}

/** A promise and what settles it. */
export function pending<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
