/** Addresses: how they are parsed, and when two spellings of one are the same link. */

/**
 * An address as WHATWG reads it; undefined where it is none. Not by `URL.canParse`: once V8 has compiled a caller of it
 * for speed (after some thousand calls), Node 20 takes addresses with letters such as ü for wrong, and links to such
 * hosts would be lost in any process that runs for a while.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** The longest address of a link, in characters, as it came and in canonical form: an index in Postgres holds it. */
export const MAX_LINK_LENGTH = 2_048;

/** An address, or its path, that another path can be put behind. In linear time, however many slashes there are. */
export function trimEndSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}

/** An address without what only its owner may know: the password, and the values behind `?`. */
export function maskUrl(address: string): string {
  const url = new URL(address);
  if (url.password !== '') url.password = '***';
  for (const name of new Set(url.searchParams.keys()))
    if (/pass|key|token|secret/i.test(name)) url.searchParams.set(name, '***');
  return url.href;
}

/** Query members that say where a reader came from and nothing about what is read. */
const TRACKING = new Set(
  `fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid twclid ttclid igshid igsh
   mc_cid mc_eid mkt_tok _ga _gl _hsenc _hsmi vero_id oly_anon_id oly_enc_id
   ref_src ref_url guccounter`.split(/\s+/),
);

/** The address of something on the web; null where this is none. */
export function parseWebUrl(address: string): URL | null {
  // The scheme must be written out: `URL` would also take `https:host` and `\\host` for addresses.
  const url = /^https?:\/\/[^\s/\\]/i.test(address) ? parseUrl(address) : undefined;
  if (url === undefined) return null;
  return url.username === '' && url.password === '' && normalizeHost(url) !== '' ? url : null;
}

/** Whether {@link parseWebUrl} takes it. */
export function isWebUrl(address: string): boolean {
  return hasOrdinaryHost(address) || parseWebUrl(address) !== null;
}

/**
 * Whether an address has a host of ordinary labels, of which the last begins with a letter (a number may be too large)
 * and none is in Punycode (which may be wrong); behind such a host nothing can be wrong. Nearly all have, and to read
 * an address into its parts costs a microsecond.
 */
export function hasOrdinaryHost(address: string): boolean {
  return ORDINARY.test(address);
}
const ORDINARY = /^https?:\/\/(?:(?!xn--)[a-z\d-]+\.)+(?!xn--)[a-z][a-z\d-]*(?:[/?#]|$)/i;

/** As {@link canonicalizeUrl}; null where the text is no link. */
export function canonicalizeAddress(address: string): string | null {
  if (CANONICAL.test(address)) return address;
  const url = parseWebUrl(address);
  return url === null ? null : canonicalizeUrl(url);
}
/** An ordinary host and a path of ordinary segments: nothing in it is spelled another way. */
const CANONICAL = /^https:\/\/(?:(?!xn--)[a-z\d-]+\.)+(?!xn--)[a-z][a-z\d-]*(?:\/[\w-][\w.-]*)*$/;

/**
 * The identity of a link: one table of rules by which two spellings of an address are the same link.
 *
 *     host            lower case, IDN in ASCII (as URLs do), without a trailing dot; `www.` is kept
 *     scheme          http becomes https
 *     port            dropped where it is the default of either scheme as given
 *     path            dot segments resolved, trailing slashes dropped; `%2F` stays what it is
 *     query           names in TRACKING dropped, the rest kept in its order and spelling
 *     fragment        dropped
 *
 * Not a link: another scheme (`ftp:`, `mailto:`, `javascript:`), a relative address, one with credentials.
 */
export function canonicalizeUrl(url: URL): string {
  const port = url.port === '' || url.port === '443' ? '' : `:${url.port}`;
  return `https://${normalizeHost(url)}${port}${trimEndSlashes(url.pathname)}${canonicalizeQuery(url)}`;
}

function canonicalizeQuery(url: URL): string {
  if (url.search.length < 2) return '';
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !isTracking(pair.split('=', 1)[0] ?? ''));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function isTracking(name: string): boolean {
  const lower = name.toLowerCase();
  return lower.startsWith('utm_') || TRACKING.has(lower);
}

function normalizeHost(url: URL): string {
  return url.hostname.replace(/(?<!\.)\.+$/, '');
}

/** The host without `www.`. */
export function readSite(url: URL): string {
  return normalizeHost(url).replace(/^www\./, '');
}

/** The id that stands in a post's address (`https://host/name/status/123`), or null. */
export function readIdFromAddress(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > MAX_LINK_LENGTH) return null;
  return (
    /^https?:\/\/[^/?#]+\/(?:[^/?#]+\/)*status(?:es)?\/(\d{1,25})(?:[/?#]|$)/i.exec(address)?.[1] ?? null
  );
}
