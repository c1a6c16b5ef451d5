/**
 * Where a request may lead that somebody else named: the address as it was given, what its host resolves to, whether that is
 * public or allowed, and whether it would come back to this program.
 */

import { HIDDEN, InvalidInput } from '../domain/errors.ts';
import { createBlockList, isInNetworks, isPublic } from '../domain/networks.ts';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { type BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Where this program listens: a message that came back to it would be taken for a request. */
export type OwnListeners = {
  ports: readonly number[];
  /** Under which address a proxy is reached; undefined where there is none. */
  baseUrl: string | undefined;
};

const LOOPBACK = createBlockList(['127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128']);

/**
 * Whether a request to `url` would come back to this program: to one of its ports at an address of this machine, or
 * the address under which others reach it. @param addresses all that the host of `url` has
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
    isInNetworks(LOOPBACK, address) || isInNetworks(createBlockList(own.map((one) => one.address)), address)
  );
}

const MAX_ADDRESS_LENGTH = 2_000;

/**
 * An address as WHATWG URL reads it, so that `0x7f.1` and `2130706433` are seen as what they are.
 * @throws InvalidInput; nothing behind the host is repeated, for it may be a secret
 */
export function readWebAddress(given: string, path: string): URL {
  const refuse = (expected: string) => new InvalidInput([{ path, given: HIDDEN, expected }]);
  const expected = 'an address such as https://hooks.host/path';
  if (given.length > MAX_ADDRESS_LENGTH)
    throw refuse(`${expected}, of at most ${MAX_ADDRESS_LENGTH} characters`);
  const url = parseAddress(given.trim());
  if (url === undefined) throw refuse(expected);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refuse(`${expected}; only https and http are spoken`);
  if (url.username !== '' || url.password !== '')
    throw refuse(`${expected}, without user or password: messages are signed`);
  url.hash = '';
  return url;
}

function parseAddress(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** What may be sent to beside public hosts, as this program's owner says. */
export type Allowed = { hosts: ReadonlySet<string>; networks: BlockList };

/** All addresses of a host, as the system's resolver has them now. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/** An address that a request must not be sent to. Its message is for a person. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
  readonly code = 'NOT_ALLOWED';
}

/**
 * Reads a list such as `127.0.0.1, 10.1.0.0/16, hooks.intranet`.
 * @param variable which one it is, for the words of a refusal
 * @throws InvalidInput
 */
export function readAllowed(list: string | undefined, variable: string): Allowed {
  const hosts = new Set<string>();
  const networks: string[] = [];
  for (const given of (list ?? '').split(',').map((one) => one.trim().toLowerCase())) {
    if (given === '') continue;
    const [net = '', bits, ...rest] = given.replace(/^\[(.*)\]$/, '$1').split('/');
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
          given,
          expected: 'hosts, addresses or networks parted by commas: hooks.lan, 127.0.0.1, 10.0.0.0/8',
        },
      ]);
  }
  return { hosts, networks: createBlockList(networks) };
}

/**
 * Addresses that a request to this place may be sent to. Each has to be public or allowed: a name of which one
 * address is public and another is not is refused as a whole. The request must go to one of these addresses and
 * not look the name up again, or the second answer may be another.
 * @throws NotAllowed, and what the resolver throws
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
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new NotAllowed(`${host} has no address`);
  for (const { address } of addresses) {
    const named = allowed.hosts.has(host) || isInNetworks(allowed.networks, address);
    if (!named && !isPublic(address))
      throw new NotAllowed(
        `${host} leads to ${address}, which is not public, and WEBHOOK_ALLOW does not name it`,
      );
    if (!named && protocol !== 'https:')
      throw new NotAllowed(`${host} is asked for without TLS; http is for hosts that WEBHOOK_ALLOW names`);
  }
  return addresses;
}
