/** What the list of a topic or search shows: one page of items, how many there are, and their volume over time. */

import { createCursor, orderKey } from '../../monitor/http/cursors.ts';
import { idKey } from '../../model/value-shapes.ts';
import { type IsMatch, readMatchesOfItems, type ShownItem } from '../../store/archive/matched-words.ts';
import { type Matching, matchesAll } from '../../store/archive/matching-items.ts';
import type { Id, Reads } from '../../store/db/database.ts';
import {
  DISCOVERY_VIEWS,
  type DiscoveryView,
  readNewestDiscoveries,
  selectDiscoveries,
} from '../../store/queries/discoveries.ts';
import { countItems, countItemsOverTime, type ItemSelection } from '../../store/queries/item-counts.ts';
import { readLinkPage, selectLinks } from '../../store/queries/link-pages.ts';
import type { LinkRow } from '../../store/queries/links.ts';
import { type DescribedDiscovery, describeDiscoveries } from '../../store/queries/described-discoveries.ts';
import { describeTitles } from '../../store/queries/named-posts.ts';
import {
  isByTime,
  POST_ORDERS,
  type PostOrder,
  readPostPage,
  selectPosts,
} from '../../store/queries/post-pages.ts';
import type { PostRow } from '../../store/queries/post-detail.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import { type BucketSum, readVolumeSums } from '../../store/queries/volume.ts';
import type { ListKind, ListScope } from '../components/list-address.ts';
import { buildVolume, type Volume } from '../topic/topic-data.ts';
import { emptyField, readKey } from '../request-input.ts';
import { LIST_RANGES, type ListRange } from './list-range.ts';
import { z } from 'zod';

export const PAGE_SIZE = 50;
/** Posts of a list without a query are counted up to this number. */
export const MAX_COUNTED = 10_000;

/** A list: its kind, scope and filters, as in its address. */
export type List = {
  kind: ListKind;
  scope: ListScope;
  /** The searches of the scope. */
  searches: readonly SearchRow[];
  matching: Matching;
  range: ListRange;
  /** Of posts; other lists are sorted by time. */
  order: PostOrder;
  /** Of discoveries. */
  view: DiscoveryView;
  /** Of discoveries: only later ones than this, without baselines. */
  after: Id | undefined;
};

/** `count`: what posts are sorted by; null if they are sorted by time, or if it is unknown. */
export type ListItem =
  | { kind: 'post'; post: PostRow; count: number | null }
  | { kind: 'link'; link: LinkRow }
  | { kind: 'discovery'; discovery: DescribedDiscovery };

/** The texts of an item that may have translations. */
export function listTexts(item: ListItem): (string | null)[] {
  if (item.kind === 'post') return [item.post.text];
  if (item.kind === 'discovery') return [item.discovery.text];
  return [item.link.title, item.link.snippet ?? item.link.summary_description];
}

/** Lists by id use the first key for nothing. */
type ListKeys = [by: bigint, id: Id];
export const listCursor = createCursor<ListKeys, unknown>('page', z.tuple([orderKey, idKey]));

/** The address of a list. */
export const listQuery = z.object({
  q: emptyField.or(z.string()).optional(),
  from: emptyField.or(z.string()).optional(),
  to: emptyField.or(z.string()).optional(),
  range: emptyField.or(z.enum(LIST_RANGES)).optional(),
  sort: emptyField.or(z.enum(POST_ORDERS)).optional(),
  view: emptyField.or(z.enum(DISCOVERY_VIEWS)).optional(),
  /** Zero: since a visit before the first discovery. */
  after: emptyField
    .or(z.string().refine((text) => text === '0' || readKey(text) !== undefined, 'an id: digits only'))
    .optional(),
  cursor: listCursor.param.optional(),
});

type PlacedItem = { item: ListItem; keys: ListKeys };
/** The items after a place, one more than a page has if there is a next one. */
export async function readListItems(
  db: Reads,
  list: List,
  place: ListKeys | undefined,
  limit = PAGE_SIZE + 1,
): Promise<PlacedItem[]> {
  const filter = { ...describeSelection(list), limit };
  const before = place?.[1];
  switch (list.kind) {
    case 'posts': {
      const { order } = list;
      const after = place === undefined ? undefined : { by: place[0], id: place[1] };
      const posts = await readPostPage(db, { ...filter, order, after });
      return posts.map(({ post, place: { by, id } }) => {
        const count = isByTime(order) || by < 0n ? null : Number(by);
        return { item: { kind: 'post', post, count }, keys: [by, id] };
      });
    }
    case 'links': {
      const page = await readLinkPage(db, { ...filter, before });
      const links = await describeTitles(db, page, ({ id }) => id);
      return links.map((link) => ({ item: { kind: 'link', link }, keys: [0n, link.id] }));
    }
    case 'discoveries': {
      const rows = await describeDiscoveries(db, await readNewestDiscoveries(db, { ...filter, before }));
      return rows.map((discovery) => ({ item: { kind: 'discovery', discovery }, keys: [0n, discovery.id] }));
    }
  }
}

/** The words of each item that the query sought. */
export async function readListMatches(
  db: Reads,
  { matching: { query } }: List,
  items: readonly ListItem[],
): Promise<(item: ListItem) => IsMatch | undefined> {
  const matches = await readMatchesOfItems(
    db,
    query,
    items.flatMap((item) => describeItem(item) ?? []),
  );
  return (item) => {
    const shown = describeItem(item);
    return shown === undefined ? undefined : matches(shown);
  };
}

/** The indexed post or link that an item is, with what the list shows of it. */
function describeItem(item: ListItem): ShownItem | undefined {
  if (item.kind === 'post') {
    const { id, text, author_username, author_name } = item.post;
    return { kind: 'post', id, texts: [text, author_username, author_name] };
  }
  if (item.kind === 'link') {
    const { id, title, snippet, summary_description } = item.link;
    return { kind: 'link', id, texts: [title, snippet, summary_description] };
  }
  const { post_id, named_post_id, link_id, text, author_username } = item.discovery;
  const post = named_post_id ?? post_id;
  if (post !== null) return { kind: 'post', id: post, texts: [text, author_username] };
  return link_id === null ? undefined : { kind: 'link', id: link_id, texts: [text] };
}

export type ListVolume = {
  /** Null: more than {@link MAX_COUNTED}. */
  total: number | null;
  volume: Volume;
};

/** Bars are the listed items, counted here; of a list without a query that is too long to count, by the volume, which counts the same. */
export async function readListVolume(db: Reads, list: List): Promise<ListVolume> {
  const { from, until, per, seconds } = list.range.chart;
  const span = { from, until, stepMs: seconds * 1_000 };
  const once = list.scope.search === undefined;
  const isBounded = list.kind === 'posts' && matchesAll(list.matching);
  const counted = isBounded ? await countItems(db, await selectItems(db, list, MAX_COUNTED + 1)) : 0;
  const observed =
    list.kind === 'posts'
      ? await readVolumeSums(db, { searchIds: list.searches.map(({ id }) => id), per, from, until, once })
      : { buckets: listWatched(list, span), searches: [] };
  if (counted > MAX_COUNTED)
    return { total: null, volume: trimStart(list.range, buildVolume(observed.buckets, span)) };
  const { total, buckets } = await countItemsOverTime(db, await selectItems(db, list), list.range.chart);
  const byTime = new Map(observed.buckets.map((bucket) => [bucket.at.getTime(), { ...bucket, posts: 0 }]));
  for (const { at, items } of buckets) {
    const { least = false, partial = false } = byTime.get(at.getTime()) ?? {};
    byTime.set(at.getTime(), { at, posts: items, least, partial });
  }
  return { total, volume: trimStart(list.range, buildVolume([...byTime.values()], span)) };
}

/** A list without a start begins where anything was observed. */
function trimStart({ since }: List['range'], { at, values, least, partial }: Volume): Volume {
  const first = since === undefined ? values.findIndex((value) => value !== null) : 0;
  const from = Math.max(0, first);
  return {
    at: at.slice(from),
    values: values.slice(from),
    least: least.slice(from),
    partial: partial.slice(from),
  };
}

/** Buckets in which a search existed: links and discoveries are counted when they are found. */
function listWatched(
  { searches }: List,
  { from, until, stepMs }: { from: Date; until: Date; stepMs: number },
): BucketSum[] {
  const first = Math.min(...searches.map(({ created_at }) => created_at.getTime()));
  const buckets: BucketSum[] = [];
  for (let at = from.getTime(); at < until.getTime(); at += stepMs)
    if (at + stepMs > first) buckets.push({ at: new Date(at), posts: 0, least: false, partial: false });
  return buckets;
}

function selectItems(db: Reads, list: List, most?: number): Promise<ItemSelection> {
  const filter = describeSelection(list);
  switch (list.kind) {
    case 'posts':
      return selectPosts(db, filter, most);
    case 'links':
      return selectLinks(db, filter, most);
    case 'discoveries':
      return selectDiscoveries(db, filter, most);
  }
}

function describeSelection({ scope, matching, range, view, after }: List) {
  const { topic, search } = scope;
  return {
    ...(search === undefined ? { topic } : { search }),
    matching,
    view,
    since: range.since,
    until: range.until,
    ...(after === undefined ? {} : { after, baseline: false }),
  };
}
