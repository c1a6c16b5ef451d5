/** Inputs that operations of several subjects have: scope, times and pages. Pure. */
import { z } from 'zod';
import { TIME_POINT_EXPECTED } from '../lib/time-point.ts';
import { idParam, searchSlug, timeParam, topicSlug } from '../model/value-shapes.ts';
import { type Call, type CommandWords, commandWords } from './operation.ts';

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
  read: 'past_time',
  expected: TIME_POINT_EXPECTED,
});

/** An optional time in the past. @param description for the API @param help of the option */
export const pastTime = (description: string, help: string) =>
  timeParam.optional().describe(description).register(commandWords, pastTimeWords(help));

/** The cursor of a list that is ordered by id, and how the cursor is read from a row. */
export const BY_ID = { cursor: z.tuple([idParam]), key: ({ id }: { id: bigint }) => [id] };

/** The id of the last row before this page of such a list; undefined for the first page. */
export function lastIdOf({ page: { after } }: Pick<Call, 'page'>): bigint | undefined {
  return (after as [bigint] | undefined)?.[0]; // as `BY_ID` declares it
}

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
const EXPECTED_LIMIT = `a whole number from 1 to ${MAX_LIMIT}`;

/** How many items a reply has at most. */
export const limitParam = z.coerce
  .number(EXPECTED_LIMIT)
  .int(EXPECTED_LIMIT)
  .min(1, EXPECTED_LIMIT)
  .max(MAX_LIMIT, EXPECTED_LIMIT)
  .default(DEFAULT_LIMIT)
  .meta({ description: 'Maximum number of items per page.' });

/** Of the reply of a list. */
export const nextCursor = z
  .string()
  .nullable()
  .describe('Value of `cursor` for the next page; null on the last page.');
