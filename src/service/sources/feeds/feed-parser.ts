/** Parses feeds in a child process, so that no document can block or crash this process. */

import path from 'node:path';
import pLimit from 'p-limit';
import { SECOND } from '../../../lib/time.ts';
import { type ChildHost, type ChildKind, openChildHost } from '../../../platform/child-host.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { FeedDocument, ParseOrder } from './feed-orders.ts';

const FEED_PROCESS: ChildKind = {
  name: 'the feed process',
  work: 'the feed',
  endedEvent: 'feed process ended',
  advice: 'the feed is too large',
  // 10 MB of 2,000 full texts or 84,000 short entries fit into 192 MB, and take 1 s and 7 s. What does not fit, such as
  // two million elements with different names, ends the process, and fails alone.
  maxHeapMb: 256,
  // 500 texts of a page, each with its address and the title of the page, take at most 7,500 bytes each.
  maxReplyBytes: 4_000_000,
  maxReplyMs: 15 * SECOND,
};

/** Entry file: TypeScript when running from source, JavaScript when built. */
const PROGRAM = new URL(`../../feed-process${path.extname(import.meta.url)}`, import.meta.url);

export type FeedParser = {
  /** @throws Refused if the process ended or took too long */
  parse(bytes: Uint8Array, order: ParseOrder, signal: AbortSignal): Promise<FeedDocument>;
  prepare: ChildHost['prepare'];
  close: ChildHost['close'];
};

/** Starts no process until it is prepared, or there is something to parse. */
export function openFeedParser(log: Logger): FeedParser {
  // Restarts without delay: the next document is of another feed, and each is parsed once in minutes.
  const host = openChildHost(FEED_PROCESS, { program: PROGRAM, env: {}, log }, { restartMs: 0 });
  // One at a time, so that a document that ends the process fails alone.
  const alone = pLimit(1);
  return {
    async parse(bytes, order, signal) {
      const { body } = await alone(() => {
        signal.throwIfAborted();
        return host.ask({ order, body: bytes, signal });
      });
      return JSON.parse(body.toString()) as FeedDocument; // our own program writes nothing else
    },
    prepare: () => host.prepare(),
    close: () => host.close(),
  };
}
