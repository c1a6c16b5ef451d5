/**
 * Validates URLs given by users before requests are sent to them: parsing, DNS resolution, public or allowed addresses, and
 * loops back to this program. Also the network of a client, and the code of a failed connection.
 */

import { HIDDEN, InvalidInput, readErrorCode } from '../model/errors.ts';
import { parseUrl } from '../model/links/link.ts';
import { createBlockList, isInNetworks, isPublic } from '../lib/networks.ts';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { type BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Where this program listens. A webhook to itself would be processed as a request. */
export type OwnListeners = {
  ports: readonly number[];
  /** URL of the proxy in front; undefined if there is none. */
  baseUrl: string | undefined;
};

const LOOPBACK = createBlockList(['127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128']);

/**
 * Whether a request to `url` would reach this program: one of its ports at an address of this machine, or its public URL.
 * @param addresses all addresses of the host of `url`
 */
export function leadsToOurselves(url: URL, addresses: readonly LookupAddress[], own: OwnListeners): boolean {
  const { baseUrl } = own;
  if (baseUrl !== undefined && new URL(baseUrl).host === url.host) return true;
  const port = Number(url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port);
  return own.ports.includes(port) && addresses.some(({ address }) => isThisMachine(address));
}

function isThisMachine(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return (
    isInNetworks(LOOPBACK, address) ||
    isInNetworks(createBlockList(own.map((entry) => entry.address)), address)
  );
}

const MAX_ADDRESS_LENGTH = 2_000;

/**
 * Parses a URL as WHATWG URL does, so that `0x7f.1` and `2130706433` are recognized as 127.0.0.1.
 * @throws InvalidInput, without the given value: the path may contain a secret
 */
export function readWebAddress(text: string, path: string): URL {
  const refuse = (expected: string) => new InvalidInput([{ path, given: HIDDEN, expected }]);
  const expected = 'a URL such as https://hooks.host/path';
  if (text.length > MAX_ADDRESS_LENGTH) throw refuse(`${expected}, at most ${MAX_ADDRESS_LENGTH} characters`);
  const url = parseUrl(text.trim());
  if (url === undefined) throw refuse(expected);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refuse(`${expected}; only https and http are supported`);
  if (url.username !== '' || url.password !== '')
    throw refuse(`${expected}, without user or password (messages are signed instead)`);
  url.hash = '';
  return url;
}

/** Non-public destinations that the operator allows, and the variable that lists them. */
export type Allowed = { hosts: ReadonlySet<string>; networks: BlockList; variable: string };

/** All addresses of a host, from the system resolver. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/** A destination that is not allowed. The message is for a person. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
  readonly code = 'NOT_ALLOWED';
}

/**
 * Reads a list such as `127.0.0.1, 10.1.0.0/16, hooks.intranet`.
 * @param variable its name, for error messages
 * @throws InvalidInput
 */
export function readAllowed(list: string | undefined, variable: string): Allowed {
  const hosts = new Set<string>();
  const networks: string[] = [];
  for (const entry of (list ?? '').split(',').map((part) => part.trim().toLowerCase())) {
    if (entry === '') continue;
    const [net = '', bits, ...rest] = entry.replace(/^\[(.*)\]$/, '$1').split('/');
    const family = isIP(net);
    const most = family === 6 ? 128 : 32;
    if (
      family !== 0 &&
      rest.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
    )
      networks.push(bits === undefined ? net : `${net}/${bits}`);
    else if (family === 0 && bits === undefined && /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(net))
      hosts.add(net);
    else
      throw new InvalidInput([
        {
          path: variable,
          given: entry,
          expected: 'hosts, addresses or networks, comma-separated: hooks.lan, 127.0.0.1, 10.0.0.0/8',
        },
      ]);
  }
  return { hosts, networks: createBlockList(networks), variable };
}

/**
 * Resolves a URL to the addresses that a request may use. All of them must be public or allowed. The request must use one
 * of these addresses without resolving the name again, because a second lookup may return another address.
 * @throws NotAllowed, and errors of the resolver
 */
export async function resolveAllowed(
  { protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>,
  allowed: Allowed,
  resolve: Resolve,
): Promise<readonly LookupAddress[]> {
  const host = hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
  const family = isIP(host);
  // Without a lookup, the name decides; with networks allowed, only its addresses can.
  const isNamed = allowed.hosts.has(host) || allowed.networks.rules.length > 0;
  const addresses =
    family === 0
      ? await resolve(host).catch((error: unknown) => {
          throw protocol === 'https:' || isNamed ? error : createHttpRefusal(host, allowed);
        })
      : [{ address: host, family }];
  if (addresses.length === 0) throw new NotAllowed(`${host} has no address`);
  for (const { address } of addresses) {
    const named = allowed.hosts.has(host) || isInNetworks(allowed.networks, address);
    if (!named && !isPublic(address))
      throw new NotAllowed(
        `${host === address ? host : `${host} resolves to ${address}, which`} is not a public address. To allow it, add it to ${allowed.variable}.`,
      );
    if (!named && protocol !== 'https:') throw createHttpRefusal(host, allowed);
  }
  return addresses;
}

function createHttpRefusal(host: string, { variable }: Allowed): NotAllowed {
  return new NotAllowed(`${host} requires https. To allow http, add it to ${variable}.`);
}

/** A lookup function for `net.connect` that returns the checked addresses of {@link resolveAllowed}. */
export function createFixedLookup(addresses: readonly LookupAddress[]) {
  return (
    _host: string,
    options: { all?: boolean | undefined },
    done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
}

/**
 * The network by which an address is counted: with IPv6, one client has any number of addresses in one /64.
 * @param address as a socket names it
 * @returns an address of IPv4, or the first 64 bits of one of IPv6
 */
export function extractNetwork(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail);
  const between = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: between }, () => '0'), ...after].slice(0, 4).join(':');
}

/**
 * The network error as a code (`ECONNREFUSED`): messages may repeat outside text. It is that of the error, or else of the
 * first of its attempts if there were several, or else of its cause.
 */
export function findNetworkCode(error: unknown): string | undefined {
  const code = readErrorCode(error);
  if (code !== undefined && /^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return code;
  if (!(error instanceof Error)) return undefined;
  const attempt = error instanceof AggregateError ? findNetworkCode(error.errors[0]) : undefined;
  return attempt ?? findNetworkCode(error.cause);
}
