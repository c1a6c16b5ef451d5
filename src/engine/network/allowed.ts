/** Where requests may lead to that others name: public hosts, and those beside that this program's owner allows. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { type BlockList, isIP } from 'node:net';
import { InvalidInput } from '../../errors.ts';
import { isIn, isPublic, listOf } from './public.ts';

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
  return { hosts, networks: listOf(networks) };
}

/**
 * Addresses that a request to this place may be sent to. Each has to be public or allowed: a name of which one
 * address is public and another is not is refused as a whole. The request must go to one of these addresses and
 * not look the name up again, or the second answer may be another.
 * @throws NotAllowed, and what the resolver throws
 */
export async function reachable(
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
    const named = allowed.hosts.has(host) || isIn(allowed.networks, address);
    if (!named && !isPublic(address))
      throw new NotAllowed(
        `${host} leads to ${address}, which is not public, and WEBHOOK_ALLOW does not name it`,
      );
    if (!named && protocol !== 'https:')
      throw new NotAllowed(`${host} is asked for without TLS; http is for hosts that WEBHOOK_ALLOW names`);
  }
  return addresses;
}
