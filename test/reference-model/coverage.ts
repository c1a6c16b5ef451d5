/**
 * Which time each run observed, from the rules in docs/internals/trends.md ("Coverage"): a chain, because a run reaches back
 * to the one before it.
 */
import { findNewestBlock } from '../../src/model/response-rate.ts';
import type { Facts, Result } from './facts.ts';
import { DAY, type History, QUARTER, SECOND, startOf } from './responses.ts';

export type Coverage = {
  result: Result;
  /** The response has every post from `from` to `until`, and some of those from `reached` on. */
  reached: number;
  from: number;
  until: number;
  everySeconds: number;
};

const REPEATED_POSTS = 5;
/** Searches of the model ask for the last day. */
const DATE_FILTER = DAY;
const LONGEST_REACH = 35 * DAY;

/** By search, oldest first. */
export function readCoverage(facts: Facts, history: History): ReadonlyMap<string, readonly Coverage[]> {
  return new Map(
    [...facts.results].map(([slug, results]) => {
      const covered: Coverage[] = [];
      let mostPosts = 0;
      for (const result of results) {
        const coverage = cover(facts, history, { result, before: covered.at(-1), mostPosts });
        if (coverage !== null) covered.push(coverage);
        mostPosts = Math.max(mostPosts, result.posts.length);
      }
      return [slug, covered] as const;
    }),
  );
}

function cover(
  facts: Facts,
  history: History,
  { result, before, mostPosts }: { result: Result; before: Coverage | undefined; mostPosts: number },
): Coverage | null {
  const { search, at, run, posts } = result;
  // Links are not counted over time: a search of operation A that never returned a post has no coverage.
  if (search.operation === 'ai' && posts.length === 0 && mostPosts === 0) return null;
  const everySeconds = search.everySeconds ?? history.intervals.get(run);
  if (everySeconds === undefined) throw new Error(`no interval of run ${run} of ${search.slug}`);
  const pauses = search.pauses.filter(({ from }) => from < at);
  const stoppedAt = pauses.find(({ until }) => until === null || until > at)?.from ?? null;
  const resumedAt = Math.max(
    Number.NEGATIVE_INFINITY,
    ...search.pauses.flatMap(({ until }) => (until === null || until > at ? [] : [until])),
  );
  const until = stoppedAt ?? at;
  const last = before?.until ?? null;
  const isAi = search.operation === 'ai';
  // Time before the last resume, and before the date filter or the last run, was not observed by this one.
  const since = isAi ? at - DATE_FILTER : (last ?? Number.NEGATIVE_INFINITY);
  const earliest = Math.max(resumedAt, since);
  const within = (time: number) => Math.min(Math.max(time, earliest), until);
  const reached = within(isAi ? since : Math.max(at - 2 * everySeconds * SECOND, since));
  const sinceLast = within(Math.max(reached, last ?? reached));
  const observed = (reach: number, from: number) => ({ result, reached: reach, from, until, everySeconds });
  if (posts.length === 0) return observed(sinceLast, sinceLast);

  const times = posts.flatMap((key) => {
    const createdAt = facts.posts.get(key)?.createdAt ?? null;
    return createdAt === null ? [] : [Math.min(createdAt, at)];
  });
  const isFull = posts.length >= mostPosts || (search.count !== null && posts.length >= search.count);
  if (!isFull) {
    // After an outage, it has everything since its oldest post.
    const isAfterOutage = last !== null && last < at - 2 * everySeconds * SECOND;
    const oldest = isAfterOutage ? Math.min(reached, ...times) : reached;
    const from = last === null ? reached : within(oldest);
    return observed(from, from);
  }
  if (before !== undefined && repeatsNewest(facts, before, posts)) return observed(reached, sinceLast);
  const block = findNewestBlock(times)?.from ?? until;
  const newerHalf =
    times.toSorted((a, b) => b - a)[Math.ceil(times.length / 2) - 1] ?? Number.POSITIVE_INFINITY;
  const start = last !== null && block <= last ? newerHalf : block;
  const from = within(last === null ? Math.max(reached, start) : start);
  return observed(Math.min(reached, from), from);
}

/** Whether a response has the five newest posts of the run before: then it is a list of the newest posts. */
function repeatsNewest(facts: Facts, { result, until }: Coverage, posts: readonly string[]): boolean {
  const newest = result.posts
    .flatMap((key) => {
      const createdAt = facts.posts.get(key)?.createdAt ?? null;
      return createdAt === null ? [] : [{ key, at: Math.min(createdAt, until) }];
    })
    .toSorted((a, b) => b.at - a.at)
    .slice(0, REPEATED_POSTS);
  return newest.length === REPEATED_POSTS && newest.every(({ key }) => posts.includes(key));
}

/** A quarter of an hour of a search. */
export type Quarter = {
  /** Start and end of what was observed (ms since 1970), disjoint. */
  observed: (readonly [from: number, until: number])[];
  /** Whether a response was cut off in it. */
  isCut: boolean;
};

export const exposureOf = ({ observed }: Quarter): number =>
  observed.reduce((sum, [from, until]) => sum + until - from, 0);

/** By start: the quarters that some run reached. */
export function readQuarters(coverage: readonly Coverage[]): ReadonlyMap<number, Quarter> {
  const ranges = new Map<number, (readonly [number, number])[]>();
  const cut = new Set<number>();
  for (const { from, until, reached } of coverage) {
    const first = Math.max(reached, until - LONGEST_REACH);
    for (let at = startOf(QUARTER, first); at < until; at += QUARTER) {
      const [start, end] = [Math.max(from, at), Math.min(until, at + QUARTER)];
      if (at < from && reached < from) cut.add(at);
      if (start < end) ranges.set(at, [...(ranges.get(at) ?? []), [start, end]]);
    }
  }
  const starts = [...new Set([...ranges.keys(), ...cut])];
  return new Map(
    starts.map((at) => [at, { observed: join(ranges.get(at) ?? []), isCut: cut.has(at) }] as const),
  );
}

function join(ranges: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const joined: [number, number][] = [];
  for (const [from, until] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], until);
    else joined.push([from, until]);
  }
  return joined;
}
