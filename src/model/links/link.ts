/** Addresses: parsing, and what of them may be shown. Which spellings are one link: `link-identity.ts`. */

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

/** Maximum length of a link in characters, original and its identity: it must fit in a Postgres index. */
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
  return /pass|key(?!words?$)|token|secret/i.test(name);
}

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

/** Without trailing dot. */
export function normalizeHost(url: URL): string {
  return url.hostname.replace(/(?<!\.)\.+$/, '');
}

/** The host of an address without `www.`, as a person names the site; undefined if the address is invalid. */
export function readSite(address: string): string | undefined {
  return parseUrl(address)?.hostname.replace(/^www\./, '');
}

/** The id in a post's address (`https://host/name/status/123`), or null. */
export function readIdFromAddress(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > MAX_LINK_LENGTH) return null;
  return (
    /^https?:\/\/[^/?#]+\/(?:[^/?#]+\/)*status(?:es)?\/(\d{1,25})(?:[/?#]|$)/i.exec(address)?.[1] ?? null
  );
}
