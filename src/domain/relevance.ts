import { DAY } from './time.ts';

/** BM25 (Robertson and Zaragoza, 2009), the parts of its sum: what `ts_rank` lacks is that rare words say more. */

/** How fast more of the same word stops to count, and how much longer documents are held to it. */
const K1 = 1.5;
const B = 0.75;

/**
 * What a word says that stands in `holding` of `documents` documents; above zero for every word, and for
 * counts that lag behind each other too.
 */
export function inverseDocumentFrequency(holding: number, documents: number): number {
  const held = Math.min(Math.max(0, holding), documents);
  return Math.log(1 + (documents - held + 0.5) / (held + 0.5));
}

/** How much a word says in a document where it stands `times` times; lengths in any one unit. */
export function termSaturation(times: number, length: number, averageLength: number): number {
  const long = averageLength > 0 ? length / averageLength : 1;
  return (times * (K1 + 1)) / (times + K1 * (1 - B + B * long));
}

/**
 * How much a thing is liked before anybody asks: for being new and for being noticed. Bounded, so that it
 * settles what relevance leaves open and never turns it over.
 */

const BASE_WEIGHT = 0.6;
const RECENCY_WEIGHT = 0.25;
const ENGAGEMENT_WEIGHT = 0.15;

/** What the prior does at most: of two things the one that is this many times as relevant stays above. */
export const MAX_PRIOR_RATIO = (BASE_WEIGHT + RECENCY_WEIGHT + ENGAGEMENT_WEIGHT) / BASE_WEIGHT;

/** Over a window, liking for the new falls to 1/e in this part of it: 8 hours of a day, 10 days of a month. */
const RECENCY_DECAY_SHARE = 1 / 3;
/** The window where none was asked for. */
const DEFAULT_WINDOW_DAYS = 30;
/** Reactions below this many are few, also where nothing found has more. */
const MIN_ENGAGEMENT_SCALE = 100;

export type PriorInput = {
  /** Undefined where it is not known: as old as can be. */
  publishedAt: Date | undefined;
  /** Reactions of any kind; undefined where they are not counted: none. */
  engagement?: number | undefined;
};

/**
 * @param window what was asked for; without a beginning it is a month
 * @param most the most engagement among the things that are compared: sources count in different sizes
 * @returns a function to a number from 0.6 to 1
 */
export function createPrior({ from, to }: { from: Date | undefined; to: Date }, most: number) {
  const spanMs = from === undefined ? DEFAULT_WINDOW_DAYS * DAY : Math.max(1, to.getTime() - from.getTime());
  const noticed = Math.log1p(Math.max(MIN_ENGAGEMENT_SCALE, most));
  return ({ publishedAt, engagement = 0 }: PriorInput): number => {
    const ageMs = publishedAt === undefined ? Infinity : Math.max(0, to.getTime() - publishedAt.getTime());
    const recency = Math.exp(-ageMs / (spanMs * RECENCY_DECAY_SHARE));
    const notice = Math.min(1, Math.log1p(Math.max(0, engagement)) / noticed);
    return BASE_WEIGHT + RECENCY_WEIGHT * recency + ENGAGEMENT_WEIGHT * notice;
  };
}
