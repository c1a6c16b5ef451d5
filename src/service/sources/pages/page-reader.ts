/** Reads pages in child processes, so that no page can block or crash this process, or delay other pages. */

import path from 'node:path';
import pLimit from 'p-limit';
import { SECOND } from '../../../lib/time.ts';
import { awaitUnlessAborted } from '../../../platform/clock.ts';
import { type ChildHost, type ChildKind, openChildHost } from '../../../platform/child-host.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { PageOrder, PageReading, RobotsVerdict } from './page-orders.ts';

const PAGE_PROCESS: ChildKind = {
  name: 'the page process',
  work: 'the page',
  endedEvent: 'page process ended',
  advice: 'the page is too large',
  maxHeapMb: 256,
  // A text has at most 60,000 characters, each of which may take three bytes, or six if it is escaped.
  maxReplyBytes: 1_000_000,
  // Its start, on a busy machine.
  maxReplyMs: 15 * SECOND,
};
/** Ordinary pages take 10 to 200 ms; a hostile one of 2 MB takes the library 17 s. */
const MAX_READ_MS = 2 * SECOND;
/** A page that takes its whole time must not delay others. */
const PROCESSES = 2;

/** Entry file: TypeScript when running from source, JavaScript when built. */
const PROGRAM = new URL(`../../page-process${path.extname(import.meta.url)}`, import.meta.url);

export type PageReader = {
  /** @throws Refused if the process ended or took too long; the signal's reason */
  read(
    bytes: Uint8Array,
    order: { contentType: string; robots: string },
    signal: AbortSignal,
  ): Promise<PageReading>;
  /** @throws like `read` */
  judge(
    bytes: Uint8Array,
    order: { address: string; robots: string; who: string },
    signal: AbortSignal,
  ): Promise<RobotsVerdict>;
  /** Starts the processes. */
  prepare(): void;
  close(): Promise<void>;
};

/** Starts no process until it is prepared, or there is something to read. @param readMs set in tests */
export function openPageReader(log: Logger, { readMs = MAX_READ_MS } = {}): PageReader {
  const lanes = Array.from({ length: PROCESSES }, () => ({
    host: openChildHost(PAGE_PROCESS, { program: PROGRAM, env: {}, log }, { restartMs: 0 }),
    // One at a time, so that a page that ends the process fails alone.
    alone: pLimit(1),
  }));

  async function ask(order: PageOrder, body: Uint8Array, signal: AbortSignal): Promise<unknown> {
    const [first, second] = lanes;
    const lane = first !== undefined && second !== undefined && load(second) < load(first) ? second : first;
    const replied = lane?.alone(async () => {
      signal.throwIfAborted();
      return answerOf(lane.host, order, body, signal);
    });
    return awaitUnlessAborted(signal, Promise.resolve(replied));
  }

  async function answerOf(
    host: ChildHost,
    order: PageOrder,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<unknown> {
    await host.ask({ order: { kind: 'ready' } satisfies PageOrder, signal });
    const { body: reply } = await host.ask({ order, body, signal, maxReplyMs: readMs });
    return JSON.parse(reply.toString());
  }

  return {
    // Our own program writes nothing else.
    read: async (bytes, order, signal) =>
      (await ask({ kind: 'page', ...order }, bytes, signal)) as PageReading,
    judge: async (bytes, order, signal) =>
      (await ask({ kind: 'robots', ...order }, bytes, signal)) as RobotsVerdict,
    prepare: () => lanes.forEach(({ host }) => host.prepare()),
    async close() {
      await Promise.all(lanes.map(({ host }) => host.close()));
    },
  };
}

function load({ alone }: { alone: ReturnType<typeof pLimit> }): number {
  return alone.activeCount + alone.pendingCount;
}
