/**
 * Facts from responses, naively: sort all that services said by time, and read it from the first to the last. Every
 * figure is computed from these, and from nothing that was computed before.
 */
import {
  type Author,
  type Copy,
  COUNTERS,
  type Counter,
  type Counts,
  type History,
  type Response,
  type WatchedSearch,
} from './responses.ts';

/** What one response said of a post. `isNested`: inside another post, so it is partial and no search found it. */
type Seen = { at: number; run: string; copy: Copy; isNested: boolean };

export type Snapshot = { at: number; counts: Counts };

export type Post = {
  key: string;
  service: string;
  id: string;
  firstSeenAt: number;
  /** The newest known values. */
  text: string;
  createdAt: number | null;
  authorId: string;
  isRepost: boolean;
  lang: string | null;
  hashtags: readonly string[];
  urls: readonly string[];
  counts: Counts;
  /** One whenever a counter changed: what that response said, null where it said nothing. */
  snapshots: readonly Snapshot[];
  /** Every response with the post: what it said of its counters. */
  seen: readonly Seen[];
  /** One whenever the text changed. */
  versions: readonly { from: number; until: number | null; run: string; text: string }[];
};

export type Sighting = { search: WatchedSearch; post: Post; at: number; run: string };

/** What a run returned. */
export type Result = {
  search: WatchedSearch;
  run: string;
  at: number;
  /** Keys of posts, in the order of the response. */
  posts: readonly string[];
  response: Response;
};

export type Facts = {
  posts: ReadonlyMap<string, Post>;
  authors: ReadonlyMap<string, Author>;
  /** By search and key of the post. */
  sightings: ReadonlyMap<string, ReadonlyMap<string, Sighting>>;
  /** By search, oldest first. */
  results: ReadonlyMap<string, readonly Result[]>;
};

export function readFacts(history: History): Facts {
  const searches = new Map(history.searches.map((search) => [search.slug, search]));
  const inTime = history.responses.toSorted((a, b) => a.at - b.at);
  const seen = new Map<string, Seen[]>();
  const kept = new Set<string>();
  const quoted = new Map<string, string>();
  for (const response of inTime) {
    const say = (copy: Copy, isNested: boolean) => {
      const key = `${response.service}/${copy.id}`;
      const said = seen.get(key) ?? [];
      said.push({ at: response.at, run: response.run, copy, isNested });
      seen.set(key, said);
      // What only a purged search found is gone.
      if (searches.has(response.search)) kept.add(key);
    };
    for (const post of response.posts) {
      say(post, false);
      if (post.quoted !== null) {
        say(post.quoted, true);
        quoted.set(`${response.service}/${post.id}`, `${response.service}/${post.quoted.id}`);
      }
    }
    for (const orphan of response.orphans) say(orphan, true);
  }
  // A set grows while it is read: what a post that stays quotes, stays.
  for (const key of kept) {
    const other = quoted.get(key);
    if (other !== undefined) kept.add(other);
  }
  const posts = new Map(
    [...seen].flatMap(([key, said]) => (kept.has(key) ? [[key, readPost(key, said)] as const] : [])),
  );

  const sightings = new Map<string, Map<string, Sighting>>(
    history.searches.map(({ slug }) => [slug, new Map()]),
  );
  for (const { search: slug, service, posts: found, at, run } of inTime) {
    const search = searches.get(slug);
    if (search === undefined) continue;
    for (const { id } of found) {
      const post = posts.get(`${service}/${id}`);
      const sighted = sightings.get(slug);
      if (post !== undefined && sighted?.has(post.key) === false)
        sighted.set(post.key, { search, post, at, run });
    }
  }
  return { posts, authors: readAuthors(seen, posts), sightings, results: readResults(inTime, searches) };
}

function readPost(key: string, seen: readonly Seen[]): Post {
  const [first] = seen;
  if (first === undefined) throw new Error('a post that nobody said');
  const full = seen.filter(({ isNested }) => !isNested);
  // What a partial copy says counts as long as no full copy has said it.
  const newest = <T>(read: (copy: Copy) => T | null): T | null =>
    full.map(({ copy }) => read(copy)).findLast((value) => value !== null) ??
    seen.map(({ copy }) => read(copy)).findLast((value) => value !== null) ??
    null;
  return {
    key,
    service: key.slice(0, key.indexOf('/')),
    id: first.copy.id,
    firstSeenAt: first.at,
    text: newest(({ text }) => (text === '' ? null : text)) ?? '',
    createdAt: newest(({ createdAt }) => createdAt),
    authorId: first.copy.author.id,
    isRepost: first.copy.isRepost,
    lang: newest(({ lang }) => lang),
    hashtags: first.copy.hashtags,
    urls: first.copy.urls,
    counts: countsAt(seen, Number.POSITIVE_INFINITY),
    snapshots: listSnapshots(seen),
    seen,
    versions: listVersions(seen),
  };
}

/** The last known value of each counter at a time. A counter is a value at a time, in nested copies too. */
function countsAt(seen: readonly Seen[], at: number): Counts {
  const said = seen.filter((one) => one.at <= at).map(({ copy }) => copy.counts);
  return mapCounters(
    (counter) => said.map((counts) => counts[counter]).findLast((value) => value !== null) ?? null,
  );
}

export const knownCounts = (post: Post, at: number): Counts => countsAt(post.seen, at);

export function mapCounters<T>(read: (counter: Counter) => T): Record<Counter, T> {
  return Object.fromEntries(COUNTERS.map((counter) => [counter, read(counter)])) as Record<Counter, T>; // has all of them
}

function listSnapshots(seen: readonly Seen[]): Snapshot[] {
  const known: Partial<Record<Counter, number>> = {};
  return seen.flatMap(({ at, copy: { counts } }) => {
    const news = COUNTERS.filter((counter) => counts[counter] !== null && counts[counter] !== known[counter]);
    for (const counter of news) known[counter] = counts[counter] ?? 0;
    return news.length === 0 ? [] : [{ at, counts }];
  });
}

function listVersions(seen: readonly Seen[]): Post['versions'] {
  let known = '';
  let isFull = false;
  const changes = seen.flatMap(({ at, run, copy, isNested }, i) => {
    const isNews = copy.text !== '' && copy.text !== known && !(isNested && isFull);
    if (copy.text !== '' && !isNested) isFull = true;
    if (isNews) known = copy.text;
    return isNews || i === 0 ? [{ from: at, run, text: known }] : [];
  });
  return changes.map((change, i) => ({ ...change, until: changes[i + 1]?.from ?? null }));
}

/** What all posts said of the authors whose posts are left: a purge takes posts, and nothing that was known of people. */
function readAuthors(
  seen: ReadonlyMap<string, readonly Seen[]>,
  left: ReadonlyMap<string, Post>,
): Facts['authors'] {
  const kept = new Set([...left.values()].map(({ service, authorId }) => `${service}/${authorId}`));
  const said = [...seen]
    .flatMap(([key, copies]) => copies.map((one) => ({ ...one, service: key.slice(0, key.indexOf('/')) })))
    .filter(({ service, copy }) => kept.has(`${service}/${copy.author.id}`))
    .toSorted((a, b) => a.at - b.at);
  const authors = new Map<string, { full: string[]; partial: string[]; followers: number | null }>();
  for (const { service, copy, isNested } of said) {
    const key = `${service}/${copy.author.id}`;
    const known = authors.get(key) ?? { full: [], partial: [], followers: null };
    (isNested ? known.partial : known.full).push(copy.author.username);
    authors.set(key, { ...known, followers: copy.author.followers ?? known.followers });
  }
  return new Map(
    [...authors].map(([key, { full, partial, followers }]) => {
      const username = full.at(-1) ?? partial.at(-1) ?? '';
      return [key, { id: key.slice(key.indexOf('/') + 1), username, followers }];
    }),
  );
}

function readResults(
  inTime: readonly Response[],
  searches: ReadonlyMap<string, WatchedSearch>,
): Facts['results'] {
  // The result of a run is its newest response, also if the run had failed before that was read, and stays failed.
  const newest = new Map(inTime.map((response) => [response.run, response]));
  const results = new Map<string, Result[]>([...searches.keys()].map((slug) => [slug, []]));
  for (const response of [...newest.values()].toSorted((a, b) => a.at - b.at)) {
    const search = searches.get(response.search);
    if (search === undefined) continue;
    const posts = response.posts.map(({ id }) => `${response.service}/${id}`);
    results.get(search.slug)?.push({ search, run: response.run, at: response.at, posts, response });
  }
  return results;
}
