import type { Problem } from '../../model/errors.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import { SENSITIVITIES } from '../../model/closed-lists.ts';
import { Button, Field, Form, type FormValues } from '../components/form.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { nameSearchOf } from '../components/scope-names.tsx';
import { writeEvery } from '../../monitor/schedule/schedule.ts';
import type { Forecast } from '../../monitor/topics/search-forecast.ts';
import { CallCosts, ForecastView } from './search-forecast.tsx';
import { OpenedField } from './opened-field.tsx';
import { type TrialOutcome, TrialView } from './search-trial.tsx';
import { RequestFields, ScheduleFields, type SearchValues } from './search-fields.tsx';

type EditFormProps = {
  search: SearchRow;
  values: FormValues | undefined;
  problems: readonly Problem[];
  forecast: Forecast;
  tried: TrialOutcome | null;
};

const SENSITIVITY_WORDS = {
  low: 'low: only strong spikes',
  normal: 'normal',
  high: 'high: weak spikes too',
  off: 'off: no spike detection',
} as const;

export function EditForm({ search, values: sent, problems, forecast, tried }: EditFormProps) {
  const { slug, operation } = search;
  const values = toSearchValues(search);
  // A box that is missing from a submitted form was not ticked.
  const shown = sent ?? { streaming: search.streaming ? 'yes' : '' };
  return (
    <>
      <Form
        action={`/searches/${slug}/edit`}
        class="form long"
        values={shown}
        problems={problems}
        help={`/searches/${slug}/forecast`}
        label={`Edit ${nameSearchOf(useFrame(), slug)}`}
      >
        <OpenedField edited={describeEdited(search)} values={sent} problems={problems} />
        <Field
          name="prompt"
          label="Prompt"
          kind="textarea"
          rows={2}
          value={search.prompt}
          help="Changing the request (prompt, sources, look-back or model) starts a new version: what its first run finds was there at the start."
        />
        <RequestFields prefix="" operation={operation} values={values} />
        <ScheduleFields prefix="" values={values} />
        <ForecastView forecast={forecast} />
        <Field
          name="sensitivity"
          label="Spike sensitivity"
          kind="select"
          value={search.sensitivity}
          options={SENSITIVITIES.map((value) => [value, SENSITIVITY_WORDS[value]])}
        />
        <details class="more" open={problems.some(({ path }) => FOLDED_FIELDS.has(path))}>
          <summary>Short name, labels and extra request members</summary>
          <div class="form">
            <Field
              name="slug"
              label="Short name"
              value={slug}
              autocomplete="off"
              help="In addresses. The former one continues to work."
            />
            <Field
              name="labels"
              label="Labels"
              value={joinLabels(search.labels)}
              help="Comma-separated."
              autocomplete="off"
            />
            {operation === 'ai' ? (
              <Field
                name="streaming"
                label="Stream the response"
                kind="checkbox"
                help="Results are the same."
              />
            ) : null}
            <Field
              name="extra"
              label="Extra members"
              kind="textarea"
              rows={2}
              value={JSON.stringify(search.extra)}
              help="A JSON object added to the request."
            />
          </div>
        </details>
        <div class="buttons">
          <Button words="Save" kind="main" name="do" value="save" />
          <Button words="Try it now" icon="run" name="do" value="try" />
          <Button words="Preview" kind="quiet" name="do" value="preview" />
          <a href={`/searches/${slug}`}>Cancel</a>
        </div>
        <p class="help">
          A trial saves nothing.{' '}
          <CallCosts service={forecast.service} call={forecast.searches[0]?.call ?? null} />
        </p>
      </Form>
      {tried === null ? null : <TrialView tried={tried} />}
    </>
  );
}

/** What an edit starts from; it differs after each edit. */
export function describeEdited({ version, slug }: SearchRow): string {
  return `version ${version} of ${slug}`;
}

/** Labels as the form shows them. */
export function joinLabels(labels: readonly string[]): string {
  return labels.join(', ');
}

const FOLDED_FIELDS = new Set(['slug', 'labels', 'extra', 'streaming']);

function toSearchValues(search: SearchRow): SearchValues {
  const { model, tools, date_filter, cron, tz } = search;
  const when = cron === null ? { every: writeEvery(search) } : { cron, tz };
  return { model, tools, date_filter: date_filter ?? undefined, ...when };
}
