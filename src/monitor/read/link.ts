/** Addresses as they come in an answer, read into links; what a link is stands in contract/link.ts. */
import { canonicalOf, isWebUrl, siteOf, webUrl } from '../../contract/link.ts';
import { clean } from '../../contract/text.ts';
import type { RejectCode } from '../../errors.ts';
import type { LinkRef } from './findings.ts';

/** The longest address, as it came and in canonical form: an index in Postgres holds it. */
export const LINK_MAX = 2_048;

export type ReadAddress =
  | { link: LinkRef; code?: undefined }
  | { link?: undefined; code: Extract<RejectCode, 'no_link' | 'bad_link' | 'link_too_long'> };

/** Reads an address into its canonical form and its site (the host without `www.`), or says why not. */
export function readLink(value: unknown): ReadAddress {
  if (value === undefined || value === null) return { code: 'no_link' };
  if (typeof value !== 'string') return { code: 'bad_link' };
  const address = clean(value, LINK_MAX * 4).trim();
  if (address === '') return { code: 'no_link' };
  if (address.length > LINK_MAX) return { code: 'link_too_long' };
  const url = webUrl(address);
  if (url === null) return { code: 'bad_link' };
  const canonical = canonicalOf(url);
  if (canonical.length > LINK_MAX) return { code: 'link_too_long' };
  return { link: { canonical, address, site: siteOf(url) } };
}

/** An address that may be shown and followed: http or https, no credentials, not too long; else null. */
export function readAddress(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LINK_MAX) return null;
  const address = clean(value).trim();
  return isWebUrl(address) ? address : null;
}
