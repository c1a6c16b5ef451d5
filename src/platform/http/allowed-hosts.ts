/** Under which names we may be asked for: a page of somebody else that makes its own name lead here is not one of us. */
import { isIP } from 'node:net';
import { parseUrl } from '../../domain/link.ts';

export type BoundAddress = {
  /** What HOST says. */
  host: string;
  /** What BASE_URL says. */
  baseUrl: string | undefined;
};

const WILDCARD_HOSTS = new Set(['0.0.0.0', '::', '']);

export function isLoopback(host: string): boolean {
  const name = stripBrackets(host);
  return name === 'localhost' || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name);
}

/** Whether nobody but this machine can reach us, by what was said of it. */
export function isLocalOnly({ host, baseUrl }: BoundAddress): boolean {
  return isLoopback(host) && (baseUrl === undefined || isLoopback(new URL(baseUrl).hostname));
}

/**
 * Whether a request may be addressed so: to this machine's own names or the bound address, with our port; to the
 * host of BASE_URL; and, where we listen everywhere, to `localhost` or any address that is a number, for these no
 * foreign name can pretend to be.
 * @param header the `Host` header
 * @param port at which the request came in
 */
export function isOurHost(
  header: string | undefined,
  port: number,
  { host, baseUrl }: BoundAddress,
): boolean {
  if (header === undefined || !/^[\w.:[\]-]+$/.test(header)) return false;
  if (baseUrl !== undefined) {
    const { protocol, host: base } = new URL(baseUrl);
    if (parseHost(protocol, header)?.host === base) return true;
  }
  const asked = parseHost('http:', header);
  if (asked === undefined) return false;
  const name = stripBrackets(asked.hostname);
  if (WILDCARD_HOSTS.has(stripBrackets(host)) && (name === 'localhost' || isIP(name) > 0)) return true;
  const samePort = Number(asked.port === '' ? 80 : asked.port) === port;
  return samePort && (isLoopback(name) || name === stripBrackets(host).toLowerCase());
}

/**
 * Whether a page of ours made the request, by its `Origin` header: of BASE_URL, or of the host that was asked.
 * @param header the `Host` header, which {@link isOurHost} let pass
 */
export function isOurOrigin(origin: string, header: string, { baseUrl }: BoundAddress): boolean {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  if (base !== undefined && origin === base.origin) return true;
  // Where BASE_URL says that its host is asked by https, a page that came by http is none of ours.
  if (base !== undefined && parseHost(base.protocol, header)?.host === base.host) return false;
  return origin === parseHost('http:', header)?.origin;
}

function parseHost(protocol: string, header: string): URL | undefined {
  return parseUrl(`${protocol}//${header}`);
}

/** Without the brackets of an address of IPv6. */
function stripBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
