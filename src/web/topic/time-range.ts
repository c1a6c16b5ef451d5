/** The time range of a page. */
import { DAY, HOUR } from '../../lib/time.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';

export const RANGES = ['24h', '7d', '30d', '90d'] as const;
export type RangeName = (typeof RANGES)[number];

export type Range = {
  name: RangeName;
  per: 'hour' | 'day';
  /** Whole hours or days (UTC), including the current one. */
  from: Date;
  until: Date;
  /** Follows "last" in sentences. */
  words: string;
  /** Share of the range that has elapsed, up to 1. */
  passed: number;
};

const RANGE_WORDS: Readonly<Record<RangeName, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
};
const RANGE_LENGTHS_MS: Readonly<Record<RangeName, number>> = {
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '90d': 90 * DAY,
};

/** Younger searches are shown per hour. */
const YOUNG_MS = 2 * DAY;

export function computeRange(name: RangeName, now: Date): Range {
  const per = name === '24h' || name === '7d' ? 'hour' : 'day';
  const step = per === 'hour' ? HOUR : DAY;
  const until = (Math.floor(now.getTime() / step) + 1) * step;
  const from = until - RANGE_LENGTHS_MS[name];
  return {
    name,
    per,
    from: new Date(from),
    until: new Date(until),
    words: RANGE_WORDS[name],
    passed: (now.getTime() - from) / (until - from),
  };
}

/** The default range: a week, or a day if every search is younger than two days. */
export function chooseRange(searches: readonly Pick<SearchRow, 'created_at'>[], now: Date): RangeName {
  return isYoung(searches, now) ? '24h' : '7d';
}

/** Whether every search is younger than two days. */
export function isYoung(searches: readonly Pick<SearchRow, 'created_at'>[], now: Date): boolean {
  return searches.every(({ created_at }) => now.getTime() - created_at.getTime() < YOUNG_MS);
}
