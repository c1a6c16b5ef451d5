/**
 * Addresses of pictures and videos. Some services sign them anew in each response (`?sig=…&expires=…`), which would make a
 * version of the post each time, so only parameters that select a picture are stored. The raw response has all of them.
 */
import { isPlain } from '../../lib/json-values.ts';

const SELECTING = new Set('format name size width height w h id src url file path image img tag'.split(' '));

/** The address without other parameters and without fragment; other texts as they are. */
export function removeSignature(address: string): string {
  if (!/^https?:\/\/[^\s?#]*[?#]/i.test(address)) return address;
  const [path = '', query = ''] = (address.split('#', 1)[0] ?? '').split(/\?(.*)/s);
  const kept = query.split('&').filter((pair) => SELECTING.has((pair.split('=', 1)[0] ?? '').toLowerCase()));
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

/** The same for all texts in a bounded JSON value (`boundJson`). */
export function removeSignatures(value: unknown): unknown {
  if (typeof value === 'string') return removeSignature(value);
  if (Array.isArray(value)) return value.map(removeSignatures);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, removeSignatures(inner)]));
}
