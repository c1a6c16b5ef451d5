import type { Subject } from './mutant.ts';

const SPIKE = 'monitor/trends/rules/spike-detection.ts';
const REACH = 'store/volume/reach.ts';
const STATES = 'monitor/trends/rules/trend-states.ts';

export const FIGURES: Subject = {
  name: 'figures',
  tests: [
    'test/trend/reach.test.ts',
    'test/trend/detect.test.ts',
    'test/trend/states.test.ts',
    'test/trend/weekday.test.ts',
    'test/store/volume.test.ts',
    'test/store/growth.test.ts',
  ],
  mutants: [
    {
      file: SPIKE,
      code: 'if (n < MIN_SPIKE_RATIO * expected) return null;',
      by: 'if (n < expected) return null;',
    },
    { file: SPIKE, code: 'if (hours < LEARNING_HOURS) return null;', by: '' },
    { file: SPIKE, code: 'if (count <= mean) return 0;', by: '' },
    { file: SPIKE, code: 'Math.abs(spike.end - other) < COOLDOWN_MS || overlaps', by: 'overlaps' },
    { file: SPIKE, code: 'quiet >= REARM_QUARTERS', by: 'quiet >= 0' },
    { file: SPIKE, code: 'provisional ? PROVISIONAL_THRESHOLD : 0', by: '0' },
    { file: SPIKE, code: 'judged === null || isWeekly(observed, window, end, width)', by: 'judged === null' },
    { file: SPIKE, code: 'return n < MIN_SPIKE_RATIO * level * expect(end, width);', by: 'return false;' },
    { file: SPIKE, code: 'posts < MIN_SPIKE_POSTS || posts', by: 'posts' },
    { file: REACH, code: 'before.stoppedAt ?? observedAt', by: 'observedAt' },
    {
      file: REACH,
      code: 'if (before.repeats) return { reached, from: sinceLast',
      by: 'if (before.repeats) return { reached, from: reached',
    },
    { file: REACH, code: 'observedAt - 2 * before.everySeconds', by: 'observedAt - before.everySeconds' },
    {
      file: REACH,
      code: 'newest <= (before.lastUntil ?? Number.NEGATIVE_INFINITY) ? findNewerHalf(times) : newest',
      by: 'newest',
    },
    { file: REACH, code: 'at < first && reached < first', by: 'reached < first' },
    {
      file: REACH,
      code: 'Math.max(first, at), Math.min(end, at + QUARTER_MS)',
      by: 'Math.max(first, at), at + QUARTER_MS',
    },
    { file: STATES, code: 'posts < MIN_RETURN_POSTS ? null', by: 'posts < 1 ? null' },
    { file: STATES, code: 'if (!isDayOver) return null;', by: '' },
    { file: STATES, code: '{ since: 0, until: changedAt }', by: '{ since: 0, until: 0 }' },
    { file: STATES, code: 'isOpen && current.since < changedAt', by: 'isOpen && current.since > changedAt' },
    {
      file: 'store/volume/post-time.ts',
      code: 'least(${g}.post_created_at, ${g}.first_seen_at)',
      by: '${g}.first_seen_at',
    },
  ],
};
