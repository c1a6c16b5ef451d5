/**
 * Which addresses are the same link. The identity of a link is itself an address, `https://host/path?query`, that
 * the rules leave as it is. Pure, and linear in the length of the address.
 *
 *     scheme          http and https are one
 *     host            lower case, IDN in ASCII, without trailing dot and without `www.`, `m.`, `mobile.`, `old.`, `amp.`
 *     port            80 and 443 removed
 *     path            dot segments resolved, trailing slashes removed
 *     escapes         upper case; unreserved characters are decoded (RFC 3986, 6.2.2); `%2F` is kept
 *     query           tracking parameters removed, global and of the site; others keep their order and spelling
 *     fragment        kept if it is a route (`#/…`, `#!…`), otherwise removed
 *     AMP             the page itself, for AMP caches, paths and parameters
 *     redirects       the address that one contains, where a search engine, an alert or a network redirects to it
 *
 * Then the rules of its site ({@link SITES}). Rules of the configuration come before all of them.
 */

import { MAX_LINK_LENGTH, normalizeHost, parseWebUrl, trimEndSlashes } from './link.ts';
import { keepIdentifying } from './link-parameters.ts';
import { readRedirect } from './link-redirects.ts';
import { type Address, SITES } from './link-sites.ts';

/** A rule of the configuration, for addresses at a host and its subdomains. */
export type OwnLinkRule = {
  host: string;
  /** The host that replaces it. */
  alias?: string | undefined;
  /** The only query parameters that identify a link, tracking parameters included. */
  keep?: readonly string[] | undefined;
  /** Query parameters that do not identify a link. */
  drop?: readonly string[] | undefined;
};

/** Applications of the rules to one address, until they change nothing. Enough for AMP caches of AMP caches. */
const MAX_PASSES = 200;

/**
 * The identity of a link. The identity of an identity is itself.
 * @param own rules of the configuration, which come before those of this folder
 */
export function identifyLink(url: URL, own: readonly OwnLinkRule[] = []): string {
  let identity = url.href;
  let next: URL | null = url;
  for (let pass = 0; pass < MAX_PASSES && next !== null; pass++) {
    const before = identity;
    identity = applyRules(next, own);
    if (identity === before) break;
    next = parseWebUrl(identity);
  }
  return identity;
}

/** {@link identifyLink} for a text; null if it is no link, or too long to be stored. */
export function identifyAddress(address: string, own?: readonly OwnLinkRule[]): string | null {
  const url = address.length > MAX_LINK_LENGTH ? null : parseWebUrl(address);
  if (url === null) return null;
  const identity = identifyLink(url, own);
  return identity.length > MAX_LINK_LENGTH ? null : identity;
}

/**
 * The key of a post: the identity of its address, which links to it have, too. A post without an address of its own has
 * its ID at the service; so has one whose address is a place in a page (`#p12`), because identities have none.
 * @param post.serviceId the key of the service in the database
 */
export function identifyPost(
  post: { serviceId: bigint; externalId: string; url: string | null },
  own?: readonly OwnLinkRule[],
): string {
  const { serviceId, externalId, url } = post;
  const identity = url === null ? null : identifyAddress(url, own);
  const isPlace = url !== null && identity !== null && /#./.test(url) && !identity.includes('#');
  return identity === null || isPlace ? `post:${serviceId}:${externalId}` : identity;
}

/** The host of an identity. */
export function readIdentityHost(identity: string): string {
  return new URL(identity).hostname;
}

function applyRules(url: URL, own: readonly OwnLinkRule[]): string {
  const target = readAmpCache(url) ?? readRedirect(url);
  if (target !== null) return target;
  const bare = removePrefixes(normalizeHost(url));
  const rule = own.find(({ host }) => bare === host || bare.endsWith(`.${host}`));
  const host = rule?.alias ?? bare;
  const address: Address = {
    host,
    port: /^(?:|80|443)$/.test(url.port) ? '' : `:${url.port}`,
    path: trimEndSlashes(normalizeEscapes(url.pathname)),
    query: readQuery(url, { rule, host }),
    route: readRoute(url.hash),
  };
  const site = SITES.find(({ isHost }) => isHost(address.host, address.path));
  if (site === undefined) address.path = removeAmp(address.path);
  else site.rewrite(address);
  return format(address);
}

function format({ host, port, path, query, route }: Address): string {
  const pairs = query.map(({ pair }) => pair).join('&');
  return `https://${host}${port}${path}${pairs === '' ? '' : `?${pairs}`}${route === '' ? '' : `#${route}`}`;
}

/**
 * Labels of hosts that show the same pages to other devices or readers, unless they are the name of the site itself:
 * `amp.com.au`.
 */
const PREFIX =
  /^(?:www|(?:m|mobile|old|amp)(?!\.(?:com?|net|org|edu|gov|ac|ne|or|go)\.[a-z]{2}$))\.(?=[^.]+\.[^.])/;

/** Hosts under which everyone may have a site of any name, `old.github.io` too. */
const HOSTS_OF_SITES = new Set(
  `github.io gitlab.io codeberg.page pages.dev workers.dev netlify.app vercel.app web.app firebaseapp.com herokuapp.com
   onrender.com fly.dev surge.sh glitch.me replit.app readthedocs.io blogspot.com wordpress.com tumblr.com substack.com
   ghost.io livejournal.com neocities.org bandcamp.com itch.io weebly.com wixsite.com`.split(/\s+/),
);

/** A host without such labels. */
export function removePrefixes(host: string): string {
  let bare = host;
  while (PREFIX.test(bare)) {
    const rest = bare.slice(bare.indexOf('.') + 1);
    if (HOSTS_OF_SITES.has(rest) && !bare.startsWith('www.')) break;
    bare = rest;
  }
  return bare;
}

/** Upper-case escapes, and none of unreserved characters. A `%` that begins no escape becomes one. */
function normalizeEscapes(text: string): string {
  return text.replace(/%([\da-f]{2})?/gi, (_, hex: string | undefined) => {
    if (hex === undefined) return '%25';
    const character = String.fromCodePoint(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(character) ? character : `%${hex.toUpperCase()}`;
  });
}

/** The parameters that identify a link. What a rule of the configuration keeps stays, whatever our tables say. */
function readQuery(
  { search }: URL,
  { rule, host }: { rule: OwnLinkRule | undefined; host: string },
): Address['query'] {
  const parameters = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => normalizeEscapes(pair))
    .map((pair) => ({ name: pair.split('=', 1)[0] ?? '', pair }));
  if (rule?.keep !== undefined) return parameters.filter(({ name }) => rule.keep?.includes(name) === true);
  return keepIdentifying(host, parameters).filter(({ name }) => rule?.drop?.includes(name) !== true);
}

/** What a page without its own path shows; empty if the fragment is only a place in the page. */
function readRoute(hash: string): string {
  if (!/^#(?:!|\/.)/.test(hash)) return '';
  const route = trimEndSlashes(normalizeEscapes(hash.slice(1)));
  return route === '!' ? '' : route;
}

/** The address of the page that an AMP cache holds: `/c/s/host/path`, `s` for https. */
function readAmpCache(url: URL): string | null {
  const host = normalizeHost(url);
  const isCache = host.endsWith('.cdn.ampproject.org');
  const isViewer = /^(?:www\.)?(?:google\.[a-z.]{2,8}|bing\.com)$/.test(host);
  if (!isCache && !isViewer) return null;
  const page = (isCache ? /^\/[a-z]{1,2}\/(?:s\/)?(?=[^/]+\.)/ : /^\/amp\/(?:s\/)?(?=[^/]+\.)/).exec(
    url.pathname,
  )?.[0];
  if (page === undefined) return null;
  const address = `https://${url.pathname.slice(page.length)}${url.search}${url.hash}`;
  return parseWebUrl(address) === null ? null : address;
}

/**
 * The path of the page itself. `/amp` counts only after a segment that names an article: with two hyphens or a long
 * number, not `/v2` or `/2026`.
 */
function removeAmp(path: string): string {
  if (/\.amp(?:\.html)?$/i.test(path)) return path.replace(/\.amp(?=(?:\.html)?$)/i, '');
  if (!/\/amp(?:\.html)?$/i.test(path)) return path;
  const page = path.slice(0, path.lastIndexOf('/'));
  return /\d{5}|-[^/]*-/.test(page.slice(page.lastIndexOf('/') + 1)) ? trimEndSlashes(page) : path;
}
