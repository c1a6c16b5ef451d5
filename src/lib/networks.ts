/** Which IP addresses are public, and which belong to this machine. */
import { BlockList } from 'node:net';

/** This machine and its link-local network, where clouds serve instance credentials. */
const LOCAL = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '::/128', '::1/128', 'fe80::/10'];

/**
 * RFC 6890 and later registrations, without {@link LOCAL}: private, shared, protocols, documentation, benchmarks,
 * multicast.
 */
const SPECIAL_4 = (
  '10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'
).split(' ');

/** Within 2000::/3, the only assigned part of IPv6: Teredo and protocols, documentation, 6to4, documentation. */
const SPECIAL_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
const ASSIGNED_6 = '2000::/3';
const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

const local = createBlockList(LOCAL);
const special = createBlockList([...LOCAL, ...SPECIAL_4, ...SPECIAL_6]);
const assigned = createBlockList([ASSIGNED_6]);

/** Whether an address is global unicast. @param address as returned by the resolver, without brackets */
export function isPublic(address: string): boolean {
  const plain = withoutMapping(address);
  if (!plain.includes(':')) return !special.check(plain, 'ipv4');
  return assigned.check(plain, 'ipv6') && !special.check(plain, 'ipv6');
}

/** Whether an address belongs to this machine or its link-local network. @param address see {@link isPublic} */
export function isLocal(address: string): boolean {
  return isInNetworks(local, address);
}

/** Whether a list contains an address; IPv4-mapped IPv6 addresses count as IPv4. */
export function isInNetworks(list: BlockList, address: string): boolean {
  const plain = withoutMapping(address);
  return list.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4');
}

/** @param subnets valid subnets such as `10.0.0.0/8` */
export function createBlockList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', bits] = subnet.split('/');
    const family = net.includes(':') ? 'ipv6' : 'ipv4';
    list.addSubnet(net, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return list;
}

/** `::ffff:7f00:1` and `::ffff:127.0.0.1` are 127.0.0.1. */
function withoutMapping(address: string): string {
  if (!address.includes(':')) return address;
  // URL normalizes the spelling of an IPv6 address.
  const spelt = new URL(`http://[${address.split('%')[0] ?? ''}]/`).hostname.slice(1, -1);
  const dotted = MAPPED.exec(spelt)?.[1];
  if (dotted !== undefined) return dotted;
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(spelt) ?? [];
  if (high === undefined || low === undefined) return spelt;
  const n = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join('.');
}
