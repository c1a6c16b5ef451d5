/** The same thing found several times is one thing: under two addresses, as a copy, as a repost. */
import { canonicalLink } from '../link.ts';
import type { Found } from '../source.ts';
import { areAlike, bandsOf, type Shingles, shinglesOf } from './shingles.ts';

/** Texts that share this part of their runs are copies. */
const ALIKE = 0.7;

/** Things by number; the lists name them, each once, at the best place it had. */
export type Folded = { things: Found[]; lists: number[][] };

/**
 * Folds what has the same canonical address, then what has nearly the same text. Of one address the first
 * that was met is shown, with what only the others say. Of copies the original is shown: what is no repost,
 * then the earliest, then the first that was met. It does not change from run to run with the order of the
 * copies, and its age is the age of what it says.
 */
export function foldDoubles(lists: readonly (readonly Found[])[]): Folded {
  const pages: Found[] = [];
  const byLink = new Map<string, number>();
  const pageOf = (found: Found) => {
    const link = canonicalLink(found.link);
    const known = byLink.get(link);
    if (known === undefined) {
      byLink.set(link, pages.length);
      return pages.push(found) - 1;
    }
    pages[known] = joined(pages[known] ?? found, found);
    return known;
  };
  const inPages = lists.map((list) => list.map(pageOf));
  const { things, thingOf } = foldCopies(pages);
  return { things, lists: inPages.map((list) => [...new Set(list.map((page) => thingOf[page] ?? 0))]) };
}

function foldCopies(pages: readonly Found[]): { things: Found[]; thingOf: number[] } {
  const things: Found[] = [];
  const shingles: Shingles[] = [];
  // Who had a band first: copies share many, so that it is enough to meet once.
  const firstWith = new Map<number, number>();
  const thingOf = pages.map((page) => {
    const own = shinglesOf(textOf(page));
    const keys = bandsOf(own);
    for (const thing of new Set(keys.map((key) => firstWith.get(key)))) {
      const other = thing === undefined ? undefined : shingles[thing];
      if (thing === undefined || other === undefined || !areAlike(own, other, ALIKE)) continue;
      things[thing] = original(things[thing] ?? page, page);
      return thing;
    }
    for (const key of keys) if (!firstWith.has(key)) firstWith.set(key, things.length);
    shingles.push(own);
    return things.push(page) - 1;
  });
  return { things, thingOf };
}

/** One page as several sources saw it. */
function joined(first: Found, other: Found): Found {
  const { engagement: a, ...rest } = first;
  const { engagement: b } = other;
  return {
    ...rest,
    title: first.title || other.title,
    snippet: first.snippet || other.snippet,
    summaryDescription: first.summaryDescription || other.summaryDescription,
    publishedAt: earlier(first.publishedAt, other.publishedAt),
    ...(a === undefined && b === undefined ? {} : { engagement: Math.max(a ?? 0, b ?? 0) }),
  };
}

function original(first: Found, other: Found): Found {
  const reposted = Number(first.post?.is_repost === true) - Number(other.post?.is_repost === true);
  if (reposted !== 0) return reposted > 0 ? other : first;
  return (other.publishedAt?.getTime() ?? Infinity) < (first.publishedAt?.getTime() ?? Infinity)
    ? other
    : first;
}

function earlier(a: Date | undefined, b: Date | undefined): Date | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a <= b ? a : b;
}

/** What a thing says; a post says its text, whatever its title was made of. */
function textOf({ title, snippet, post }: Found): string {
  return post === undefined && !snippet.startsWith(title) ? `${title} ${snippet}` : snippet;
}
