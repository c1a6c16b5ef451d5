import { DAY, HOUR } from '../../../engine/clock.ts';
import { RUN_STATUSES } from '../../../store/schema/analytics/runs.ts';
import { Button, Field } from '../kit/form.tsx';
import { useFrame } from '../kit/frame.ts';

/** When runs were made, as it is asked for and in words. */
const SPANS = {
  hour: 'in the last hour',
  today: 'today (UTC)',
  day: 'in the last day',
  week: 'in the last week',
  month: 'in the last 30 days',
} as const;
type SpanName = keyof typeof SPANS;
export const SPAN_NAMES = ['hour', 'today', 'day', 'week', 'month'] as const satisfies readonly SpanName[];
const LENGTHS = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY };

/** The moment from which on they were made. */
export function sinceOf(span: SpanName, now: Date): Date {
  return new Date(span === 'today' ? Math.floor(now.getTime() / DAY) * DAY : now.getTime() - LENGTHS[span]);
}

export type RunFilter = {
  search?: string | undefined;
  topic?: string | undefined;
  status?: string | undefined;
  code?: string | undefined;
  since?: string | undefined;
};

const all = { value: '', words: 'all' };

export function Filter({ filter }: { filter: RunFilter }) {
  const { topics } = useFrame();
  return (
    <form class="form inline" method="get" action="/runs" role="search" aria-label="Which runs">
      <Field
        name="topic"
        label="Topic"
        kind="select"
        value={filter.topic}
        options={[all, ...topics.map(({ slug, name }) => ({ value: slug, words: name }))]}
      />
      <Field name="search" label="Search" value={filter.search} placeholder="all" />
      <Field
        name="status"
        label="Status"
        kind="select"
        value={filter.status}
        options={[all, ...RUN_STATUSES.map((status) => ({ value: status, words: status }))]}
      />
      <Field
        name="since"
        label="Made"
        kind="select"
        value={filter.since}
        options={[
          { value: '', words: 'any time' },
          ...SPAN_NAMES.map((name) => ({ value: name, words: SPANS[name] })),
        ]}
      />
      <Button words="Show" />
    </form>
  );
}

/** The address of this list with other members; what is empty is left out. */
export function runsAt(filter: RunFilter & { before?: string }): string {
  const asked = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as [string, string]],
  );
  return asked.length === 0 ? '/runs' : `/runs?${new URLSearchParams(asked).toString()}`;
}
