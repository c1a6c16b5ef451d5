import { expect, test } from 'vitest';
import { listNeutral, MONTH, scoreAlerts, type Watched } from '../../../bench/sandbox/score.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { PlantedBurst } from '../../../src/service/sandbox/planted-events.ts';

function burst(onset: number, more: Partial<PlantedBurst> = {}): PlantedBurst {
  return {
    shape: 'news',
    direction: 'up',
    onset,
    peak: onset,
    end: onset + 10 * HOUR,
    size: 5,
    extraPosts: 20,
    extraPostsSixHours: 12,
    ...more,
  };
}
const score = (alerts: number[], bursts: PlantedBurst[], neutral: Watched['neutral'] = []) =>
  scoreAlerts([{ spanMs: MONTH, alerts: alerts.map((hours) => hours * HOUR), bursts, neutral }]);

test.each([
  ['at the onset', [100], { found: 1, falseAlarms: 0, repeats: 0, medianDelayMinutes: 0 }],
  ['an hour before', [99], { found: 1, falseAlarms: 0, medianDelayMinutes: -60 }],
  ['more than an hour before', [98.9], { found: 0, falseAlarms: 1 }],
  ['six hours after', [106], { found: 1, falseAlarms: 0, medianDelayMinutes: 360 }],
  ['later, during the event', [107], { found: 0, falseAlarms: 0, repeats: 1 }],
  ['after the event', [111], { found: 0, falseAlarms: 1 }],
  [
    'three times during the event',
    [100.5, 103, 109],
    { found: 1, falseAlarms: 0, repeats: 2, medianDelayMinutes: 30 },
  ],
])('an alert %s', (_name, alerts, expected) => {
  expect(score(alerts, [burst(100 * HOUR)])).toMatchObject(expected);
});

test('a slow rise may be detected until an hour after its peak', () => {
  const slow = burst(100 * HOUR, { shape: 'slow', peak: 118 * HOUR, end: 300 * HOUR });
  expect(score([119], [slow])).toMatchObject({ found: 1, falseAlarms: 0 });
  expect(score([119.1], [slow])).toMatchObject({ found: 0, repeats: 1 });
});

test('metrics over several searches', () => {
  const all = scoreAlerts([
    {
      spanMs: MONTH,
      alerts: [DAY + 20 * MINUTE, 9 * DAY],
      bursts: [burst(DAY), burst(20 * DAY)],
      neutral: [],
    },
    { spanMs: MONTH, alerts: [], bursts: [burst(5 * DAY)], neutral: [] },
  ]);
  expect(all).toMatchObject({ searches: 2, bursts: 3, found: 1, falseAlarms: 1, precision: 0.5 });
  expect(all.recall).toBeCloseTo(1 / 3, 9);
  expect(all.f1).toBeCloseTo(0.4, 9);
  expect(all.falseAlarmsPerMonth).toBeCloseTo(0.5, 9);
});

test('silence gives no detections and no false alarms', () => {
  const silent = score([], [burst(DAY)]);
  expect(silent).toMatchObject({ found: 0, falseAlarms: 0, recall: 0, f1: 0 });
  expect(silent.precision).toBeNaN();
});

test('alerts where a report is neither right nor wrong do not count, unless they find a burst', () => {
  const neutral = [{ from: 95 * HOUR, until: 120 * HOUR }];
  expect(score([96, 119, 130], [], neutral)).toMatchObject({ alerts: 1, falseAlarms: 1 });
  expect(score([101], [burst(100 * HOUR)], neutral)).toMatchObject({ found: 1, falseAlarms: 0 });
});

test('ambiguous events, the first day of a level and the first weekly show may be reported; floods may not', () => {
  const show = { kind: 'show', until: 2 * HOUR, from: 0 } as const;
  const others = [
    show,
    { ...show, kind: 'flood' },
    { kind: 'level', from: 10 * DAY, until: 30 * DAY },
    { kind: 'ambiguous', from: 40 * DAY, until: 41 * DAY },
    { ...show, from: 7 * DAY, until: 7 * DAY + 2 * HOUR },
  ] as const;
  expect(listNeutral(others)).toEqual([
    { from: -HOUR, until: 8 * HOUR },
    { from: 10 * DAY, until: 11 * DAY },
    { from: 40 * DAY - HOUR, until: 41 * DAY + 6 * HOUR },
  ]);
});
