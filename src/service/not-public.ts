/** Addresses that lead nowhere for whoever reads an answer of a public search. */
import { BlockList } from 'node:net';

/** This machine, and what only its own cable reaches, where clouds keep the secrets of their machines. */
const HERE = listOf(['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16'], ['::/128', '::1/128', 'fe80::/10']);
/** A network of one's own: RFC 1918, RFC 6598, RFC 4193. */
const INTRANET = listOf(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'], ['fc00::/7']);

/** Whether an address is of the machine that looks at it, or of its nearest neighbours; as `URL` spells hosts. */
export function isHere({ hostname }: URL): boolean {
  return /(?:^|\.)localhost\.?$/.test(hostname) || isIn(HERE, hostname);
}

/** Whether an address is of a network that is not the public one, such as an intranet. */
export function isIntranet({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, '');
  const isName = !name.startsWith('[');
  return (
    (isName && (!name.includes('.') || /\.(?:local|internal|home\.arpa)$/.test(name))) || isIn(INTRANET, name)
  );
}

function isIn(list: BlockList, hostname: string): boolean {
  // A v4 address that is written as one of v6 counts as what it is.
  if (hostname.startsWith('[')) return list.check(hostname.slice(1, -1), 'ipv6');
  return /^[\d.]+$/.test(hostname) && list.check(hostname.replace(/\.$/, ''), 'ipv4');
}

function listOf(v4: readonly string[], v6: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (subnet: string, family: 'ipv4' | 'ipv6') => {
    const [net = '', bits] = subnet.split('/');
    list.addSubnet(net, Number(bits), family);
  };
  for (const subnet of v4) add(subnet, 'ipv4');
  for (const subnet of v6) add(subnet, 'ipv6');
  return list;
}
