/**
 * Which Host and Origin headers are accepted. Prevents DNS rebinding: a foreign page whose name resolves to this machine is
 * rejected.
 */
import { isIP } from 'node:net';
import { parseUrl } from '../../model/links/link.ts';

export type BoundAddress = {
  /** Value of HOST. */
  host: string;
  /** Value of BASE_URL. */
  baseUrl: string | undefined;
};

const WILDCARD_HOSTS = new Set(['0.0.0.0', '::', '']);

export function isLoopback(host: string): boolean {
  const name = stripBrackets(host);
  return name === 'localhost' || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name);
}

/** Whether the server is configured to be reachable only from this machine. */
export function isLocalOnly({ host, baseUrl }: BoundAddress): boolean {
  return isLoopback(host) && (baseUrl === undefined || isLoopback(new URL(baseUrl).hostname));
}

/**
 * Whether the `Host` header is ours: a loopback name or the bound address with our port, the host of BASE_URL, or, when
 * bound to all interfaces, `localhost` or any IP address, which DNS rebinding cannot forge.
 * @param header the `Host` header
 * @param port that received the request
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
  const requested = parseHost('http:', header);
  if (requested === undefined) return false;
  const name = stripBrackets(requested.hostname);
  if (WILDCARD_HOSTS.has(stripBrackets(host)) && (name === 'localhost' || isIP(name) > 0)) return true;
  const samePort = Number(requested.port === '' ? 80 : requested.port) === port;
  return samePort && (isLoopback(name) || name === stripBrackets(host).toLowerCase());
}

/**
 * Whether the `Origin` header is ours: that of BASE_URL, or of the requested host.
 * @param header the `Host` header, accepted by {@link isOurHost}
 */
export function isOurOrigin(origin: string, header: string, { baseUrl }: BoundAddress): boolean {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  if (base !== undefined && origin === base.origin) return true;
  // If BASE_URL uses https, an http page of the same host is not ours.
  if (base !== undefined && parseHost(base.protocol, header)?.host === base.host) return false;
  return origin === parseHost('http:', header)?.origin;
}

function parseHost(protocol: string, header: string): URL | undefined {
  return parseUrl(`${protocol}//${header}`);
}

/** Removes the brackets of an IPv6 address. */
function stripBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
