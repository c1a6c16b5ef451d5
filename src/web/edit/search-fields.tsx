/** The fields of a search, for a new one and for one that is edited: how they are shown, and how a sent form is read. */

import { DATE_FILTER_DAYS, DATE_FILTERS, MODELS, type Operation, TOOLS } from '../../domain/enumerations.ts';
import type { Problem } from '../../domain/errors.ts';
import type { WrittenSearch } from '../../monitor/topics/search-definition.ts';
import { Field, type FormValues } from '../components/form.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { isChecked, readField, readFieldList } from '../request-input.ts';

export type SearchValues = {
  prompt?: string | undefined;
  model?: string | undefined;
  tools?: readonly string[] | undefined;
  date_filter?: string | undefined;
  every?: string | undefined;
  cron?: string | undefined;
  tz?: string | undefined;
};

const MODEL_SECONDS = { NOVA: 10, ORBIT: 30, HORIZON: 120 } as const;

/** What is asked, beside the prompt. */
export function RequestFields({
  prefix,
  operation,
  values,
}: {
  prefix: string;
  operation: Operation;
  values: SearchValues;
}) {
  return (
    <>
      {operation === 'ai' ? (
        <>
          <Field
            name={`${prefix}tools`}
            label="Where it looks"
            many
            value={values.tools ?? TOOLS}
            options={TOOLS.map((tool) => ({ value: tool, words: tool.replace(/ Search$/, '') }))}
          />
          <Field
            name={`${prefix}date_filter`}
            label="How far back it looks"
            kind="select"
            value={values.date_filter ?? 'PAST_24_HOURS'}
            options={DATE_FILTERS.map((filter) => ({ value: filter, words: describeDateFilter(filter) }))}
          />
        </>
      ) : null}
      <Field
        name={`${prefix}model`}
        label="Model"
        kind="select"
        value={values.model ?? 'NOVA'}
        options={MODELS.map((model) => ({
          value: model,
          words: `${model}, about ${MODEL_SECONDS[model]} s`,
        }))}
        help="A slower one looks longer, and may cost more."
      />
    </>
  );
}

const INTERVALS = [
  ['5m', 'every 5 minutes'],
  ['15m', 'every 15 minutes'],
  ['30m', 'every 30 minutes'],
  ['1h', 'every hour'],
  ['3h', 'every 3 hours'],
  ['6h', 'every 6 hours'],
  ['12h', 'every 12 hours'],
  ['1d', 'every day'],
  ['7d', 'every week'],
] as const;

/** When it is asked. */
export function ScheduleFields({ prefix, values }: { prefix: string; values: SearchValues }) {
  const { zone } = useFrame();
  const { every = '15m', cron, tz = zone } = values;
  const own = INTERVALS.some(([value]) => value === every) ? [] : [{ value: every, words: `every ${every}` }];
  return (
    <div class="schedule">
      <Field
        name={`${prefix}every`}
        label="How often"
        kind="select"
        value={every}
        options={[...own, ...INTERVALS.map(([value, words]) => ({ value, words }))]}
      />
      <Field
        name={`${prefix}cron`}
        label="Or at set times (cron)"
        value={cron}
        placeholder="0 8 * * 1-5"
        autocomplete="off"
        help="Minute, hour, day, month, weekday. Left empty, the interval holds."
      />
      <Field
        name={`${prefix}tz`}
        label="Zone of the set times"
        value={tz}
        placeholder="Europe/Berlin"
        autocomplete="off"
      />
    </div>
  );
}

function describeDateFilter(filter: keyof typeof DATE_FILTER_DAYS): string {
  const days = DATE_FILTER_DAYS[filter];
  return days === 1 ? 'the last 24 hours' : `the last ${days} days`;
}

/** The request in the fields whose names begin with the prefix. */
export function parseRequest(
  given: FormValues,
  prefix: string,
  operation: Operation,
): Partial<WrittenSearch> {
  const ai = operation === 'ai';
  return {
    operation,
    prompt: readField(given, `${prefix}prompt`),
    model: readField(given, `${prefix}model`),
    ...(ai
      ? {
          tools: readFieldList(given, `${prefix}tools`),
          date_filter: readField(given, `${prefix}date_filter`),
          streaming: isChecked(given, `${prefix}streaming`),
        }
      : {}),
  };
}

/** When: a cron expression where one was written, and otherwise the interval. */
export function parseSchedule(
  given: FormValues,
  prefix: string,
): Pick<WrittenSearch, 'cron' | 'tz' | 'every'> {
  const cron = readField(given, `${prefix}cron`);
  return cron === undefined
    ? { every: readField(given, `${prefix}every`) ?? '' }
    : { cron, tz: readField(given, `${prefix}tz`) };
}

/** `cron (minute)` and `tools[0]` stand at the fields `cron` and `tools`; a missing schedule at the interval. */
export function placeProblem(problem: Problem, prefix: string): Problem {
  const [name = ''] = /^[a-z_]+/.exec(problem.path) ?? [];
  const rest = /\((.+)\)/.exec(problem.path)?.[1];
  const expected = rest === undefined ? problem.expected : `${problem.expected} (${rest})`;
  return { ...problem, expected, path: `${prefix}${name === 'schedule' ? 'every' : name}` };
}
