import type { Subject } from './mutant.ts';

const CADENCE = 'monitor/schedule/cadence.ts';
const DUE = 'monitor/schedule/due-slots.ts';
const CALLS = 'monitor/schedule/call-budget.ts';
const INTERVAL = 'monitor/schedule/pace-interval.ts';

export const SCHEDULE: Subject = {
  name: 'schedule',
  tests: [
    'test/schedule/cadence.test.ts',
    'test/schedule/pace.test.ts',
    'test/schedule/schedule.test.ts',
    'test/schedule/due.test.ts',
    'test/schedule/scan.test.ts',
    'test/schedule/auto.test.ts',
  ],
  mutants: [
    {
      file: CADENCE,
      code: '(countIntervals(schedule, after) + 1) * every',
      by: 'countIntervals(schedule, after) * every',
    },
    { file: CADENCE, code: 'slot <= until; slot += every', by: 'slot < until; slot += every' },
    { file: CADENCE, code: 'Math.floor((at - phase) / every)', by: 'Math.floor(at / every)' },
    { file: CADENCE, code: 'if (!cron.rhythm && reached !== undefined)', by: 'if (reached !== undefined)' },
    { file: CADENCE, code: 'yield at - MINUTE', by: 'yield at' },
    { file: CADENCE, code: 'if (slot <= last) continue;', by: 'if (slot < last) continue;' },
    { file: CADENCE, code: 'Math.max(stretch.from + DAY, from)', by: 'Math.max(stretch.from, from)' },
    { file: CADENCE, code: 'last, count: total - most }', by: 'last, count: total }' },
    {
      file: 'monitor/schedule/cron.ts',
      code: 'cron.eitherDay ? byDay || byWeekday',
      by: 'cron.eitherDay ? byDay && byWeekday',
    },
    { file: 'monitor/schedule/cron.ts', code: 'first <= (MAX_DAYS', by: 'first < (MAX_DAYS' },
    { file: DUE, code: 'i === latest.length - 1 ? obstacle', by: 'i === 0 ? obstacle' },
    {
      file: DUE,
      code: 'Math.max(Number(search.next_due_at), search.created_at.getTime())',
      by: 'Number(search.next_due_at)',
    },
    { file: DUE, code: 'isQueued: obstacle === null', by: 'isQueued: true' },
    { file: DUE, code: 'new Date(end.getTime() - 1)', by: 'end' },
    {
      file: DUE,
      code: "capped.has(search.id) ? 'capped' : open.has(search.id) ? 'overlap' : null",
      by: "capped.has(search.id) ? 'capped' : null",
    },
    { file: DUE, code: 'Math.max(now.getTime() + interval, allowed)', by: 'now.getTime() + interval' },
    { file: CALLS, code: 'Math.max(spentUntil ?? at, at)', by: '(spentUntil ?? at)' },
    {
      file: CALLS,
      code: 'if (countCalls(middle) <= calls) high',
      by: 'if (countCalls(middle) >= calls) high',
    },
    { file: INTERVAL, code: 'if (passed > wanted) return', by: 'if (passed < 0) return' },
    {
      file: INTERVAL,
      code: 'newItems > 0 ? AI_SHORTER : AI_LONGER',
      by: 'newItems > 0 ? AI_LONGER : AI_SHORTER',
    },
  ],
};
