/** Inputs of operations on digests. Pure. */
import { z } from 'zod';
import { idParam, ruleSlug, textParam } from '../../model/value-shapes.ts';
import { pastTime, scopeParams } from '../common-inputs.ts';
import { commandWords } from '../operation.ts';

/** Longest span of a digest: what a month brought, read within a second. */
export const MAX_SPAN_DAYS = 31;

export const digestSpan = z.strictObject({
  since: pastTime(
    'Start of the span. Default: a day before its end.',
    'start: yesterday, today, 2d, 2026-11-21 (UTC), 2026-11-21T14:05Z (default: a day before the end)',
  ),
  until: pastTime('End of the span, excluded. Default: now.', 'end (default: now)'),
  ...scopeParams,
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
