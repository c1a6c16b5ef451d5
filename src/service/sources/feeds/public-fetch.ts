/**
 * Fetches an address that a person gave, by the rules of webhooks: public addresses only unless the operator allows
 * others, connected to the checked address, and each redirect checked like the first.
 */

import { Agent, fetch, type Response } from 'undici';
import { parseUrl } from '../../../model/links/link.ts';
import { HOUR, MINUTE, SECOND } from '../../../lib/time.ts';
import { awaitUnlessAborted } from '../../../platform/clock.ts';
import {
  type Allowed,
  createFixedLookup,
  NotAllowed,
  type Resolve,
  resolveAllowed,
} from '../../../platform/network.ts';
import { toShownLink } from '../parse/provider-addresses.ts';
import { readLimitedBytes } from '../resilience/http-request.ts';

export type FetchedDocument = {
  status: number;
  headers: Response['headers'];
  /** Empty unless the status is 200 and the headers were accepted. */
  bytes: Uint8Array;
  /** Where it was found, after redirects. */
  address: string;
  /** Where it is from now on, if all redirects on the way were permanent. */
  movedTo: string | undefined;
};

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const PERMANENT: ReadonlySet<number> = new Set([301, 308]);

/**
 * @param means.headers sent to every address on the way
 * @param means.maxBytes of the decoded body
 * @param means.permit called before each request, also of redirects; its errors are thrown
 * @param means.accepts whether a body with these headers is read
 * @throws NotAllowed with the reason, for people; errors of the network; the signal's reason
 */
export async function fetchPublic(
  first: string,
  means: {
    allowed: Allowed;
    resolve: Resolve;
    headers: Readonly<Record<string, string>>;
    maxBytes: number;
    signal: AbortSignal;
    permit?: (url: URL) => Promise<void>;
    accepts?: (headers: Response['headers']) => boolean;
  },
): Promise<FetchedDocument> {
  const { accepts = () => true } = means;
  let address = first;
  let isPermanent = true;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const url = readTarget(address);
    const addresses = await awaitUnlessAborted(
      means.signal,
      resolveAllowed(url, means.allowed, means.resolve),
    );
    await means.permit?.(url);
    // Connects to the checked address: the name is not resolved a second time.
    const agent = new Agent({ connect: { lookup: createFixedLookup(addresses) }, pipelining: 1 });
    try {
      const response = await fetch(url, {
        headers: means.headers,
        redirect: 'manual',
        dispatcher: agent,
        signal: means.signal,
      });
      const { status, headers } = response;
      const location = REDIRECTS.has(status) ? headers.get('location') : null;
      if (location === null) {
        const isRead = status === 200 && accepts(headers);
        const bytes = isRead ? await readLimitedBytes(response.body ?? [], means.maxBytes) : EMPTY;
        if (bytes === undefined) throw new NotAllowed(`is larger than ${means.maxBytes / 1_000_000} MB`);
        return {
          status,
          headers,
          bytes,
          address,
          movedTo: isPermanent && address !== first ? address : undefined,
        };
      }
      isPermanent &&= PERMANENT.has(status);
      address = parseUrl(location, address)?.href ?? '';
    } finally {
      // Do not wait for the rest of the response.
      await agent.destroy().catch(() => {});
    }
  }
  throw new NotAllowed(`redirects more than ${MAX_REDIRECTS} times`);
}

const EMPTY = new Uint8Array();

function readTarget(address: string): URL {
  const shown = toShownLink(address);
  if (shown === undefined) throw new NotAllowed('leads to an address that is not http or https');
  return new URL(shown);
}

/** Headers that ask for a document only if it changed; a server's overlong values are left out. */
export function readValidators({ headers }: Pick<FetchedDocument, 'headers'>): Record<string, string> {
  const [etag, modified] = [headers.get('etag'), headers.get('last-modified')];
  return {
    ...(etag !== null && etag.length <= 200 && { 'if-none-match': etag }),
    ...(modified !== null && modified.length <= 100 && { 'if-modified-since': modified }),
  };
}

const LEAST_FRESH_MS = 15 * MINUTE;
const MOST_FRESH_MS = HOUR;

/** For how long a document is used without another request: as long as its server says, within bounds. */
export function readFreshMs({ headers }: Pick<FetchedDocument, 'headers'>): number {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(headers.get('cache-control') ?? '')?.[1];
  return Math.min(Math.max(Number(seconds ?? 0) * SECOND, LEAST_FRESH_MS), MOST_FRESH_MS);
}
