/**
 * Which pages the robots.txt of their site permits (RFC 9309): read once a day for each site, by the rules of pages. A site
 * without a robots.txt permits everything; a site whose server fails or does not respond permits nothing.
 */

import { LRUCache } from 'lru-cache';
import { DAY, HOUR, MINUTE, SECOND } from '../../../lib/time.ts';
import { awaitUnlessAborted, buildCacheTime, type Clock, createTimeLimit } from '../../../platform/clock.ts';
import type { Allowed, Resolve } from '../../../platform/network.ts';
import { fetchPublic } from '../feeds/public-fetch.ts';
import type { PageReader } from './page-reader.ts';

/** A page that must not be fetched. The message continues a sentence. `isFault`: the robots.txt of its site could not be read. */
export class RobotsRefusal extends Error {
  override readonly name = 'RobotsRefusal';
  readonly isFault: boolean;

  constructor(message: string, { isFault } = { isFault: false }) {
    super(message);
    this.isFault = isFault;
  }
}

export type Robots = {
  /**
   * Counts as a request to the site, if it asks for pauses between requests.
   * @throws RobotsRefusal; the signal's reason
   */
  permit(url: URL, signal: AbortSignal): Promise<void>;
};

/** RFC 9309 demands that at least 500 KiB are read; a larger robots.txt counts as unreadable. */
const MAX_ROBOTS_BYTES = 512_000;
const MAX_ROBOTS_MS = 5 * SECOND;
const KEEP_MS = DAY;
const KEEP_FAILURE_MS = 10 * MINUTE;
const MAX_SITES = 1_000;
const MAX_SITES_BYTES = 20_000_000;
const MAX_PAUSE_MS = HOUR;

/** `failure`: why nothing is permitted. */
type SiteRules = { bytes: Uint8Array; failure?: undefined } | { bytes?: undefined; failure: string };

export function createRobots(means: {
  allowed: Allowed;
  resolve: Resolve;
  who: string;
  clock: Clock;
  reader: PageReader;
  /** Ends what is being read. */
  closing: AbortSignal;
}): Robots {
  const { allowed, resolve, who, clock, reader, closing } = means;
  const time = buildCacheTime(clock);
  const known = new LRUCache<string, SiteRules>({
    ...time,
    max: MAX_SITES,
    maxSize: MAX_SITES_BYTES,
    sizeCalculation: ({ bytes }) => 1 + (bytes?.length ?? 0),
  });
  /** Until when a site wants no further request, in milliseconds since 1970. */
  const pauses = new LRUCache<string, number>({ max: MAX_SITES });
  const pendingReads = new Map<string, Promise<SiteRules>>();

  async function fetchRules(origin: string): Promise<SiteRules> {
    const limit = createTimeLimit(MAX_ROBOTS_MS, closing);
    try {
      const { status, bytes } = await fetchPublic(`${origin}/robots.txt`, {
        allowed,
        resolve,
        headers: { 'user-agent': who, accept: 'text/plain, */*;q=0.5' },
        maxBytes: MAX_ROBOTS_BYTES,
        signal: limit.signal,
      });
      if (status === 200) return { bytes };
      // The site has none. Too many requests are no answer.
      if (status >= 400 && status < 500 && status !== 429) return { bytes: new Uint8Array() };
      return { failure: `has no readable robots.txt (HTTP ${status})` };
    } catch {
      return { failure: 'has no readable robots.txt' };
    } finally {
      limit.end();
    }
  }

  /** All pages of a site wait for one request. */
  function readRules(origin: string): Promise<SiteRules> {
    const begun = pendingReads.get(origin);
    if (begun !== undefined) return begun;
    const begin = fetchRules(origin).then((rules) => {
      known.set(origin, rules, { ttl: rules.failure === undefined ? KEEP_MS : KEEP_FAILURE_MS });
      pendingReads.delete(origin);
      return rules;
    });
    pendingReads.set(origin, begin);
    return begin;
  }

  return {
    async permit(url, signal) {
      const { origin } = url;
      const rules = known.get(origin) ?? (await awaitUnlessAborted(signal, readRules(origin)));
      if (rules.failure !== undefined) throw new RobotsRefusal(rules.failure, { isFault: true });
      if (rules.bytes.length === 0) return;
      const order = { address: url.href, robots: `${origin}/robots.txt`, who };
      const verdict = await reader.judge(rules.bytes, order, signal);
      if (!verdict.allowed) throw new RobotsRefusal('is forbidden by robots.txt');
      const now = clock.now().getTime();
      if ((pauses.get(origin) ?? 0) > now) throw new RobotsRefusal('asks for a pause between requests');
      if (verdict.delayMs > 0) pauses.set(origin, now + Math.min(verdict.delayMs, MAX_PAUSE_MS));
    },
  };
}
