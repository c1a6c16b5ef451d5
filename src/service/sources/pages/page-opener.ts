/**
 * Opens pages that were found, by the rules of feeds: public addresses only, bounded in size and time, and only what
 * robots.txt permits. A page that was read before is asked for with its validators; one that failed is left alone for some
 * minutes.
 */

import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { Refused } from '../../../model/errors.ts';
import { parseUrl } from '../../../model/links/link.ts';
import { createBlockList } from '../../../lib/networks.ts';
import { HOUR, MINUTE } from '../../../lib/time.ts';
import { awaitUnlessAborted, buildCacheTime, type Clock, createTimeLimit } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import {
  type Allowed,
  findNetworkCode,
  NotAllowed,
  type Resolve,
  systemResolve,
} from '../../../platform/network.ts';
import { retryAfterMs } from '../../../protocol/retry-after.ts';
import type { CachedPage, PageCache } from '../../ports.ts';
import { isTimeout } from '../outage.ts';
import { type FetchedDocument, fetchPublic, readFreshMs, readValidators } from '../feeds/public-fetch.ts';
import { MAX_PAGE_BYTES, type PageText } from './page-orders.ts';
import { openPageReader, type PageReader } from './page-reader.ts';
import { createRobots, RobotsRefusal } from './robots.ts';

export type PageOutcome =
  | { page: PageText; why?: undefined }
  /**
   * `why` continues a sentence about the page. `isFault`: it might have been read, unlike one of another type or one that
   * must not be.
   */
  | { page?: undefined; why: string; isFault: boolean };

export type PageOpener = {
  /**
   * Opens pages concurrently, and ends at the time limit in any case: the outcome of a page that was not read by then says so.
   * @param limitMs for all of them together
   * @returns an outcome for each address
   * @throws the signal's reason
   */
  open(addresses: readonly string[], limitMs: number, signal: AbortSignal): Promise<Map<string, PageOutcome>>;
  /** Starts the processes that read pages. */
  prepare(): void;
  close(): Promise<void>;
};

type PageOpenerOptions = {
  /** The `User-Agent`. */
  who: string;
  clock: Clock;
  log: Logger;
  cache: PageCache;
  /** Non-public hosts that may be read, and how names are resolved; set in tests. */
  allowed?: Allowed;
  resolve?: Resolve;
  reader?: PageReader;
};

const LATE: PageOutcome = { why: 'was not read in time', isFault: true };
/** Over all responses. */
const MAX_CONCURRENT = 30;
const ACCEPT = 'text/html, application/xhtml+xml;q=0.9';
/** A page that could not be read is not requested again for at least this time. */
const FAILED_MS = 10 * MINUTE;
const MAX_FAILURES = 2_000;
/** Found pages are outside addresses: the operator's own network is never read, whatever feeds may be. */
const PUBLIC_ONLY: Allowed = { hosts: new Set(), networks: createBlockList([]), variable: '' };

/** A page cannot be read. The message is in our own words, and continues a sentence. */
class PageProblem extends Error {
  override readonly name = 'PageProblem';
  readonly isFault: boolean;
  readonly retryMs: number;

  constructor(message: string, { isFault = true, retryMs = FAILED_MS } = {}) {
    super(message);
    this.isFault = isFault;
    this.retryMs = retryMs;
  }
}

/** Loads no library that reads pages, and starts no process, until there is a page to read. */
export function createPageOpener(options: PageOpenerOptions): PageOpener {
  const { who, clock, log, cache, allowed = PUBLIC_ONLY, resolve = systemResolve } = options;
  const { reader = openPageReader(log) } = options;
  const closing = new AbortController();
  const places = pLimit(MAX_CONCURRENT);
  const robots = createRobots({ allowed, resolve, who, clock, reader, closing: closing.signal });
  const failures = new LRUCache<string, PageOutcome>({ ...buildCacheTime(clock), max: MAX_FAILURES });

  async function openOne(address: string, signal: AbortSignal): Promise<PageOutcome> {
    const failed = failures.get(address);
    if (failed !== undefined) return failed;
    try {
      return { page: await read(toSecure(address, allowed), signal) };
    } catch (error) {
      signal.throwIfAborted();
      const { message: why, isFault, retryMs } = toProblem(error);
      const outcome = { why, isFault };
      if (retryMs > 0) failures.set(address, outcome, { ttl: retryMs });
      log.debug({ host: parseUrl(address)?.host, why }, 'page not read');
      return outcome;
    }
  }

  async function read(address: string, signal: AbortSignal): Promise<PageText> {
    // A cache that fails costs a request, not the page.
    const known = await awaitUnlessAborted(
      signal,
      cache.read(address).catch(() => undefined),
    );
    if (known !== undefined && known.freshUntil > clock.now()) return known.page;
    const fetched = await fetchPublic(address, {
      allowed,
      resolve,
      headers: { 'user-agent': who, accept: ACCEPT, ...known?.validators },
      maxBytes: MAX_PAGE_BYTES,
      signal,
      permit: (url) => robots.permit(url, signal),
      accepts: (headers) => findOtherType(headers) === undefined,
    });
    const unchanged = fetched.status === 304 ? known : undefined;
    const page = unchanged?.page ?? (await readFetched(fetched, signal));
    const kept: CachedPage = {
      page,
      validators: unchanged?.validators ?? readValidators(fetched),
      freshUntil: new Date(clock.now().getTime() + readFreshMs(fetched)),
    };
    // The response does not wait for it.
    if (!isPrivate(fetched)) void cache.write(address, kept).catch(() => {});
    return page;
  }

  async function readFetched(
    { status, headers, bytes }: FetchedDocument,
    signal: AbortSignal,
  ): Promise<PageText> {
    if (status !== 200) {
      const waitMs = retryAfterMs(headers.get('retry-after'), clock.now()) ?? 0;
      throw new PageProblem(`HTTP ${status}`, { retryMs: Math.min(Math.max(waitMs, FAILED_MS), HOUR) });
    }
    const other = findOtherType(headers);
    if (other !== undefined) throw new PageProblem(`is no page (${other})`, { isFault: false });
    const contentType = (headers.get('content-type') ?? '').slice(0, 200);
    const rules = (headers.get('x-robots-tag') ?? '').slice(0, 500);
    const outcome = await reader.read(bytes, { contentType, robots: rules }, signal);
    if (outcome.kind === 'page') return outcome.page;
    throw new PageProblem(outcome.why, { isFault: !/^(?:is|asks)\b/.test(outcome.why) });
  }

  return {
    async open(addresses, limitMs, signal) {
      const limit = createTimeLimit(limitMs, AbortSignal.any([signal, closing.signal]));
      try {
        const outcomes = await Promise.all(
          addresses.map(async (address) => {
            let isBegun = false;
            const opened = places(() => {
              limit.signal.throwIfAborted();
              isBegun = true;
              return openOne(address, limit.signal);
            });
            const outcome = await awaitUnlessAborted(limit.signal, opened).catch((error: unknown) => {
              if (!isTimeout(limit.signal)) throw error;
              if (isBegun) failures.set(address, LATE, { ttl: FAILED_MS });
              return LATE;
            });
            return [address, outcome] as const;
          }),
        );
        signal.throwIfAborted();
        return new Map(outcomes);
      } finally {
        limit.end();
      }
    },
    prepare: () => reader.prepare(),
    async close() {
      closing.abort();
      await reader.close();
    },
  };
}

/** Pages with http only are refused by {@link fetchPublic}: nearly all have https as well, as browsers try first. */
function toSecure(address: string, { hosts, networks }: Allowed): string {
  const url = parseUrl(address);
  const isOrdinary =
    url?.protocol === 'http:' && url.port === '' && hosts.size === 0 && networks.rules.length === 0;
  return isOrdinary ? address.replace(/^http:/i, 'https:') : address;
}

type Problem = Pick<PageProblem, 'message' | 'isFault' | 'retryMs'>;

function toProblem(error: unknown): Problem {
  if (error instanceof PageProblem) return error;
  // Robots remember their sites themselves.
  if (error instanceof RobotsRefusal) return { message: error.message, isFault: error.isFault, retryMs: 0 };
  const toFault = (message: string): Problem => ({ message, isFault: true, retryMs: FAILED_MS });
  if (error instanceof NotAllowed) return toFault(describeRefusal(error));
  if (error instanceof Refused) return toFault(`could not be read: ${error.message}`);
  return toFault(`no response (${findNetworkCode(error) ?? 'unknown'})`);
}

/** Without names and addresses of the network, and without advice for the operator. */
function describeRefusal({ message }: NotAllowed): string {
  if (/not a public address|has no address/.test(message)) return 'leads to an address that is not public';
  return /requires https/.test(message) ? 'has no https' : message;
}

/** The media type of a response that is not a page; undefined for a page. */
function findOtherType(headers: FetchedDocument['headers']): string | undefined {
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';', 1);
  const name = mediaType.trim().toLowerCase();
  if (name === '' || name === 'text/html' || name === 'application/xhtml+xml') return undefined;
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/.test(name) ? name : 'of an unknown type';
}

function isPrivate({ headers }: FetchedDocument): boolean {
  return /\b(?:no-store|private)\b/i.test(headers.get('cache-control') ?? '');
}
