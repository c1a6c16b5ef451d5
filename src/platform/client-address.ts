/** The address of a client: its connection's, or, behind proxies of the operator, the one that these report. */

import { isInNetworks } from '../lib/networks.ts';
import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';

/** Proxies in a row; a header has room for a thousand addresses. */
const MAX_PROXIES = 50;

/**
 * The client's address. `X-Forwarded-For` counts only if the connection comes from a trusted proxy. Each proxy appends the
 * address that it sees, so the header is read from the right, up to the first address that is no trusted proxy; what is
 * left of it may be forged. A value that is no address is ignored, with everything left of it.
 * @param trusted networks of `TRUSTED_PROXIES`
 * @returns an address without brackets and port; empty if the connection has none
 */
export function readClientAddress(
  { socket, headers }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  trusted: BlockList | undefined,
): string {
  let address = socket.remoteAddress ?? '';
  const forwarded = headers['x-forwarded-for'];
  if (trusted === undefined || forwarded === undefined || isIP(address) === 0) return address;
  const reported = [forwarded].flat().join(',').split(',').slice(-MAX_PROXIES).toReversed();
  for (const text of reported) {
    if (!isInNetworks(trusted, address)) return address;
    const next = parseAddress(text);
    if (next === undefined) return address;
    address = next;
  }
  return address;
}

/** Some proxies add a port: `192.0.2.7:4711`, `[2001:db8::1]:4711`. */
function parseAddress(text: string): string | undefined {
  const [, bracketed, dotted] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text.trim()) ?? [];
  const address = bracketed ?? dotted ?? text.trim();
  return isIP(address) === 0 ? undefined : address;
}
