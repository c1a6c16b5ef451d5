import { describe, expect, test } from 'vitest';
import { DAY, HOUR, QUARTER_MS } from '../../src/lib/time.ts';
import { detectSpike } from '../../src/monitor/trends/rules/spike-detection.ts';
import { computeUsualHours } from '../../src/monitor/trends/rules/usual-hours.ts';

const NOW = Date.UTC(2026, 10, 21, 18);
const FROM = NOW - 7 * DAY;

/** Three weeks with 80 posts an hour from noon to six, and 8 at other times. */
function afternoons(change: (counts: Float64Array) => void = () => {}) {
  const from = FROM - 14 * DAY;
  const length = (NOW - from) / QUARTER_MS;
  const counts = Float64Array.from({ length }, (_, i) => {
    const hour = new Date(from + i * QUARTER_MS).getUTCHours();
    return (hour >= 12 && hour < 18 ? 20 : 2) + ((i * 7) % 3) - 1;
  });
  change(counts);
  return { from, counts, seconds: new Float64Array(length).fill(900), everySeconds: 900 };
}
const hourAt = (day: number, hour: number) => day * 24 + hour - new Date(FROM).getUTCHours();

describe('the usual volume by hour', () => {
  test('follows the time of day, with the deviation that chance alone makes at least', () => {
    const hours = computeUsualHours(afternoons(), FROM, []);
    expect(hours).toHaveLength(7 * 24);
    const [noon, night] = [hours[hourAt(3, 15)], hours[hourAt(3, 3)]];
    expect(noon?.usual).toBeCloseTo(80, -1);
    expect(night?.usual).toBeLessThan(15);
    expect(noon?.sd).toBeGreaterThanOrEqual(Math.sqrt(noon?.usual ?? 0));
  });

  test.each([
    ['an hour', 4, 60],
    ['six hours', 24, 21],
  ])('is what the sentence of a spike says: %s', (_, quarters, posts) => {
    const history = afternoons();
    const [counts, seconds] = [history.counts.subarray(0, -48), history.seconds.subarray(0, -48)];
    counts.fill(posts, -quarters);
    const night = { ...history, counts, seconds };
    const spike = detectSpike(night, {
      sensitivity: 'high',
      everySeconds: 900,
      alerted: [],
      now: NOW - 12 * HOUR,
    });
    if (spike === null) throw new Error('no spike');
    const hours = computeUsualHours(history, FROM, [spike]);
    const inside = hours.slice((spike.start - FROM) / HOUR, (spike.end - FROM) / HOUR);
    const sum = inside.reduce((all, hour) => all + (hour?.usual ?? 0), 0);
    expect(sum).toBeCloseTo(spike.usual, 6);
    expect(inside).toHaveLength((spike.end - spike.start) / HOUR);
  });

  test('is that of a Monday after a quiet weekend', () => {
    const quiet = afternoons((counts) => {
      for (let i = 0; i < counts.length; i += 1) {
        const weekday = new Date(FROM - 14 * DAY + i * QUARTER_MS).getUTCDay();
        if (weekday % 6 === 0) counts[i] = Math.round((counts[i] ?? 0) / 5);
      }
    });
    const hours = computeUsualHours(quiet, FROM, []);
    const monday = hours[hourAt(2, 15)]?.usual ?? 0;
    // Ten days of 80, four of 16.
    expect(monday).toBeGreaterThan(58);
    expect(monday).toBeLessThan(80);
  });

  test('is that of weekends on weekends, once three of them are known', () => {
    const from = FROM - 42 * DAY;
    const counts = Float64Array.from({ length: (NOW - from) / QUARTER_MS }, (_, i) =>
      new Date(from + i * QUARTER_MS).getUTCDay() % 6 === 0 ? 3 : 12,
    );
    const weeks = { from, counts, seconds: new Float64Array(counts.length).fill(900), everySeconds: 900 };
    const usualOf = (history: typeof weeks) =>
      computeUsualHours(history, FROM, []).map((hour) => hour?.usual ?? Number.NaN);
    const usual = usualOf(weeks);
    // The first of the seven days is a Saturday.
    const [sunday, wednesday] = [usual[hourAt(1, 3)] ?? 0, usual[hourAt(4, 3)] ?? 0];
    expect(sunday).toBeGreaterThan(11);
    expect(sunday).toBeLessThan(15);
    expect(wednesday).toBeGreaterThan(44);
    expect(wednesday).toBeLessThan(52);
    const cut = (42 - 14) * 96;
    const short = usualOf({
      ...weeks,
      from: from + cut * QUARTER_MS,
      counts: counts.subarray(cut),
      seconds: weeks.seconds.subarray(cut),
    });
    expect(short[hourAt(1, 3)]).toBeGreaterThan(2 * sunday);
  });

  test('is unknown until twelve hours were observed', () => {
    const history = afternoons();
    history.seconds.fill(0, 0, (FROM - history.from + DAY) / QUARTER_MS);
    const hours = computeUsualHours(history, FROM, []);
    expect(hours.findIndex((hour) => hour !== null)).toBe(hourAt(3, 0));
  });

  test('is known after two responses of which each stands for six hours', () => {
    const history = { ...afternoons(), everySeconds: 6 * 3_600 };
    const start = (FROM - history.from) / QUARTER_MS;
    history.seconds.forEach((_, i) => (i > start && i % 24 === 0) || history.seconds.fill(0, i, i + 1));
    const known = computeUsualHours(history, FROM, []).findIndex((hour) => hour !== null);
    expect(known).toBe(hourAt(2, 0));
  });
});
