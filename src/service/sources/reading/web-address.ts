/** Addresses that are asked, and addresses that are found. */
import { urlOf } from '../../../contract/url.ts';

/** The longest link that is shown, in characters. */
const LINK_MAX = 2_048;

/** An address below a server's, which may have a path of its own (a mirror, a proxy). */
export function endpoint(server: string, path: string, params: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(path, server.endsWith('/') ? server : `${server}/`);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url;
}

/** A link that can be shown: HTTP, with a host, without user and password. It is text and never fetched. */
export function shownLink(text: string): string | undefined {
  const url = text.length > LINK_MAX ? undefined : urlOf(text);
  if (url === undefined) return undefined;
  const { protocol, hostname, username, password, href } = url;
  const isShown =
    /^https?:$/.test(protocol) &&
    hostname !== '' &&
    username === '' &&
    password === '' &&
    href.length <= LINK_MAX;
  return isShown ? href : undefined;
}
