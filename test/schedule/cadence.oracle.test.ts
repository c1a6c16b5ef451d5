/**
 * Schedules against an oracle that knows only the rule: it gets the local time of
 * every real minute of four days from the runtime, and checks each of them.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextSlot, nextSlots, slotsBetween } from '../../src/monitor/schedule/cadence.ts';
import { listOffsetSpans } from '../../src/monitor/schedule/time-zone.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/** One field: how it is written, and whether a value is meant. The oracle never reads the text. */
type Field = { text: string; has: (value: number) => boolean };

const star = fc.constant<Field>({ text: '*', has: () => true });
const one = (min: number, max: number) =>
  fc.integer({ min, max }).map((n): Field => ({ text: `${n}`, has: (v) => v === n }));
const list = (min: number, max: number) =>
  fc
    .array(fc.integer({ min, max }), { minLength: 2, maxLength: 4 })
    .map((ns): Field => ({ text: ns.join(','), has: (v) => ns.includes(v) }));
const range = (min: number, max: number) =>
  fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]): Field => {
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    return { text: `${low}-${high}`, has: (v) => v >= low && v <= high };
  });
const step = (min: number, max: number) =>
  fc
    .integer({ min: 2, max: Math.min(30, max) })
    .map((s): Field => ({ text: `*/${s}`, has: (v) => (v - min) % s === 0 }));
const field = (min: number, max: number) =>
  fc.oneof(star, one(min, max), list(min, max), range(min, max), step(min, max));

const timeOfDay = fc.tuple(
  fc.oneof(one(0, 59), list(0, 59), range(0, 59)),
  fc.oneof(one(0, 23), one(0, 3), one(22, 23), list(0, 23), range(0, 4)),
);
const anyTime = fc.oneof(timeOfDay, fc.tuple(field(0, 59), field(0, 23)));
const anyDate = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(star, star, star) },
  { weight: 2, arbitrary: fc.tuple(field(1, 31), star, field(0, 6)) },
);
const expression = fc.tuple(anyTime, anyDate).map(([[minute, hour], [day, month, weekday]]) => ({
  text: [minute, hour, day, month, weekday].map(({ text }) => text).join(' '),
  rhythm: /[*/]/.test(minute.text + hour.text),
  names: (local: number) => {
    const at = new Date(local);
    const byDay = day.has(at.getUTCDate());
    const byWeekday = weekday.has(at.getUTCDay());
    const either = !day.text.startsWith('*') && !weekday.text.startsWith('*');
    const date = either ? byDay || byWeekday : byDay && byWeekday;
    return date && minute.has(at.getUTCMinutes()) && hour.has(at.getUTCHours());
  },
}));
type Expression = { rhythm: boolean; names: (local: number) => boolean };

/** Four days: mostly around a change of the clock, sometimes anywhere. */
const span = fc
  .record({
    tz: fc.constantFrom(
      ...Intl.supportedValuesOf('timeZone'),
      'America/Nuuk',
      'Antarctica/Troll',
      'Asia/Gaza',
    ),
    from: fc
      .integer({ min: Date.UTC(1990, 0) / MINUTE, max: Date.UTC(2037, 0) / MINUTE })
      .map((m) => m * MINUTE),
    atChange: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
  })
  .map(({ tz, from, atChange }) => ({ tz, from: atChange ? beforeNextChange(tz, from) : from }));

function beforeNextChange(tz: string, from: number): number {
  let offset: number | undefined;
  for (const stretch of listOffsetSpans(tz, from, from + 400 * DAY)) {
    if (offset !== undefined && stretch.offset !== offset) return stretch.from - 2.5 * DAY;
    offset = stretch.offset;
  }
  return from;
}

/** Local time, as if it were UTC, of each real minute of a span. */
function clockOf(tz: string, from: number): { at: number; local: number }[] {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' });
  return Array.from({ length: (4 * DAY) / MINUTE }, (_, i) => {
    const at = from + i * MINUTE;
    return { at, local: Date.parse(`${clock.format(at).replace(' ', 'T')}Z`) };
  });
}

function expected(clock: { at: number; local: number }[], cron: Expression): number[] {
  const slots = new Set<number>();
  const seen = new Set<number>();
  let before: { at: number; local: number } | undefined;
  for (const now of clock) {
    if (!cron.rhythm && before) {
      for (let gone = before.local + MINUTE; gone < now.local; gone += MINUTE) {
        if (seen.has(gone) || !cron.names(gone)) continue;
        const date = Math.floor(gone / DAY);
        if (date === Math.floor(now.local / DAY)) slots.add(now.at);
        else if (date === Math.floor(before.local / DAY)) slots.add(before.at);
      }
    }
    if (cron.names(now.local) && (cron.rhythm || !seen.has(now.local))) slots.add(now.at);
    seen.add(now.local);
    before = now;
  }
  return [...slots].sort((a, b) => a - b);
}

test('the slots match a minute-by-minute oracle, in any zone, from any instant', () => {
  const expressions = fc.array(expression, { minLength: 12, maxLength: 12 });
  // The walk may begin anywhere from a day before the change of the clock to half a day behind it.
  const begins = fc.integer({ min: 1.5 * DAY, max: 3 * DAY });
  fc.assert(
    fc.property(span, expressions, begins, ({ tz, from }, crons, into) => {
      const clock = clockOf(tz, from);
      const [begin, end] = [from + into, from + 4 * DAY - 2 * MINUTE];
      for (const cron of crons) {
        const slots = [...slotsBetween({ kind: 'cron', cron: cron.text, tz }, begin, end)];
        const wanted = expected(clock, cron).filter((at) => at > begin && at <= end);
        expect(slots, `${cron.text} ${tz} ${new Date(begin).toISOString()}`).toEqual(wanted);
      }
    }),
    { numRuns: 80 },
  );
});

test('next slot, next slots and slots in a span agree; slots strictly increase and are never searched in the far future', () => {
  fc.assert(
    fc.property(span, expression, fc.integer({ min: 0, max: DAY }), ({ tz, from }, cron, ms) => {
      const schedule = { kind: 'cron', cron: cron.text, tz } as const;
      const after = from + ms;
      const few = nextSlots(schedule, after, 5);
      expect(few.every((at, i) => at > (few[i - 1] ?? after))).toBe(true);
      expect([...slotsBetween(schedule, after, few.at(-1) ?? 0)]).toEqual(few);
      expect(nextSlot(schedule, (few[0] ?? 0) - 1)).toBe(few[0]);
    }),
    { numRuns: 150 },
  );
});
