/**
 * How much a thing is liked before anybody asks: for being new and for being noticed. Bounded, so that it
 * settles what relevance leaves open and never turns it over.
 */
import { DAY } from '../engine/clock.ts';

const BASE = 0.6;
const RECENCY = 0.25;
const ENGAGEMENT = 0.15;

/** What the prior does at most: of two things the one that is this many times as relevant stays above. */
export const PRIOR_BOUND = (BASE + RECENCY + ENGAGEMENT) / BASE;

/** Over a window, liking for the new falls to 1/e in this part of it: 8 hours of a day, 10 days of a month. */
const FALL = 1 / 3;
/** The window where none was asked for. */
const USUAL_DAYS = 30;
/** Reactions below this many are few, also where nothing found has more. */
const FEW = 100;

export type Liked = {
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
export function priorOver({ from, to }: { from: Date | undefined; to: Date }, most: number) {
  const spanMs = from === undefined ? USUAL_DAYS * DAY : Math.max(1, to.getTime() - from.getTime());
  const noticed = Math.log1p(Math.max(FEW, most));
  return ({ publishedAt, engagement = 0 }: Liked): number => {
    const ageMs = publishedAt === undefined ? Infinity : Math.max(0, to.getTime() - publishedAt.getTime());
    const recency = Math.exp(-ageMs / (spanMs * FALL));
    const notice = Math.min(1, Math.log1p(Math.max(0, engagement)) / noticed);
    return BASE + RECENCY * recency + ENGAGEMENT * notice;
  };
}
