/** Addresses of feeds. */

/** The path of the Atom document that a key reads. */
export function writeFeedPath(key: string): string {
  return `/feeds/${key}.atom`;
}

/** What an open feed shows: a topic or a search, or everything; with or without a query. */
export type OpenFeed = {
  topic?: string | undefined;
  search?: string | undefined;
  query?: string | undefined;
};

/** The path of the Atom document for visitors who may read everything. */
export function writeOpenFeedPath(feed: OpenFeed): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(feed))
    if (value !== undefined && value !== '') query.set(name, value);
  return `/feed.atom${query.size === 0 ? '' : `?${query.toString()}`}`;
}
