/** Whether a process ran while its timer was late. */
import { expect, test } from 'vitest';
import { findAbsence } from '../../src/platform/presence.ts';

const HOUR = 3_600_000;

test.each([
  ['a machine that slept', { at: HOUR, cpuMs: 150 }, { from: 0, until: HOUR }],
  ['a process that was busy all the time', { at: HOUR, cpuMs: HOUR - 1_000 }, null],
  ['a timer that is late on a busy machine', { at: 60_000, cpuMs: 100 }, null],
  ['a clock that was put back', { at: -HOUR, cpuMs: 100 }, null],
])('%s', (_what, now, absence) => {
  expect(findAbsence({ at: 0, cpuMs: 100 }, now)).toEqual(absence);
});
