/** Under which names we may be asked for: a page of somebody else that makes its own name lead here is not one of us. */
import { isIP } from 'node:net';
import { urlOf } from '../../../contract/url.ts';

export type Bound = {
  /** What HOST says. */
  host: string;
  /** What BASE_URL says. */
  baseUrl: string | undefined;
};

const EVERYWHERE = new Set(['0.0.0.0', '::', '']);

export function isLoopback(host: string): boolean {
  const name = bare(host);
  return name === 'localhost' || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name);
}

/** Whether nobody but this machine can reach us, by what was said of it. */
export function isPrivate({ host, baseUrl }: Bound): boolean {
  return isLoopback(host) && (baseUrl === undefined || isLoopback(new URL(baseUrl).hostname));
}

/**
 * Whether a request may be addressed so: to this machine's own names or the bound address, with our port; to the
 * host of BASE_URL; and, where we listen everywhere, to `localhost` or any address that is a number, for these no
 * foreign name can pretend to be.
 * @param header the `Host` header
 * @param port at which the request came in
 */
export function isOurHost(header: string | undefined, port: number, { host, baseUrl }: Bound): boolean {
  if (header === undefined || !/^[\w.:[\]-]+$/.test(header)) return false;
  if (baseUrl !== undefined) {
    const { protocol, host: base } = new URL(baseUrl);
    if (hostIn(protocol, header)?.host === base) return true;
  }
  const asked = hostIn('http:', header);
  if (asked === undefined) return false;
  const name = bare(asked.hostname);
  if (EVERYWHERE.has(bare(host)) && (name === 'localhost' || isIP(name) > 0)) return true;
  const samePort = Number(asked.port === '' ? 80 : asked.port) === port;
  return samePort && (isLoopback(name) || name === bare(host).toLowerCase());
}

/**
 * Whether a page of ours made the request, by its `Origin` header: of BASE_URL, or of the host that was asked.
 * @param header the `Host` header, which {@link isOurHost} let pass
 */
export function isOurOrigin(origin: string, header: string, { baseUrl }: Bound): boolean {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  if (base !== undefined && origin === base.origin) return true;
  // Where BASE_URL says that its host is asked by https, a page that came by http is none of ours.
  if (base !== undefined && hostIn(base.protocol, header)?.host === base.host) return false;
  return origin === hostIn('http:', header)?.origin;
}

function hostIn(protocol: string, header: string): URL | undefined {
  return urlOf(`${protocol}//${header}`);
}

/** Without the brackets of an address of IPv6. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
