/** Which addresses may be cited: none that leads nowhere, or somewhere else, for the reader of a public search. */
import { hasOrdinaryHost, parseUrl } from '../model/links/link.ts';
import { isLocal, isPublic } from '../lib/networks.ts';

const SAFE_ADDRESS = /^https?:\/\/[^\s()<>[\]{}"'`\\|^@\p{C}]+$/iu;

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

/** Whether an address is of the machine that opens it, or of its link-local network; as `URL` spells hosts. */
export function isLocalAddress({ hostname }: URL): boolean {
  if (/(?:^|\.)localhost\.?$/.test(hostname)) return true;
  const address = readIpAddress(hostname);
  return address !== undefined && isLocal(address);
}

/** Whether an address is of a network other than the public internet, such as an intranet. */
export function isPrivateAddress({ hostname }: URL): boolean {
  const address = readIpAddress(hostname);
  if (address !== undefined) return !isPublic(address) && !isLocal(address);
  const name = hostname.replace(/\.$/, '');
  return !name.includes('.') || /\.(?:local|internal|home\.arpa)$/.test(name);
}

/** The address that stands in place of a host's name, if one does. */
function readIpAddress(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return /^[\d.]+$/.test(hostname) ? hostname.replace(/\.$/, '') : undefined;
}
