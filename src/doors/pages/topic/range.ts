/** How far back a page looks. */
import { DAY, HOUR } from '../../../engine/clock.ts';

export const RANGES = ['24h', '7d', '30d', '90d'] as const;
export type RangeName = (typeof RANGES)[number];

export type Range = {
  name: RangeName;
  per: 'hour' | 'day';
  /** Whole hours, or whole days (UTC) of which the last is not over. */
  from: Date;
  until: Date;
  /** In words, after "the last". */
  words: string;
};

const WORDS: Readonly<Record<RangeName, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
};
const LENGTHS: Readonly<Record<RangeName, number>> = {
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '90d': 90 * DAY,
};

export function rangeOf(name: RangeName, now: Date): Range {
  const hour = Math.floor(now.getTime() / HOUR) * HOUR;
  const words = WORDS[name];
  if (name === '24h' || name === '7d')
    return { name, per: 'hour', from: new Date(hour - LENGTHS[name]), until: new Date(hour), words };
  const tomorrow = (Math.floor(now.getTime() / DAY) + 1) * DAY;
  return { name, per: 'day', from: new Date(tomorrow - LENGTHS[name]), until: new Date(tomorrow), words };
}
