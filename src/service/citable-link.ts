/** Which addresses may be cited: none that leads nowhere, or somewhere else, for the reader of a public search. */
import { hasOrdinaryHost, parseUrl } from '../domain/link.ts';
import type { FoundItem } from './sources/search-source.ts';
import { BlockList } from 'node:net';

const SAFE_ADDRESS = /^https?:\/\/[^\s()<>[\]{}"'`\\|^@\p{C}]+$/iu;

/** An item whose address may be cited, the same in every list of the response; none where it may not. */
export function withCitableLink(item: FoundItem): FoundItem[] {
  const link = toCitableLink(item.link);
  if (link === undefined) return [];
  return [link === item.link ? item : { ...item, link }];
}

/**
 * The address of something on the web as it may be written in `[n](address)`, or undefined where it may not: no
 * web address, one that holds a name or password, or one of the reader's own machine. Whatever could end the
 * citation or begin another is percent-encoded; nothing else changes.
 */
export function toCitableLink(link: string): string | undefined {
  if (hasOrdinaryHost(link) && SAFE_ADDRESS.test(link) && !/localhost/i.test(link)) return link;
  const url = parseUrl(link);
  if (url === undefined) return undefined;
  // The brackets of a v6 address can neither stand there nor be encoded.
  if (isLocalAddress(url) || url.hostname.startsWith('[')) return undefined;
  if (SAFE_ADDRESS.test(link)) return link;
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '')
    return undefined;
  return url.href.replace(
    /[()<>[\]{}"'`\\|^\s]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** This machine and its link-local network, where clouds keep the credentials of their machines. */
const LOCAL_NETWORKS = createBlockList(
  ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16'],
  ['::/128', '::1/128', 'fe80::/10'],
);
/** A network of one's own: RFC 1918, RFC 6598, RFC 4193. */
const PRIVATE_NETWORKS = createBlockList(
  ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
  ['fc00::/7'],
);

/** Whether an address is of the machine that opens it, or of its link-local network; as `URL` spells hosts. */
export function isLocalAddress({ hostname }: URL): boolean {
  return /(?:^|\.)localhost\.?$/.test(hostname) || isInNetworks(LOCAL_NETWORKS, hostname);
}

/** Whether an address is of a network that is not the public one, such as an intranet. */
export function isPrivateAddress({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, '');
  const isName = !name.startsWith('[');
  return (
    (isName && (!name.includes('.') || /\.(?:local|internal|home\.arpa)$/.test(name))) ||
    isInNetworks(PRIVATE_NETWORKS, name)
  );
}

function isInNetworks(list: BlockList, hostname: string): boolean {
  // A v4 address that is written as one of v6 counts as what it is.
  if (hostname.startsWith('[')) return list.check(hostname.slice(1, -1), 'ipv6');
  return /^[\d.]+$/.test(hostname) && list.check(hostname.replace(/\.$/, ''), 'ipv4');
}

function createBlockList(v4: readonly string[], v6: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (subnet: string, family: 'ipv4' | 'ipv6') => {
    const [net = '', bits] = subnet.split('/');
    list.addSubnet(net, Number(bits), family);
  };
  for (const subnet of v4) add(subnet, 'ipv4');
  for (const subnet of v6) add(subnet, 'ipv6');
  return list;
}
