/** Inputs that operations of several subjects have: scope and times. Pure. */
import { parseTimePoint, resolveTimePoint, TIME_POINT_EXPECTED } from '../lib/time-point.ts';
import { searchSlug, timeParam, topicSlug } from '../model/value-shapes.ts';
import { type CommandWords, commandWords } from './operation.ts';

/** What most lists are about. */
export const scopeParams = {
  topic: topicSlug.optional().register(commandWords, { help: 'only this topic' }),
  search: searchSlug.optional().register(commandWords, { help: 'only this search' }),
};

/** Examples of past times, for the help of options. */
export const TIME_EXAMPLES =
  '2026-11-21 (UTC), 2026-11-21T14:05Z, 1h, 2d, today, yesterday (days of the time zone shown; with --utc, of UTC)';

/** How a command reads a time in the past: ISO 8601, an age, `today` or `yesterday`, in the zone of the terminal. */
export const pastTimeWords = (help: string): CommandWords => ({
  value: 'time',
  help,
  read: readPastTime,
  expected: TIME_POINT_EXPECTED,
});

/** An optional time in the past. @param description for the API @param help of the option */
export const pastTime = (description: string, help: string) =>
  timeParam.optional().describe(description).register(commandWords, pastTimeWords(help));

function readPastTime(text: string, nowMs: number, zone: string): string | undefined {
  const point = parseTimePoint(text);
  return point === undefined
    ? undefined
    : resolveTimePoint(point, new Date(nowMs), 'start', zone).toISOString();
}
