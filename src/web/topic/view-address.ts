/**
 * What the page of a topic or search shows, as in its address: the range of its chart, a window of it, and one list. A list or an
 * order that this page does not have, and a time that is none, are left out, and the page says so.
 */
import { type DateReader, formatMinute, formatTimeOfDay } from '../../lib/display-format.ts';
import { parseTimePoint, resolveTimePoint, TIME_POINT_EXPECTED } from '../../lib/time-point.ts';
import { MINUTE } from '../../lib/time.ts';
import { writeTime } from '../components/list-address.ts';
import { parseLocalTime } from '../lists/list-range.ts';
import { emptyField } from '../request-input.ts';
import { computeRange, type Range, type RangeName, RANGES } from './time-range.ts';
import { z } from 'zod';

export const TABS = ['stories', 'posts', 'links', 'answers', 'voices'] as const;
export type TabName = (typeof TABS)[number];

/** Orders of each list, the usual one first. Lists that compare with now are offered while the window reaches it. */
export const TAB_ORDERS = {
  stories: ['newest', 'oldest', 'biggest'],
  posts: ['newest', 'oldest', 'engagement', 'growth', 'rising', 'outperforming'],
  links: ['newest', 'oldest'],
  answers: ['newest'],
  voices: ['posts'],
} as const satisfies Record<TabName, readonly string[]>;
export type TabOrder = (typeof TAB_ORDERS)[TabName][number];

const ORDERS_OF_NOW: ReadonlySet<TabOrder> = new Set(['rising', 'outperforming']);

/** A part of the range, in whole quarters of an hour; or all of it. */
export type Window = {
  from: Date;
  /** Excluded. */
  until: Date;
  /** Whether it was chosen, and is not simply the range. */
  isPart: boolean;
  /** Whether its end is now, or later. */
  reachesNow: boolean;
  /** Such as `last 7 days` or `20 Nov, 01:00 to 07:00`. */
  words: string;
};

/** What is in the address; what is left out is as usual. */
export type ViewAddress = {
  range?: RangeName | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  tab?: TabName | undefined;
  sort?: TabOrder | undefined;
  /** Whether the chart has the period before. */
  earlier?: boolean | undefined;
};

export type PageView = {
  range: Range;
  window: Window;
  tab: TabName;
  sort: TabOrder;
  earlier: boolean;
  /** The address of this view. */
  address: ViewAddress;
  /** What could not be read, a sentence each. */
  notes: string[];
};

const text = z.string().max(100).optional();
const chosen = <const Name extends string>(names: readonly Name[]) => emptyField.or(z.enum(names)).optional();
export const viewQuery = z.object({
  range: chosen(RANGES),
  from: text,
  to: text,
  tab: chosen(TABS),
  sort: chosen(Object.values(TAB_ORDERS).flat()),
  earlier: text,
});
type ViewQuery = z.infer<typeof viewQuery>;

/** `?range=7d&tab=posts`; a question mark alone for what is usual. */
export function writeView({ range, from, to, tab, sort, earlier }: ViewAddress): string {
  const parts = {
    range,
    from: from && writeTime(from),
    to: to && writeTime(to),
    tab,
    sort,
    earlier: earlier === true ? 'yes' : undefined,
  };
  const written = Object.entries(parts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return `?${written.join('&')}`;
}

/**
 * @param usual the range unless the address has one
 * @param tabs those that the page has, the usual one first
 */
export function readView(
  query: ViewQuery,
  { usual, tabs, now, zone }: { usual: RangeName; tabs: readonly TabName[]; now: Date; zone: string },
): PageView {
  const notes: string[] = [];
  const from = readTime('from', query.from, { now, zone }, notes);
  const to = readTime('to', query.to, { now, zone }, notes);
  const range = computeRange(widenRange(query.range ?? usual, from, now), now);
  const window = chooseWindow(range, { from, to }, { now, zone }, notes);
  const tab = readChoice('tab', query.tab, tabs, notes);
  const orders = listOrders(tab, window);
  const sort = readChoice('sort', query.sort, orders, notes);
  const earlier = query.earlier === 'yes';
  return {
    range,
    window,
    tab,
    sort,
    earlier,
    notes,
    address: {
      range: query.range === undefined && range.name === usual ? undefined : range.name,
      from: window.isPart ? window.from : undefined,
      to: window.isPart ? window.until : undefined,
      tab: tab === tabs[0] ? undefined : tab,
      sort: sort === orders[0] ? undefined : sort,
      earlier,
    },
  };
}

/** The address with times in UTC, if a form sent local ones: an address means the same to everybody. */
export function writeSharedAddress(
  { from, to }: ViewQuery,
  { address }: PageView,
  zone: string,
): string | undefined {
  const isLocal = [from, to].some(
    (given) => given !== undefined && parseLocalTime(given, zone) !== undefined,
  );
  return isLocal ? writeView(address) : undefined;
}

/** The orders that a list has in a window. */
export function listOrders(tab: TabName, { reachesNow }: Window): readonly TabOrder[] {
  const all: readonly TabOrder[] = TAB_ORDERS[tab];
  return all.filter((order) => reachesNow || !ORDERS_OF_NOW.has(order));
}

function readChoice<Name extends string>(
  what: string,
  given: string | undefined,
  [usual, ...others]: readonly Name[],
  notes: string[],
): Name {
  if (usual === undefined) throw new Error(`a page without a ${what}`);
  if (given === undefined || given === '') return usual;
  const choices = [usual, ...others];
  const found = choices.find((name) => name === given);
  if (found === undefined)
    notes.push(`There is no ${what} ${given} here (${choices.join(', ')}): this is ${usual}.`);
  return found ?? usual;
}

/** @returns undefined if it is not given, or cannot be read, which is noted */
function readTime(
  name: 'from' | 'to',
  given: string | undefined,
  { now, zone }: { now: Date; zone: string },
  notes: string[],
): Date | undefined {
  if (given === undefined || given === '') return undefined;
  const local = parseLocalTime(given, zone);
  if (local !== undefined) return local;
  const point = parseTimePoint(given);
  if (point !== undefined) return resolveTimePoint(point, now, name === 'from' ? 'start' : 'end', zone);
  notes.push(
    `${name}: ${JSON.stringify(given)} is no time, and is left out. Expected: ${TIME_POINT_EXPECTED}.`,
  );
  return undefined;
}

/** The range itself, or the shortest one that contains a time. */
function widenRange(range: RangeName, from: Date | undefined, now: Date): RangeName {
  const longer = RANGES.slice(RANGES.indexOf(range));
  if (from === undefined) return range;
  return longer.find((name) => computeRange(name, now).from <= from) ?? longer.at(-1) ?? range;
}

const QUARTER = 15 * MINUTE;

function chooseWindow(
  range: Range,
  { from, to }: { from: Date | undefined; to: Date | undefined },
  reader: { now: Date; zone: string },
  notes: string[],
): Window {
  const whole: Window = {
    from: range.from,
    until: range.until,
    isPart: false,
    reachesNow: true,
    words: `last ${range.words}`,
  };
  if (from === undefined && to === undefined) return whole;
  const start = new Date(Math.floor((from ?? range.from).getTime() / QUARTER) * QUARTER);
  const end = new Date(Math.ceil((to ?? range.until).getTime() / QUARTER) * QUARTER);
  if (start >= end) {
    notes.push('The window ends before it begins, and is left out.');
    return whole;
  }
  return {
    from: start,
    until: end,
    isPart: true,
    reachesNow: end >= reader.now,
    words: describeWindow(start, end, reader),
  };
}

/** `20 Nov, 01:00 to 07:00`, or `20 Nov, 22:00 to 21 Nov, 01:00`. */
function describeWindow(from: Date, until: Date, reader: DateReader): string {
  const [start, end] = [formatMinute(from, reader), formatMinute(until, reader)];
  const day = (words: string) => words.split(',')[0];
  return `${start} to ${day(start) === day(end) ? formatTimeOfDay(until, reader.zone) : end}`;
}
