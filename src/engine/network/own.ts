/** Where requests would come back to this program: it would take for an order what was meant as a message. */
import type { LookupAddress } from 'node:dns';
import { networkInterfaces } from 'node:os';
import { isIn, listOf } from './public.ts';

/** The doors of this program, as it was told to open them. */
export type OwnDoors = {
  ports: readonly number[];
  /** Under which address a proxy is reached; undefined where there is none. */
  baseUrl: string | undefined;
};

const LOOPBACK = listOf(['127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128']);

/**
 * Whether a request to `url` would come to a door of this program: one of its ports at an address of this machine, or
 * the address under which others reach it. @param addresses all that the host of `url` has
 */
export function leadsBack(url: URL, addresses: readonly LookupAddress[], doors: OwnDoors): boolean {
  const { baseUrl } = doors;
  if (baseUrl !== undefined && new URL(baseUrl).host === url.host) return true;
  const port = Number(url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port);
  return doors.ports.includes(port) && addresses.some(({ address }) => isThisMachine(address));
}

function isThisMachine(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return isIn(LOOPBACK, address) || isIn(listOf(own.map((one) => one.address)), address);
}
