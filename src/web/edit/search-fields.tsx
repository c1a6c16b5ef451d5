/** Form fields of a search, new or edited, and how they are parsed. */

import { DATE_FILTER_DAYS, DATE_FILTERS, MODELS, type Operation, TOOLS } from '../../model/enumerations.ts';
import type { Problem } from '../../model/errors.ts';
import { DEFAULT_EVERY } from '../../monitor/schedule/schedule.ts';
import type { WrittenSearch } from '../../monitor/topics/search-definition.ts';
import { Field, type FormValues } from '../components/form.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { isChecked, readField, readFieldList } from '../request-input.ts';

export type SearchValues = Pick<WrittenSearch, 'model' | 'tools' | 'date_filter' | 'every' | 'cron' | 'tz'>;

const MODEL_SECONDS = { NOVA: 10, ORBIT: 30, HORIZON: 120 } as const;

/** The request without the prompt. */
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
            label="Sources"
            many
            value={values.tools ?? TOOLS}
            options={TOOLS.map((tool) => [tool, tool.replace(/ Search$/, '')])}
          />
          <Field
            name={`${prefix}date_filter`}
            label="Look back"
            kind="select"
            value={values.date_filter ?? 'PAST_24_HOURS'}
            options={DATE_FILTERS.map((filter) => [filter, describeDateFilter(filter)])}
          />
        </>
      ) : null}
      <Field
        name={`${prefix}model`}
        label="Model"
        kind="select"
        value={values.model ?? 'NOVA'}
        options={MODELS.map((model) => [model, `${model}, about ${MODEL_SECONDS[model]} s`])}
        help="Slower models search more thoroughly and may cost more."
      />
    </>
  );
}

const INTERVALS = [
  ['auto', 'adaptive: as often as something is posted'],
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

export function ScheduleFields({ prefix, values }: { prefix: string; values: SearchValues }) {
  const { zone } = useFrame();
  const { every = DEFAULT_EVERY.microblog, cron, tz = zone } = values;
  const own = INTERVALS.some(([value]) => value === every)
    ? []
    : [[every, every.startsWith('auto') ? every : `every ${every}`] as const];
  return (
    <div class="schedule">
      <Field
        name={`${prefix}every`}
        label="Interval"
        kind="select"
        value={every}
        options={[...own, ...INTERVALS]}
      />
      <Field
        name={`${prefix}cron`}
        label="Cron (instead of the interval)"
        value={cron}
        placeholder="0 8 * * 1-5"
        autocomplete="off"
        help="Minute, hour, day, month, weekday. Empty: the interval applies."
      />
      <Field
        name={`${prefix}tz`}
        label="Cron time zone"
        value={tz}
        placeholder="Europe/Berlin"
        autocomplete="off"
      />
    </div>
  );
}

function describeDateFilter(filter: keyof typeof DATE_FILTER_DAYS): string {
  const days = DATE_FILTER_DAYS[filter];
  return days === 1 ? 'last 24 hours' : `last ${days} days`;
}

/** Parses the request from fields with this prefix. */
export function parseRequest(
  values: FormValues,
  prefix: string,
  operation: Operation,
): Partial<WrittenSearch> {
  const ai = operation === 'ai';
  return {
    operation,
    prompt: readField(values, `${prefix}prompt`),
    model: readField(values, `${prefix}model`),
    ...(ai
      ? {
          tools: readFieldList(values, `${prefix}tools`),
          date_filter: readField(values, `${prefix}date_filter`),
          streaming: isChecked(values, `${prefix}streaming`),
        }
      : {}),
  };
}

/** A cron expression if there is one, otherwise the interval. */
export function parseSchedule(
  values: FormValues,
  prefix: string,
): Pick<WrittenSearch, 'cron' | 'tz' | 'every'> {
  const cron = readField(values, `${prefix}cron`);
  return cron === undefined
    ? { every: readField(values, `${prefix}every`) ?? '' }
    : { cron, tz: readField(values, `${prefix}tz`) };
}

/** Places `cron (minute)` and `tools[0]` at `cron` and `tools`, and a missing schedule at the interval. */
export function placeProblem(problem: Problem, prefix: string): Problem {
  const [name = ''] = /^[a-z_]+/.exec(problem.path) ?? [];
  const rest = /\((.+)\)/.exec(problem.path)?.[1];
  const expected = rest === undefined ? problem.expected : `${problem.expected} (${rest})`;
  return { ...problem, expected, path: `${prefix}${name === 'schedule' ? 'every' : name}` };
}
