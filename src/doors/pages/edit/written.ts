/** A search as a form says it: its fields, read into what the verbs check; and what is wrong, told by field. */
import type { Operation } from '../../../contract/enumerations.ts';
import type { Problem } from '../../../errors.ts';
import type { WrittenSearch } from '../../../monitor/topic/definition.ts';
import { many, one, ticked } from '../actions/given.ts';
import type { Given } from '../kit/form.tsx';

/** The request in the fields that begin so. */
export function requestIn(given: Given, prefix: string, operation: Operation): Partial<WrittenSearch> {
  const ai = operation === 'ai';
  return {
    operation,
    prompt: one(given, `${prefix}prompt`),
    model: one(given, `${prefix}model`),
    ...(ai
      ? {
          tools: many(given, `${prefix}tools`),
          date_filter: one(given, `${prefix}date_filter`),
          streaming: ticked(given, `${prefix}streaming`),
        }
      : {}),
  };
}

/** When: a cron expression where one was written, and otherwise the interval. */
export function whenIn(given: Given, prefix: string): Pick<WrittenSearch, 'cron' | 'tz' | 'every'> {
  const cron = one(given, `${prefix}cron`);
  return cron === undefined
    ? { every: one(given, `${prefix}every`) ?? '' }
    : { cron, tz: one(given, `${prefix}tz`) };
}

/** `cron (minute)` and `tools[0]` stand at the fields `cron` and `tools`; a missing schedule at the interval. */
export function atField(problem: Problem, prefix: string): Problem {
  const [name = ''] = /^[a-z_]+/.exec(problem.path) ?? [];
  const rest = /\((.+)\)/.exec(problem.path)?.[1];
  const expected = rest === undefined ? problem.expected : `${problem.expected} (${rest})`;
  return { ...problem, expected, path: `${prefix}${name === 'schedule' ? 'every' : name}` };
}
