import { assert, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePublishedAt } from '../../../src/service/sources/parse/published-at.ts';

const iso = (text: string) => parsePublishedAt(text)?.toISOString();

describe('times that common programs write', () => {
  // All of them are the same instant.
  test.each([
    '2026-11-21T10:00:00Z',
    '2026-11-21T10:00:00.000Z',
    '2026-11-21t10:00:00z',
    '2026-11-21T10:00Z',
    '2026-11-21T11:00:00+01:00',
    '2026-11-21T11:00:00+0100',
    '2026-11-21T11:00:00+01',
    '2026-11-21T11:00:00 +01:00',
    '2026-11-21 10:00:00',
    '2026-11-21 10:00',
    '2026-11-21T10:00:00',
    '2026-11-21 10:00:00 UTC',
    '2026-11-21 10:00:00 +0000 UTC',
    '2026-11-21 11:00:00 CET',
    '2026-11-21T11:00:00+01:00[Europe/Berlin]',
    '2026-11-21T10:00:00.123456789012Z',
    '2026/11/21 10:00:00',
    '2026.11.21 10:00',
    '20261121T100000Z',
    '2026-11-21T9:60:00Z'.replace('9:60', '10:00'),
    '2026-11-21, 10:00 am',
    '1795255200',
    '1795255200000',
    'Sat, 21 Nov 2026 10:00:00 GMT',
    'Sat, 21 Nov 2026 10:00:00 UTC',
    'Sat, 21 Nov 2026 10:00:00 Z',
    'Sat, 21 Nov 2026 10:00:00',
    'Sat, 21 Nov 2026 10:00',
    'Sat, 21 Nov 2026 10:00:00 +0000',
    'Sat, 21 Nov 2026 10:00:00 +0000 (UTC)',
    'Sat, 21 Nov 2026 10:00:00 -0000',
    'Sat, 21 Nov 2026 11:00:00 (midday) +0100 (CET)',
    'Sat, 21 Nov 2026 05:00:00 -0500',
    'Sat, 21 Nov 2026 05:00:00 -05:00',
    'Sat, 21 Nov 2026 11:00:00 +01',
    'Sat, 21 Nov 2026 11:00:00 GMT+1',
    'Sat, 21 Nov 2026 11:00:00 GMT+01:00',
    'Sat, 21 Nov 2026 11:00:00 UTC +0100',
    'Sat, 21 Nov 2026 11:00:00 Europe/Berlin',
    'Sat, 21 Nov 2026 05:00:00 America/New_York',
    'Sat,21 Nov 2026 10:00:00 GMT',
    'Sat 21 Nov 2026 10:00:00 GMT',
    'Saturday, 21 November 2026 10:00:00 GMT',
    'Mon, 21 Nov 2026 10:00:00 GMT',
    '21 Nov 2026 10:00:00 GMT',
    '21 Nov 26 10:00 GMT',
    '21-Nov-2026 10:00:00 GMT',
    'Saturday, 21-Nov-26 10:00:00 GMT',
    '21/Nov/2026 10:00:00 +0000',
    '21.11.2026 10:00',
    '21.11.2026, 10:00 Uhr',
    '21/11/2026 10:00:00',
    '11/21/2026 10:00:00',
    'Sat Nov 21 10:00:00 2026',
    'Sat Nov 21 10:00:00 UTC 2026',
    'Sat Nov 21 11:00:00 CET 2026',
    'Sat Nov 21 2026 10:00:00 GMT+0000 (Coordinated Universal Time)',
    'Nov 21, 2026 10:00:00 AM',
    'November 21, 2026 at 10:00 a.m.',
    'November 21st, 2026, 10am',
    'Sat, 21 Nov 2026 10:00:00 AM GMT',
    'Sat, Nov 21, 2026 5:00 AM EST',
    'Sat, 21 Nov 2026 10:00AM',
    'Sat, 21 Nov 2026, 10:00:00 GMT',
    '10:00, 21 November 2026',
    '  Sat,\n 21  Nov 2026\t10:00:00\u00a0GMT ',
    'Sat, 21 Nov 2026 10.00.00 GMT',
    '21.11.2026 10.00 Uhr',
    '2026-11-21T10:00:00+00:00Z',
    '2026-11-21T10:00:00ZZ',
    'Sat, 21 Nov 2026 11:00:00 + 0100',
    'Sat, 21 Nov 2026 11:00:00 0100',
    'Sat, 21 Nov 2026 05:00:00 GMT-0500',
    'Sat, 21 Nov 2026 10:00:00 UCT',
    'Sat, 21 Nov 2026 05:00:00 EST5EDT',
    'Sat, 21 Nov 2026 05:00:00 Eastern Standard Time',
    'Saturday, November 21, 2026 - 10:00',
    'Saturday 21 November 2026 | 10:00',
    'Published: Nov 21, 2026 10:00',
    'Sat, 2026-11-21 10:00:00 GMT',
    'Saturday 2026-11-21T10:00:00Z',
    'Sat, 21-11-2026 10:00:00 GMT',
    '20261121100000',
    '20261121 100000',
    '1795255200.25',
    '1795255200000000',
    '@1795255200',
    'Sat, 21 Nov 2026 10:0:0 GMT',
    'Sat, 21 Nov 2026 10:00:00:000 GMT',
    '"2026-11-21T10:00:00Z"',
    '2026-11-21T10:00:00Z;',
    '2026. 11. 21. 10:00',
    '11:00 CET, 21 November 2026',
  ])('%j', (text) => {
    const at = iso(text);
    expect(at?.slice(0, 20)).toBe('2026-11-21T10:00:00.');
  });

  test.each([
    ['11:00:00', 'CET'],
    ['12:00:00', 'CEST'],
    ['11:00:00', 'MEZ'],
    ['11:00:00', 'BST'],
    ['12:00:00', 'EET'],
    ['13:00:00', 'EEST'],
    ['13:00:00', 'MSK'],
    ['15:30:00', 'IST'],
    ['18:00:00', 'SGT'],
    ['19:00:00', 'JST'],
    ['19:00:00', 'KST'],
    ['20:00:00', 'AEST'],
    ['21:00:00', 'AEDT'],
    ['07:00:00', 'BRT'],
    ['06:00:00', 'EDT'],
    ['05:00:00', 'EST'],
    ['04:00:00', 'CST'],
    ['03:00:00', 'PDT'],
    ['02:00:00', 'PST'],
    ['05:00:00', 'ET'],
    ['02:00:00', 'PT'],
    ['10:00:00', 'A'],
  ])('%s %s', (clock, zone) => {
    for (const text of [`Sat, 21 Nov 2026 ${clock} ${zone}`, `2026-11-21 ${clock} ${zone.toLowerCase()}`])
      expect(iso(text)).toBe('2026-11-21T10:00:00.000Z');
  });

  test('a region has another offset in summer', () => {
    expect(iso('Tue, 21 Jul 2026 11:00:00 Europe/Berlin')).toBe('2026-07-21T09:00:00.000Z');
    expect(iso('Tue, 21 Jul 2026 11:00:00 ET')).toBe('2026-07-21T15:00:00.000Z');
  });

  test.each([
    ['Samstag, 21. November 2026, 10:00 Uhr'],
    ['Sa, 21 Nov 2026 10:00:00 GMT'],
    ['Sa., 21. Nov. 2026 10:00'],
    ['sam., 21 nov. 2026 10:00:00 +0000'],
    ['samedi 21 novembre 2026 10h00'],
    ['sáb, 21 nov 2026 10:00:00 GMT'],
    ['sábado, 21 de noviembre de 2026, a las 10:00'],
    ['sabato 21 novembre 2026 10:00'],
    ['sáb, 21 de nov. de 2026 10:00'],
    ['sábado, 21 de novembro de 2026 às 10:00'],
    ['za, 21 nov 2026 10:00:00 GMT'],
    ['zaterdag 21 november 2026 om 10:00'],
    ['сб, 21 ноя 2026 10:00:00 GMT'],
    ['суббота, 21 ноября 2026 г. 10:00'],
    ['sobota, 21 listopada 2026 10:00'],
    ['sob, 21 lis 2026 10:00:00 GMT'],
    ['lördag 21 november 2026 kl. 10:00'],
    ['sobota 21. listopadu 2026 10:00'],
    ['21 Kasım 2026 Cumartesi 10:00'.replace(' Cumartesi', '')],
    ['Σάββατο, 21 Νοεμβρίου 2026 10:00'],
    ['2026年11月21日 10:00'],
    ['2026년 11월 21일 10:00'],
    ['2026年11月21日 星期六 下午6:00 +0800'],
    ['2026年11月21日(土) 19時00分 JST'],
    ['2026년 11월 21일 토요일 오후 7:00 KST'],
    ['21 Kasım 2026 Cumartesi 10:00'],
    ['2026. november 21., szombat 10:00'],
    ['2026 m. lapkričio 21 d. 10:00'],
    ['sobota 21. 11. 2026 10:00'],
    ['Thứ bảy, 21/11/2026, 10:00 (GMT+0)'],
    ['lauantai 21. marraskuuta 2026 klo 10.00'],
    ['субота, 21 лістапада 2026 10:00'],
    ['subota, 21. studenoga 2026. 10:00'],
    ['٢١ نوفمبر ٢٠٢٦ 10:00'],
    ['שבת, 21 בנובמבר 2026 10:00'],
    ['शनिवार, 21 नवंबर 2026 10:00'],
    ['21 พฤศจิกายน 2569 10:00'],
  ])('of other languages: %j', (text) => {
    expect(iso(text)).toBe('2026-11-21T10:00:00.000Z');
  });

  test('every month of these languages, beside a day', () => {
    for (const language of [
      'de',
      'fr',
      'es',
      'it',
      'pt',
      'nl',
      'ru',
      'pl',
      'sv',
      'da',
      'nb',
      'cs',
      'uk',
      'tr',
      'id',
      'ro',
    ]) {
      for (const month of ['long', 'short'] as const) {
        const format = new Intl.DateTimeFormat(language, {
          day: 'numeric',
          month,
          year: 'numeric',
          timeZone: 'UTC',
        });
        for (let at = 0; at < 12; at += 1) {
          const shown = format.format(Date.UTC(2026, at, 14));
          expect([shown, iso(shown)]).toEqual([shown, new Date(Date.UTC(2026, at, 14)).toISOString()]);
        }
      }
    }
  });

  test.each([
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['20261121', '2026-11-21T00:00:00.000Z'],
    ['21 Nov 2026', '2026-11-21T00:00:00.000Z'],
    ['1. März 2026', '2026-03-01T00:00:00.000Z'],
    ['01 Mrz 2026', '2026-03-01T00:00:00.000Z'],
    ['1er mars 2026', '2026-03-01T00:00:00.000Z'],
    ['mar., 24 nov. 2026 08:00', '2026-11-24T08:00:00.000Z'],
    ['2026-11-21T24:00:00Z', '2026-11-22T00:00:00.000Z'],
    ['Sat, 21 Nov 2026 24:00:00 GMT', '2026-11-22T00:00:00.000Z'],
    ['Nov 21, 2026 12:30 AM', '2026-11-21T00:30:00.000Z'],
    ['Nov 21, 2026 12:30 PM', '2026-11-21T12:30:00.000Z'],
    ['Nov 21, 2026 13:30 PM', '2026-11-21T13:30:00.000Z'],
    ['2026-12-31T23:59:60Z', '2026-12-31T23:59:59.000Z'],
    ['2026-11-21T10:00:00,5Z', '2026-11-21T10:00:00.500Z'],
    ['Thu, 01 Jan 70 00:00:00 GMT', '1970-01-01T00:00:00.000Z'],
    ['29 Feb 2028', '2028-02-29T00:00:00.000Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
  ])('%j is %s', (text, expected) => {
    expect(iso(text)).toBe(expected);
  });
});

test.each([
  '',
  ' ',
  'yesterday',
  '2 hours ago',
  'null',
  '0',
  '2026',
  '2026-11',
  'Nov 2026',
  '05/06/2026',
  '05-06-2026',
  '2026-02-31',
  'Tue, 31 Feb 2026 08:00:00 GMT',
  '30 Feb 2026',
  '2026-13-01',
  '2026-11-21T25:00:00Z',
  '2026-11-21T24:01:00Z',
  '2026-11-21T10:61:00Z',
  '2026-11-21T10:00:00+99:00',
  'Sat, 21 Nov 2026 10:00:00 XYZ',
  'Sat, 21 Foo 2026 10:00:00 GMT',
  'Sat, 21 Nov 2026 10:00:00 constructor',
  'Sat, 21 Nov 2026 10:00:00 Nowhere/Place',
  'version 2026-11-21',
  'https://a.example/2026/11/21/story',
  '1'.repeat(500),
  `21 Nov 2026 ${'('.repeat(100)}`,
])('%j is no time', (text) => {
  expect(iso(text)).toBeUndefined();
});

// Formats that name an instant to the second.
const two = (n: number) => String(n).padStart(2, '0');
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const DAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');
type Written = { at: Date; day: string; month: string; clock: string; half: string; zone: string };
const FORMATS: readonly ((of: Written) => string)[] = [
  ({ at, clock, zone }) => `${at.toISOString().slice(0, 10)}T${clock}${zone}`,
  ({ at, clock, zone }) => `${at.toISOString().slice(0, 10)} ${clock} ${zone.replace(':', '')}`,
  ({ at, clock, zone }) => `${at.toISOString().slice(0, 10).replaceAll('-', '/')} ${clock} UTC${zone}`,
  ({ at, day, month, clock, zone }) =>
    `${day}, ${two(at.getUTCDate())} ${month} ${at.getUTCFullYear()} ${clock} ${zone.replace(':', '')}`,
  ({ at, month, clock, zone }) =>
    `${at.getUTCDate()} ${month} ${String(at.getUTCFullYear()).slice(2)} ${clock} GMT${zone}`,
  ({ at, day, month, clock, zone }) =>
    `${day} ${month} ${String(at.getUTCDate()).padStart(2, ' ')} ${clock} ${zone} ${at.getUTCFullYear()}`,
  ({ at, month, half, zone }) =>
    `${month} ${at.getUTCDate()}, ${at.getUTCFullYear()}, ${half} ${zone} (local)`,
  ({ at, month, clock, zone }) => `${at.getUTCDate()}-${month}-${at.getUTCFullYear()} ${clock} ${zone}`,
  ({ at, clock, zone }) =>
    `${two(at.getUTCDate())}.${two(at.getUTCMonth() + 1)}.${at.getUTCFullYear()} ${clock} ${zone}`,
  ({ at, clock, zone }) =>
    `${new Intl.DateTimeFormat('pl', { dateStyle: 'full', timeZone: 'UTC' }).format(at)} ${clock} ${zone}`,
  ({ at, clock, zone }) =>
    `${new Intl.DateTimeFormat('es', { dateStyle: 'long', timeZone: 'UTC' }).format(at)} ${clock} ${zone}`,
];

test('one instant, drawn, is the same in every format and zone', () => {
  assert(
    property(
      // Two-digit years are those from 1970 to 2069.
      integer({ min: 0, max: Date.UTC(2069, 11, 30) / 1_000 }),
      integer({ min: -12 * 4, max: 14 * 4 }),
      (seconds, quarters) => {
        const instant = new Date(seconds * 1_000);
        const at = new Date(instant.getTime() + quarters * 15 * 60_000);
        if (at.getTime() < 0) return;
        const offset = Math.abs(quarters) * 15;
        const zone = `${quarters < 0 ? '-' : '+'}${two(Math.floor(offset / 60))}:${two(offset % 60)}`;
        const [hour, minute, second] = [at.getUTCHours(), two(at.getUTCMinutes()), two(at.getUTCSeconds())];
        const written = {
          at,
          day: DAYS[at.getUTCDay()] ?? '',
          month: MONTHS[at.getUTCMonth()] ?? '',
          clock: `${two(hour)}:${minute}:${second}`,
          half: `${hour % 12 || 12}:${minute}:${second} ${hour < 12 ? 'AM' : 'PM'}`,
          zone,
        };
        for (const format of FORMATS) {
          const text = format(written);
          expect([text, iso(text)]).toEqual([text, instant.toISOString()]);
        }
      },
    ),
    { numRuns: 300 },
  );
});
