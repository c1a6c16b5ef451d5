/** Addresses of provider endpoints, and links of results. */

import { MAX_LINK_LENGTH, parseUrl } from '../../../model/links/link.ts';

/** Parameters of a request; as a list, a name may be repeated. */
export type QueryParams =
  | Readonly<Record<string, string>>
  | readonly (readonly [name: string, value: string])[];

/** An address below a server's base URL, which may have a path (a mirror, a proxy). */
export function buildEndpoint(server: string, path: string, params: QueryParams = {}): URL {
  const url = new URL(path, server.endsWith('/') ? server : `${server}/`);
  const pairs = Array.isArray(params) ? params : Object.entries(params);
  for (const [name, value] of pairs) url.searchParams.append(name, value);
  return url;
}

/** An address of characters that addresses may have, or letters of any script. */
const ORDINARY_CHARACTERS = /^[^\s\p{C}\\"<>`{}|^]+$/u;

/** A link that can be displayed, as the provider gave it: HTTP, with a host, without credentials. Never fetched. */
export function toShownLink(text: string): string | undefined {
  const url = text.length > MAX_LINK_LENGTH ? undefined : parseUrl(text);
  if (url === undefined) return undefined;
  const { protocol, hostname, username, password, href } = url;
  const isShown =
    /^https?:$/.test(protocol) &&
    hostname !== '' &&
    username === '' &&
    password === '' &&
    href.length <= MAX_LINK_LENGTH;
  if (!isShown) return undefined;
  return ORDINARY_CHARACTERS.test(text) && text.startsWith(`${protocol}//`) ? text : href;
}
