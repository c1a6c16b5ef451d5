/** Addresses of pages with parameters. The address of a list of a topic or search holds the whole state of the list. */

import type { DiscoveryView } from '../../store/queries/discoveries.ts';

export const LIST_KINDS = ['posts', 'links', 'discoveries'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** A topic with a view of its discoveries, or one of its searches. */
export type ListScope = { topic: string; search?: string | undefined; view?: DiscoveryView | undefined };

/** What a list shows, as in its address: `q` (a query of `model/search-query.ts`), `from`, `to` and others. */
type ListParameters = Readonly<Record<string, string | Date | undefined>>;

/** A path with those of the parameters that are set. */
export function writeAddress(
  path: string,
  parameters: Readonly<Record<string, string | bigint | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Where the pages of a topic or search begin. */
export function writeScopePath({ topic, search }: ListScope): string {
  return search === undefined ? `/topics/${topic}` : `/searches/${search}`;
}

/** `/topics/ferry/posts?q=lang:en&from=2026-11-21T13:00Z` */
export function writeListPath(kind: ListKind, scope: ListScope, parameters: ListParameters = {}): string {
  const isBySearch = kind === 'discoveries' && scope.search === undefined && scope.view === 'search';
  const all: ListParameters = { ...(isBySearch ? { view: 'search' } : {}), ...parameters };
  const query = Object.entries(all).flatMap(([name, value]) =>
    value === undefined || value === ''
      ? []
      : [
          `${name}=${encodeURIComponent(value instanceof Date ? writeTime(value) : value).replaceAll('%3A', ':')}`,
        ],
  );
  return `${writeScopePath(scope)}/${kind}${query.length === 0 ? '' : '?'}${query.join('&')}`;
}

/** `2026-11-21T13:00Z`; with seconds only if there are any. */
export function writeTime(at: Date): string {
  return at.toISOString().replace(/(?::00)?\.000Z$/, 'Z');
}
