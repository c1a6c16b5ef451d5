/** Merges results that are the same: two addresses, copies, reposts. */

import { identifyAddress } from '../../model/links/link-identity.ts';
import { mixBits } from '../../lib/mix-bits.ts';
import type { FoundItem } from '../sources/search-source.ts';

/** Minimum share of common shingles for two texts to be copies. */
const MIN_COPY_LIKENESS = 0.7;

/** Distinct items by index; the lists contain indexes, each once, at its best rank. */
type FoldedLists = { things: FoundItem[]; lists: number[][] };

/**
 * Merges items with the same canonical address, then those with nearly the same text. For one address, the first item
 * is kept and completed from the others. Of copies, the original is kept: not a repost, then the earliest, then the
 * first. This does not depend on the order of the copies, and the age is that of the original.
 */
export function foldDuplicates(lists: readonly (readonly FoundItem[])[]): FoldedLists {
  const pages: FoundItem[] = [];
  const byLink = new Map<string, number>();
  const pageOf = (item: FoundItem) => {
    const link = canonicalizeLink(item.link);
    const known = byLink.get(link);
    if (known === undefined) {
      byLink.set(link, pages.length);
      return pages.push(item) - 1;
    }
    pages[known] = mergeItems(pages[known] ?? item, item);
    return known;
  };
  const inPages = lists.map((list) => list.map(pageOf));
  const { things, thingOf } = foldCopies(pages);
  return { things, lists: inPages.map((list) => [...new Set(list.map((page) => thingOf[page] ?? 0))]) };
}

function foldCopies(pages: readonly FoundItem[]): { things: FoundItem[]; thingOf: number[] } {
  const things: FoundItem[] = [];
  const shingles: Shingles[] = [];
  // First item with each band: copies share many bands, so one is enough.
  const firstWith = new Map<number, number>();
  const thingOf = pages.map((page) => {
    const own = computeShingles(readItemText(page));
    const keys = computeBands(own);
    for (const thing of new Set(keys.map((key) => firstWith.get(key)))) {
      const other = thing === undefined ? undefined : shingles[thing];
      if (thing === undefined || other === undefined || !areAlike(own, other, MIN_COPY_LIKENESS)) continue;
      things[thing] = chooseOriginal(things[thing] ?? page, page);
      return thing;
    }
    for (const key of keys) if (!firstWith.has(key)) firstWith.set(key, things.length);
    shingles.push(own);
    return things.push(page) - 1;
  });
  return { things, thingOf };
}

/** Merges one page as returned by several sources. */
function mergeItems(first: FoundItem, other: FoundItem): FoundItem {
  const { engagement: a, periodVouched, ...rest } = first;
  const { engagement: b } = other;
  const publishedAt = pickEarlier(first.publishedAt, other.publishedAt);
  const isVouched = periodVouched === true || other.periodVouched === true;
  return {
    ...rest,
    title: first.title || other.title,
    snippet: first.snippet || other.snippet,
    summaryDescription: first.summaryDescription || other.summaryDescription,
    publishedAt,
    ...(publishedAt === undefined && isVouched && { periodVouched: true }),
    ...(a === undefined && b === undefined ? {} : { engagement: Math.max(a ?? 0, b ?? 0) }),
  };
}

function chooseOriginal(first: FoundItem, other: FoundItem): FoundItem {
  const reposted = Number(first.post?.is_repost === true) - Number(other.post?.is_repost === true);
  if (reposted !== 0) return reposted > 0 ? other : first;
  return (other.publishedAt?.getTime() ?? Infinity) < (first.publishedAt?.getTime() ?? Infinity)
    ? other
    : first;
}

function pickEarlier(a: Date | undefined, b: Date | undefined): Date | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a <= b ? a : b;
}

/** The text of an item; for a post its text only, since its title may be derived. */
function readItemText({ title, snippet, post }: FoundItem): string {
  return post === undefined && !snippet.startsWith(title) ? `${title} ${snippet}` : snippet;
}

/** For comparison only; the response contains the address as the source returned it. */
export function canonicalizeLink(link: string): string {
  return identifyAddress(link) ?? link;
}

/** The first item for each page. */
export function dedupeByLink<T extends { link: string }>(items: readonly T[]): T[] {
  const seen = new Set<string>();
  return items.filter(({ link }) => {
    const canonical = canonicalizeLink(link);
    if (seen.has(canonical)) return false;
    seen.add(canonical);
    return true;
  });
}

/*
 * Text similarity: the Jaccard index of five-character shingles over letters and digits, without addresses and
 * mentions. A sketch (one-permutation MinHash) finds candidates; the shingles decide.
 */

const RUN_LENGTH = 5;
/** The rest of a text is ignored. */
const MAX_CHARACTERS = 280;
/** Two neighboring bins form a band: texts with a similarity of 0.7 share one of 16 with a probability of 99.99 %. */
const BIN_BITS = 5;
const BINS = 1 << BIN_BITS;
const EMPTY_BIN = 0x7fff_ffff;
/** 2^32 divided by the golden ratio, odd: spreads neighboring values. */
const GOLDEN = 0x9e3779b1;
const ADDRESS_OR_MENTION = /https?:\/\/\S+|^rt\s+@\w+:|@\w+/gu;
/** 31 to the power of `RUN_LENGTH`, as a 32-bit integer: the weight of the oldest character in a rolling hash. */
const OLDEST_WEIGHT = (31 ** RUN_LENGTH) | 0;

/** Reused for each text: allocating would take longer than the work. Lower-casing can lengthen a text. */
const letters = new Uint16Array(3 * MAX_CHARACTERS);
const hashes = new Int32Array(3 * MAX_CHARACTERS);

type Shingles = {
  /** Shingle hashes, with duplicates. */
  runs: Int32Array;
  /** Hash of the digits in order: texts that differ in a number are not copies. */
  digits: number;
  sketch: Int32Array;
};

function computeShingles(text: string): Shingles {
  const lower = text.slice(0, MAX_CHARACTERS).toLowerCase();
  const plain = lower.includes('@') || lower.includes('://') ? lower.replace(ADDRESS_OR_MENTION, ' ') : lower;
  const sketch = new Int32Array(BINS).fill(EMPTY_BIN);
  let length = 0;
  let count = 0;
  let rolling = 0;
  let digits = 0;
  for (let i = 0; i < plain.length; i++) {
    const code = plain.charCodeAt(i);
    const digit = code >= 48 && code <= 57;
    // Every character beyond ASCII counts as a letter: an exact check costs more than it gains.
    if (!digit && code < 128 && (code < 97 || code > 122)) continue;
    if (digit) digits = (Math.imul(digits, 31) + code) | 0;
    letters[length] = code;
    rolling =
      (Math.imul(rolling, 31) +
        code -
        (length < RUN_LENGTH ? 0 : Math.imul(OLDEST_WEIGHT, letters[length - RUN_LENGTH] ?? 0))) |
      0;
    length += 1;
    if (length < RUN_LENGTH) continue;
    hashes[count] = rolling;
    count += 1;
    // The upper bits choose the bin; the others are its minimum hash.
    const spread = Math.imul(rolling, GOLDEN);
    const bin = spread >>> (32 - BIN_BITS);
    if (spread < (sketch[bin] ?? 0)) sketch[bin] = spread;
  }
  return { runs: hashes.slice(0, count), digits, sketch };
}

/** Band keys; similar texts share at least one. */
function computeBands({ runs, sketch }: Shingles): number[] {
  const bands: number[] = [];
  let whole = runs.length;
  for (let bin = 0; bin < BINS; bin += 2) {
    const a = sketch[bin] ?? EMPTY_BIN;
    const b = sketch[bin + 1] ?? EMPTY_BIN;
    const band = mixBits(Math.imul(a, 31) + b + bin);
    whole = (Math.imul(whole, 31) + band) | 0;
    if (a !== EMPTY_BIN && b !== EMPTY_BIN) bands.push(band);
  }
  // Identical texts match, however short.
  return [...bands, mixBits(whole)];
}

/** Whether two texts share at least this share of shingles, and all digits. */
function areAlike(a: Shingles, b: Shingles, least: number): boolean {
  if (a.digits !== b.digits) return false;
  const shorter = Math.min(a.runs.length, b.runs.length);
  if (shorter === 0 || shorter < least * Math.max(a.runs.length, b.runs.length) * 0.8) return false;
  if (estimateSimilarity(a.sketch, b.sketch) < least - 0.35) return false;
  const runs = new Set(a.runs);
  const others = new Set(b.runs);
  let common = 0;
  for (const run of others) if (runs.has(run)) common += 1;
  return common >= least * (runs.size + others.size - common);
}

/** Share of equal bins: estimates the Jaccard index to about 0.1. */
function estimateSimilarity(a: Int32Array, b: Int32Array): number {
  let same = 0;
  let used = 0;
  for (let bin = 0; bin < BINS; bin++) {
    if (a[bin] === EMPTY_BIN && b[bin] === EMPTY_BIN) continue;
    used += 1;
    if (a[bin] === b[bin]) same += 1;
  }
  return used === 0 ? 0 : same / used;
}
