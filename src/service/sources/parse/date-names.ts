/** Names in dates as people and programs write them: months in the languages of the runtime, and time zones. */

import { HOUR, MINUTE } from '../../../lib/time.ts';

// Months.

const ENGLISH_MONTHS =
  'january february march april may june july august september october november december'.split(' ');

/**
 * Languages whose month names are read. Croatian is left out: its "listopad" is October, that of Polish and Czech
 * November.
 */
const LANGUAGES =
  'de de-AT fr es it pt nl ru pl sv da nb fi cs sk hu ro ca tr el uk bg sl lt lv et id is ga eu gl be mk sq az ar he hi bn ta th'.split(
    ' ',
  );
/** Abbreviations that are common, but not those of the runtime. */
const OTHER_MONTHS: readonly (readonly [name: string, month: number])[] = [
  ['mrz', 3],
  ['maerz', 3],
  ['jaenner', 1],
  ['set', 9],
  ['agt', 8],
  // Croatian, without the month of Polish and Czech.
  ['studeni', 11],
  ['studenoga', 11],
  ['studenog', 11],
];

/** Names of all languages by their folded form; null if two languages mean different months. Built on demand. */
let monthNames: Map<string, number | null> | undefined;
/** What words were found to be: the dates of a feed have the same few. */
const knownWords = new Map<string, number | undefined>();
const MAX_KNOWN_WORDS = 1_000;

/**
 * The month that a word names, in full, abbreviated or inflected; from 1. Undefined if it is none, or not certain.
 * @param word folded, see {@link foldWord}
 */
export function findMonth(word: string): number | undefined {
  if (word.length < 3 || word.length > 20) return undefined;
  if (knownWords.has(word)) return knownWords.get(word);
  const month = lookUpMonth(word);
  if (knownWords.size >= MAX_KNOWN_WORDS) knownWords.clear();
  knownWords.set(word, month);
  return month;
}

const WEEKDAY = /^(?:sun|mon|tue|wed|thu|fri|sat)(?:s?day|nesday|rsday|urday|r|rs|s)?$/;

function lookUpMonth(word: string): number | undefined {
  // Most dates have no other words, and building the names of other languages takes 0.1 s.
  if (WEEKDAY.test(word) || ZONE_HOURS.has(word)) return undefined;
  const english = ENGLISH_MONTHS.findIndex((name) => name.startsWith(word)) + 1;
  if (english > 0) return english;
  monthNames ??= listMonthNames();
  // In Hebrew, "in November" is one word.
  const known = monthNames.get(word) ?? monthNames.get(word.replace(/^ב/, ''));
  if (known !== undefined) return known ?? undefined;
  const months = new Set<number | null>();
  for (const [name, month] of monthNames) if (name.startsWith(word)) months.add(month);
  const [only] = months;
  return months.size === 1 ? (only ?? undefined) : undefined;
}

function listMonthNames(): Map<string, number | null> {
  const names = new Map<string, number | null>(OTHER_MONTHS);
  for (const language of LANGUAGES) {
    for (const width of ['long', 'short'] as const) {
      // Alone, and beside a day, where many languages inflect it.
      const formats = [{ month: width }, { day: 'numeric', month: width }] as const;
      for (const options of formats) {
        const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
        for (let month = 1; month <= 12; month += 1) {
          const parts = format.formatToParts(Date.UTC(2026, month - 1, 15));
          const name = foldWord(parts.find(({ type }) => type === 'month')?.value ?? '');
          if (!/^\p{L}{3,}$/u.test(name)) continue;
          const known = names.get(name);
          names.set(name, known === undefined || known === month ? month : null);
        }
      }
    }
  }
  return names;
}

/** Lower case without accents and full stops. */
export function foldWord(word: string): string {
  return word
    .normalize('NFD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase();
}

// Zones.

/**
 * Offsets from UTC in hours. Names with several meanings have that of the region whose feeds use it most: BST is
 * British, IST Indian, CST and EST North American, GST of the Gulf, AST Atlantic.
 */
const ZONES = `0 z ut utc uct universal zulu gmt wet; 1 bst cet mez met wat west; 2 cest mesz mest eet cat sast; 3 eest msk trt eat idt;
  3.5 irst; 4 msd gst samt; 4.5 aft; 5 pkt uzt yekt; 5.5 ist; 5.75 npt; 6 omst bdt; 6.5 mmt; 7 ict wib krat;
  8 hkt sgt myt pht awst wita irkt; 9 jst kst wit yakt; 9.5 acst; 10 aest vlat; 10.5 acdt; 11 aedt; 12 nzst; 13 nzdt;
  -2 brst; -2.5 ndt; -3 brt art uyt clst adt; -3.5 nst; -4 ast edt clt bot vet; -5 est cdt cot pet; -6 cst mdt;
  -7 mst pdt; -8 pst akdt; -9 akst; -10 hst`;
const ZONE_HOURS: ReadonlyMap<string, number> = new Map(
  ZONES.split(';').flatMap((zones) => {
    const [hours, ...names] = zones.trim().split(/\s+/);
    return names.map((name) => [name, Number(hours)] as const);
  }),
);
/** Names that are the same in summer and winter. */
const REGIONS: ReadonlyMap<string, string> = new Map([
  ['et', 'america/new_york'],
  ['ct', 'america/chicago'],
  ['mt', 'america/denver'],
  ['pt', 'america/los_angeles'],
  ['est5edt', 'america/new_york'],
  ['cst6cdt', 'america/chicago'],
  ['mst7mdt', 'america/denver'],
  ['pst8pdt', 'america/los_angeles'],
]);
/** Without a sign, `0100` is ahead of UTC, as mail readers take it. */
const OFFSET = /^(?:utc|gmt|ut)?([+-]|(?=\d{4}$))(\d{1,2})(?::?(\d\d))?$/;
const REGION = /^[a-z]{2,12}\/[a-z_+-]{2,30}(?:\/[a-z_]{2,30})?$/;
/** Offsets reach from -12:00 to +14:00. */
const MAX_OFFSET_MINUTES = 14 * 60;

/**
 * The offset of a zone from UTC in milliseconds: `z`, `+01:00`, `gmt+1`, `cest`, `europe/berlin`. Undefined if it is
 * unknown.
 * @param zone in lower case
 * @param local the time for which it is meant, as if it were UTC: regions have different offsets in summer and winter
 */
export function findZoneOffsetMs(zone: string, local: number): number | undefined {
  const [, sign, hours, minutes = '0'] = OFFSET.exec(zone.replace('−', '-')) ?? [];
  if (sign !== undefined) {
    const offset = Number(hours) * 60 + Number(minutes);
    if (offset > MAX_OFFSET_MINUTES || Number(minutes) > 59) return undefined;
    return (sign === '-' ? -offset : offset) * MINUTE;
  }
  const known = ZONE_HOURS.get(zone);
  if (known !== undefined) return known * HOUR;
  // RFC 5322: the military letters were defined the wrong way around, so they are UTC.
  if (/^[a-ik-z]$/.test(zone)) return 0;
  const region = REGIONS.get(zone) ?? zone;
  return REGION.test(region) ? findRegionOffsetMs(region, local) : undefined;
}

/** By region; creating a format takes longer than parsing a hundred dates. */
const regionFormats = new Map<string, Intl.DateTimeFormat>();
const MAX_REGION_FORMATS = 50;

function findRegionOffsetMs(region: string, local: number): number | undefined {
  const format = regionFormats.get(region) ?? openRegionFormat(region);
  if (format === undefined) return undefined;
  const read = (at: number) => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * HOUR + Number(minutes ?? 0) * MINUTE);
  };
  // Near a change, the first guess may be on its other side.
  return read(local - read(local));
}

function openRegionFormat(region: string): Intl.DateTimeFormat | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: region, timeZoneName: 'longOffset' });
    if (regionFormats.size >= MAX_REGION_FORMATS) regionFormats.clear();
    regionFormats.set(region, format);
    return format;
  } catch {
    return undefined; // no such region
  }
}
