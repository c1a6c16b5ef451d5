/** Addresses: parsing, and which spellings are the same link. */

/**
 * Parses an address by the WHATWG rules; undefined if it is invalid. Does not use `URL.canParse`: in Node 20, once V8
 * has optimized a caller (after some thousand calls), it rejects addresses with letters such as ü, and long-running
 * processes would lose links to such hosts.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Maximum length of a link in characters, original and canonical: it must fit in a Postgres index. */
export const MAX_LINK_LENGTH = 2_048;

/** Removes trailing slashes, so that a path can be appended. Linear in their number. */
export function trimEndSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}

/** Removes what may be secret: the password, and the values of query parameters. */
export function maskUrl(address: string): string {
  const url = new URL(address);
  if (url.password !== '') url.password = '***';
  for (const name of new Set(url.searchParams.keys()))
    if (isSecretParameter(name)) url.searchParams.set(name, '***');
  return url.href;
}

/** Whether a query parameter is likely to hold a secret, by its name. */
export function isSecretParameter(name: string): boolean {
  return /pass|key|token|secret/i.test(name);
}

/** Query parameters that identify where a reader came from, not the content. */
const TRACKING = new Set(
  `fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid twclid ttclid igshid igsh
   mc_cid mc_eid mkt_tok _ga _gl _hsenc _hsmi vero_id oly_anon_id oly_enc_id
   ref_src ref_url guccounter`.split(/\s+/),
);

/** Parses a web address; null if it is none. */
export function parseWebUrl(address: string): URL | null {
  // Requires `//`, since `URL` also accepts `https:host` and `\\host`.
  const url = /^https?:\/\/[^\s/\\]/i.test(address) ? parseUrl(address) : undefined;
  if (url === undefined) return null;
  return url.username === '' && url.password === '' && normalizeHost(url) !== '' ? url : null;
}

/** Whether {@link parseWebUrl} accepts it. */
export function isWebUrl(address: string): boolean {
  return hasOrdinaryHost(address) || parseWebUrl(address) !== null;
}

/**
 * Whether a host consists of ordinary labels, the last one starts with a letter (a number may be out of range), and
 * none is Punycode (which may be invalid). Addresses with such a host are always valid. Nearly all have one, and
 * parsing an address takes a microsecond.
 */
export function hasOrdinaryHost(address: string): boolean {
  return ORDINARY.test(address);
}
const ORDINARY = /^https?:\/\/(?:(?!xn--)[a-z\d-]+\.)+(?!xn--)[a-z][a-z\d-]*(?:[/?#]|$)/i;

/** {@link canonicalizeUrl} for a text; null if it is no link. */
export function canonicalizeAddress(address: string): string | null {
  if (CANONICAL.test(address)) return address;
  const url = parseWebUrl(address);
  return url === null ? null : canonicalizeUrl(url);
}
/** An ordinary host and path: already canonical. */
const CANONICAL = /^https:\/\/(?:(?!xn--)[a-z\d-]+\.)+(?!xn--)[a-z][a-z\d-]*(?:\/[\w-][\w.-]*)*$/;

/**
 * The identity of a link: the rules by which two spellings are the same link.
 *
 *     host            lower case, IDN in ASCII (as in URLs), without trailing dot; `www.` is kept
 *     scheme          http becomes https
 *     port            removed if it is the default of either original scheme
 *     path            dot segments resolved, trailing slashes removed; `%2F` is kept
 *     query           names in TRACKING removed; others keep their order and spelling
 *     fragment        removed
 *
 * Not a link: other schemes (`ftp:`, `mailto:`, `javascript:`), relative addresses, addresses with credentials.
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

/** The id in a post's address (`https://host/name/status/123`), or null. */
export function readIdFromAddress(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > MAX_LINK_LENGTH) return null;
  return (
    /^https?:\/\/[^/?#]+\/(?:[^/?#]+\/)*status(?:es)?\/(\d{1,25})(?:[/?#]|$)/i.exec(address)?.[1] ?? null
  );
}
