/** Inputs of operations on digests. Pure. */
import { z } from 'zod';
import { parseTimePoint, resolveTimePoint, TIME_POINT_EXPECTED } from '../../lib/time-point.ts';
import { idParam, ruleSlug, searchSlug, textParam, timeParam, topicSlug } from '../../model/value-shapes.ts';
import { commandWords } from '../operation.ts';

/** Longest span of a digest: what a month brought, read within a second. */
export const MAX_SPAN_DAYS = 31;

/** A time in the past: ISO 8601, an age, `today` or `yesterday`, in the zone of the terminal. */
function readPastTime(text: string, nowMs: number, zone: string): string | undefined {
  const point = parseTimePoint(text);
  return point === undefined
    ? undefined
    : resolveTimePoint(point, new Date(nowMs), 'start', zone).toISOString();
}

const timeWords = (name: string, help: string) => ({
  flag: `--${name} <time>`,
  help,
  read: readPastTime,
  expected: TIME_POINT_EXPECTED,
});

export const digestSpan = z.strictObject({
  since: timeParam
    .optional()
    .describe('Start of the span. Default: a day before its end.')
    .register(
      commandWords,
      timeWords(
        'since',
        'start: yesterday, today, 2d, 2026-11-21 (UTC), 2026-11-21T14:05Z (default: a day before the end)',
      ),
    ),
  until: timeParam
    .optional()
    .describe('End of the span, excluded. Default: now.')
    .register(commandWords, timeWords('until', 'end (default: now)')),
  topic: topicSlug
    .optional()
    .describe('Only this topic.')
    .register(commandWords, { flag: '--topic <topic>' }),
  search: searchSlug
    .optional()
    .describe('Only this search.')
    .register(commandWords, { flag: '--search <search>' }),
  tz: textParam(64)
    .default('UTC')
    .describe('Time zone of its texts.')
    .register(commandWords, { flag: '--tz <zone>', help: 'time zone in JSON (default: UTC)' }),
});

export const digestFilter = z.strictObject({
  rule: ruleSlug
    .optional()
    .describe('Only digests of this rule.')
    .register(commandWords, { flag: '--rule <rule>' }),
});

export const namedDigest = z.strictObject({
  id: idParam.clone().register(commandWords, { argument: 'id', help: 'digest id; see: digest list' }),
});
