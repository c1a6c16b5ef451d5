/** When a message may be sent: mute, quiet hours, limit and cooldown together, also when clocks change. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupBy } from '../../src/lib/group-by.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import {
  countAllowed,
  decideSendTime,
  describeLimit,
  type SendingRule,
  type SendingState,
} from '../../src/monitor/alerts/due-time.ts';
import { findNextDay, findQuietEnd, readLocalDay } from '../../src/monitor/alerts/local-clock.ts';
import { parseQuietHours, writeQuietHours } from '../../src/monitor/alerts/quiet-hours.ts';

const RULE: SendingRule = {
  kinds: ['post', 'spike'],
  cooldown_seconds: 0,
  quiet_hours: null,
  tz: 'Europe/Berlin',
  max_per_day: null,
};
const NOTHING: SendingState = { last: null, recent: [], mutedUntil: null, urgent: false };
const at = (text: string) => new Date(text);
const hours = (text: string) => parseQuietHours(text) ?? { from: Number.NaN, until: Number.NaN };

test.each([
  ['22:00-07:00', '22:00-07:00'],
  [' 8:05 - 9:30 ', '08:05-09:30'],
  ['0:00–6:00', '00:00-06:00'],
])('%s is read', (given, written) => {
  expect(writeQuietHours(hours(given))).toBe(written);
});
test.each(['22:00', '22-7', '24:00-07:00', '07:00-07:00', '22:60-07:00', '', '22:00-07:00-08:00', 'night'])(
  '%j is refused',
  (given) => {
    expect(parseQuietHours(given)).toBeUndefined();
  },
);

// Berlin is UTC+1 in winter and UTC+2 in summer; 2026-03-29 has no 02:00 to 03:00, 2026-10-25 has it twice.
test.each([
  ['before they begin', '22:00-07:00', '2026-11-21T20:59Z', '2026-11-21T20:59Z'],
  ['in the evening, over midnight', '22:00-07:00', '2026-11-21T21:00Z', '2026-11-22T06:00Z'],
  ['in the morning', '22:00-07:00', '2026-11-22T05:59:59Z', '2026-11-22T06:00Z'],
  ['at their end', '22:00-07:00', '2026-11-22T06:00Z', '2026-11-22T06:00Z'],
  ['within a day', '12:00-14:00', '2026-11-22T12:00Z', '2026-11-22T13:00Z'],
  ['in the night that clocks go forward', '22:00-07:00', '2026-03-28T21:30Z', '2026-03-29T05:00Z'],
  ['in the night that they go back', '22:00-07:00', '2026-10-24T20:30Z', '2026-10-25T06:00Z'],
  ['with an end that is skipped', '22:00-02:30', '2026-03-28T23:00Z', '2026-03-29T01:00Z'],
  ['with an end that comes twice', '22:00-02:30', '2026-10-24T23:00Z', '2026-10-25T00:30Z'],
  ['between both ends', '22:00-02:30', '2026-10-25T00:40Z', '2026-10-25T00:40Z'],
  ['in the hour that comes again', '22:00-02:30', '2026-10-25T01:10Z', '2026-10-25T01:30Z'],
])('quiet hours %s: %s at %s end at %s', (_, quiet, now, end) => {
  expect(new Date(findQuietEnd(hours(quiet), 'Europe/Berlin', Number(at(now))))).toEqual(at(end));
});

test.each([
  ['Europe/Berlin', '2026-11-21T12:00Z', '2026-11-21T23:00Z'],
  ['Europe/Berlin', '2026-11-21T22:59Z', '2026-11-21T23:00Z'],
  ['Europe/Berlin', '2026-11-21T23:00Z', '2026-11-22T23:00Z'],
  ['Europe/Berlin', '2026-10-25T12:00Z', '2026-10-25T23:00Z'],
  // Midnight is skipped: the day begins at 01:00.
  ['Africa/Cairo', '2026-04-23T12:00Z', '2026-04-23T22:00Z'],
  // Midnight comes twice: 30 October begins once.
  ['Africa/Cairo', '2026-10-29T12:00Z', '2026-10-29T22:00Z'],
  ['Pacific/Kiritimati', '2026-11-21T09:00Z', '2026-11-21T10:00Z'],
])('the day of %s after %s begins at %s', (tz, now, next) => {
  expect(new Date(findNextDay(tz, Number(at(now))))).toEqual(at(next));
});

test.each<[string, Partial<SendingRule>, Partial<SendingState>, string, string, string | null]>([
  ['nothing to wait for', {}, {}, '2026-11-21T12:00Z', '2026-11-21T12:00Z', null],
  [
    'a cooldown',
    { cooldown_seconds: 10_800 },
    { last: at('2026-11-21T11:00Z') },
    '2026-11-21T12:00Z',
    '2026-11-21T14:00Z',
    'cooldown',
  ],
  [
    'a cooldown that is over',
    { cooldown_seconds: 3_600 },
    { last: at('2026-11-21T11:00Z') },
    '2026-11-21T12:00Z',
    '2026-11-21T12:00Z',
    null,
  ],
  [
    'a cooldown and a spike',
    { cooldown_seconds: 10_800 },
    { last: at('2026-11-21T11:00Z'), urgent: true },
    '2026-11-21T12:00Z',
    '2026-11-21T12:00Z',
    null,
  ],
  [
    'a cooldown that ends in quiet hours',
    { cooldown_seconds: 10_800, quiet_hours: '22:00-07:00' },
    { last: at('2026-11-21T19:00Z') },
    '2026-11-21T20:00Z',
    '2026-11-22T06:00Z',
    'quiet_hours',
  ],
  [
    'quiet hours, for a spike, too',
    { quiet_hours: '22:00-07:00' },
    { urgent: true },
    '2026-11-21T23:30Z',
    '2026-11-22T06:00Z',
    'quiet_hours',
  ],
  [
    'a limit that is reached',
    { max_per_day: 2, kinds: ['post'] },
    { recent: [at('2026-11-21T06:00Z'), at('2026-11-21T09:00Z')] },
    '2026-11-21T12:00Z',
    '2026-11-21T23:00Z',
    'limit',
  ],
  [
    'a limit of yesterday',
    { max_per_day: 1, kinds: ['post'] },
    { recent: [at('2026-11-20T22:59Z')] },
    '2026-11-21T12:00Z',
    '2026-11-21T12:00Z',
    null,
  ],
  [
    'what the limit keeps for spikes',
    { max_per_day: 2 },
    { recent: [at('2026-11-21T06:00Z')] },
    '2026-11-21T12:00Z',
    '2026-11-21T23:00Z',
    'limit',
  ],
  [
    'a spike, for which it is kept',
    { max_per_day: 2 },
    { recent: [at('2026-11-21T06:00Z')], urgent: true },
    '2026-11-21T12:00Z',
    '2026-11-21T12:00Z',
    null,
  ],
  [
    'a limit whose next day begins in quiet hours',
    { max_per_day: 1, quiet_hours: '22:00-07:00' },
    { recent: [at('2026-11-21T06:00Z')] },
    '2026-11-21T12:00Z',
    '2026-11-22T06:00Z',
    'limit',
  ],
  [
    'a cooldown into the next day, whose limit is free',
    { max_per_day: 1, cooldown_seconds: 86_400 },
    { last: at('2026-11-21T06:00Z'), recent: [at('2026-11-21T06:00Z')] },
    '2026-11-21T12:00Z',
    '2026-11-22T06:00Z',
    'cooldown',
  ],
  [
    'a mute, for a spike, too',
    {},
    { mutedUntil: at('2026-11-23T08:00Z'), urgent: true },
    '2026-11-21T12:00Z',
    '2026-11-23T08:00Z',
    'mute',
  ],
  [
    'a mute that ends at night',
    { quiet_hours: '22:00-07:00' },
    { mutedUntil: at('2026-11-22T23:00Z') },
    '2026-11-21T12:00Z',
    '2026-11-23T06:00Z',
    'mute',
  ],
  [
    'a mute that is over',
    {},
    { mutedUntil: at('2026-11-21T11:00Z') },
    '2026-11-21T12:00Z',
    '2026-11-21T12:00Z',
    null,
  ],
])('%s', (_, rule, state, now, due, waitsFor) => {
  expect(decideSendTime({ ...RULE, ...rule }, { ...NOTHING, ...state }, at(now))).toEqual({
    at: at(due),
    waitsFor,
  });
});

test.each([
  [1, false, 1],
  [1, true, 1],
  [2, false, 1],
  [5, false, 4],
  [5, true, 5],
  [6, false, 4],
  [20, false, 16],
])('of %i messages a day, urgent %s: %i may have gone', (max_per_day, urgent, allowed) => {
  expect(countAllowed({ ...RULE, max_per_day }, urgent)).toBe(allowed);
  expect(countAllowed({ ...RULE, max_per_day, kinds: ['post'] }, urgent)).toBe(max_per_day);
});

test.each<[string, number, Partial<SendingRule>, object | null]>([
  ['without a limit nothing', 3, {}, null],
  ['the first of five', 0, { max_per_day: 5 }, { number: 1, rest_of_day: 'any' }],
  ['the last before those kept for spikes', 3, { max_per_day: 5 }, { number: 4, rest_of_day: 'spikes' }],
  [
    'the last but one of a rule without spikes',
    3,
    { max_per_day: 5, kinds: ['post'] },
    { rest_of_day: 'any' },
  ],
  ['the last', 4, { max_per_day: 5 }, { number: 5, rest_of_day: 'none' }],
])('of its limit a message says: %s', (_, sent, rule, said) => {
  const recent = Array.from(
    { length: sent },
    (__, i) => new Date(Number(at('2026-11-21T06:00Z')) + i * HOUR),
  );
  const limit = describeLimit({ ...RULE, ...rule }, recent, at('2026-11-21T12:00Z'), null);
  if (said === null) expect(limit).toBeNull();
  else expect(limit).toMatchObject(said);
});

test.each([
  ['limit', true],
  ['quiet_hours', false],
  [null, false],
] as const)('a message that waited for %s says that it waited for the limit: %s', (waitedFor, waited) => {
  expect(describeLimit({ ...RULE, max_per_day: 5 }, [], at('2026-11-21T12:00Z'), waitedFor)).toMatchObject({
    waited,
  });
});

const ZONES = ['UTC', 'Europe/Berlin', 'Africa/Cairo', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
const START = Date.UTC(2026, 2, 1);
const time = fc.integer({ min: 0, max: 300 * 24 * 60 }).map((minutes) => new Date(START + minutes * MINUTE));
const clock = fc.integer({ min: 0, max: 1_439 }).map((minutes) => minutes * MINUTE);
const anyRule = fc.record({
  kinds: fc.constantFrom<SendingRule['kinds'][]>(['post'], ['post', 'spike'], ['spike']),
  cooldown_seconds: fc.constantFrom(0, 900, 10_800, 100_000),
  quiet_hours: fc.option(
    fc
      .tuple(clock, clock)
      .filter(([from, until]) => from !== until)
      .map(([from, until]) => writeQuietHours({ from, until })),
  ),
  tz: fc.constantFrom(...ZONES),
  max_per_day: fc.option(fc.integer({ min: 1, max: 6 })),
});
const cases = fc
  .tuple(anyRule, time, fc.array(fc.integer({ min: 0, max: 50 * 60 }), { maxLength: 8 }), fc.boolean(), time)
  .map(([rule, now, ages, urgent, mutedUntil]) => {
    const recent = ages.map((minutes) => new Date(now.getTime() - minutes * MINUTE));
    const last = recent.length === 0 ? null : new Date(Math.max(...recent.map(Number)));
    // Mutes of a few days, so that both kinds of time matter.
    const mute = new Date(now.getTime() + ((Number(mutedUntil) - START) % (3 * DAY)) - DAY);
    return { rule, now, state: { last, recent, urgent, mutedUntil: mute } };
  });

const formats = new Map<string, { local: Intl.DateTimeFormat; day: Intl.DateTimeFormat }>();
function formatsOf(timeZone: string) {
  const known = formats.get(timeZone) ?? {
    local: new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
    day: new Intl.DateTimeFormat('en-CA', { timeZone }),
  };
  formats.set(timeZone, known);
  return known;
}

/** Whether nothing forbids a message, said once more in plain words. */
function isAllowed(rule: SendingRule, state: SendingState, when: number): boolean {
  const { local, day } = formatsOf(rule.tz);
  if (state.mutedUntil !== null && when < Number(state.mutedUntil)) return false;
  const isCooling = state.last !== null && when < Number(state.last) + rule.cooldown_seconds * 1_000;
  if (isCooling && !state.urgent) return false;
  if (rule.quiet_hours !== null) {
    const [from = '', until = ''] = rule.quiet_hours.split('-');
    const shown = local.format(when);
    const isAfter = shown >= from;
    const isBefore = shown < until;
    if (from < until ? isAfter && isBefore : isAfter || isBefore) return false;
  }
  const sent = state.recent.filter((one) => day.format(one) === day.format(when)).length;
  return sent < countAllowed(rule, state.urgent);
}

test('the time is the first that everything allows, and the same when it is asked for again then', () => {
  fc.assert(
    fc.property(cases, ({ rule, now, state }) => {
      const due = decideSendTime(rule, state, now);
      expect(isAllowed(rule, state, Number(due.at))).toBe(true);
      for (let when = Number(now); when < Number(due.at); when += 31 * MINUTE)
        expect(isAllowed(rule, state, when), new Date(when).toISOString()).toBe(false);
      if (due.at > now) expect(isAllowed(rule, state, Number(due.at) - 1_000)).toBe(false);
      expect(decideSendTime(rule, state, due.at)).toEqual({ at: due.at, waitsFor: null });
      expect(due.waitsFor === null).toBe(due.at.getTime() === now.getTime());
    }),
    { numRuns: 300 },
  );
});

test('a year of messages at random: never more than the limit on a local day', () => {
  fc.assert(
    fc.property(
      anyRule,
      fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 50, maxLength: 150 }),
      (rule, gaps) => {
        const sent: Date[] = [];
        let now = START;
        for (const [n, gap] of gaps.entries()) {
          now += gap * MINUTE;
          const state = { last: sent.at(-1) ?? null, recent: sent, mutedUntil: null, urgent: n % 7 === 0 };
          const due = decideSendTime(rule, state, new Date(Math.max(now, Number(sent.at(-1) ?? 0))));
          if (Number(due.at) - now < 2 * HOUR) sent.push(due.at);
        }
        const days = groupBy(sent, (one) => readLocalDay(rule.tz, Number(one)));
        for (const [, of] of days) expect(of.length).toBeLessThanOrEqual(rule.max_per_day ?? gaps.length);
      },
    ),
    { numRuns: 50 },
  );
});
