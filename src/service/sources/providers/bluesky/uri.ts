/** Where a post of Bluesky lies: whose repository, and its key there. Neither ever changes. */
const POST_URI = /^at:\/\/(did:[^\s\p{C}/]+)\/app\.bsky\.feed\.post\/([^\s\p{C}/]+)$/u;

export type PostPlace = { did: string; key: string };

/** Undefined for what is no post: a list, a feed, a profile. */
export function postPlace(uri: string | undefined): PostPlace | undefined {
  const match = uri === undefined || uri.length > 512 ? null : POST_URI.exec(uri);
  return match === null ? undefined : { did: match[1] ?? '', key: match[2] ?? '' };
}

/** `did:plc:abc:3kxyz`, the id of a post: handles change, these do not. Null for what is no post. */
export function postId(uri: string | undefined): string | null {
  const place = postPlace(uri);
  return place === undefined ? null : `${place.did}:${place.key}`;
}
