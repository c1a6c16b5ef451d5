/** Parses feeds in a child process, so that no document of theirs can block or crash this one. */

import path from 'node:path';
import { SECOND } from '../../../domain/time.ts';
import { type ChildHost, type ChildKind, openChildHost } from '../../../platform/child-host.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { FeedDocument } from './feed-document.ts';

/** Of a decoded response. */
export const MAX_DOCUMENT_BYTES = 2_000_000;

/** The document is the body of the order. */
export type ParseOrder = { address: string; contentType: string };

const FEED_PROCESS: ChildKind = {
  name: 'the feed process',
  work: 'the feed',
  endedEvent: 'feed process ended',
  advice: 'the feed is too large',
  // A tree of 2 MB of the smallest elements takes about 60 MB; documents are parsed one at a time.
  maxHeapMb: 192,
  // 200 entries of at most 2,000 characters.
  maxReplyBytes: MAX_DOCUMENT_BYTES,
  // With others before it; the longest document takes two seconds.
  silentMs: 20 * SECOND,
};

/** Entry file: TypeScript when running from source, JavaScript when built. */
const PROGRAM = new URL(`../../feed-process${path.extname(import.meta.url)}`, import.meta.url);

export type FeedParser = {
  /** @throws Refused if the process ended or took too long */
  parse(bytes: Uint8Array, order: ParseOrder, signal: AbortSignal): Promise<FeedDocument>;
  close: ChildHost['close'];
};

/** Starts no process until there is something to parse. */
export function openFeedParser(log: Logger): FeedParser {
  const host = openChildHost(FEED_PROCESS, { program: PROGRAM, env: {}, log });
  return {
    async parse(bytes, order, signal) {
      const { body } = await host.ask({ order, body: bytes, signal });
      return JSON.parse(body.toString()) as FeedDocument; // our own program writes nothing else
    },
    close: () => host.close(),
  };
}
