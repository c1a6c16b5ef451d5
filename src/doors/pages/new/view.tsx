import type { ServiceKind } from '../../../store/services.ts';
import { RequestFields, ScheduleFields } from '../edit/fields.tsx';
import { Button, Field, type FieldProblem, Form, type Given } from '../kit/form.tsx';
import type { Forecast } from './forecast.ts';
import { CallCosts, ForecastView } from './forecast-view.tsx';
import { PARTS, PART_NAMES, type PartName } from './plan.ts';
import { type Tried, TrialView } from './trial-view.tsx';

export type NewView = {
  given: Given;
  problems: readonly FieldProblem[];
  /** The topic that the searches join; null makes a new one. */
  topic: { slug: string; name: string } | null;
  services: readonly ServiceKind[];
  /** What is taken where nobody says otherwise. */
  usual: ServiceKind;
  /** Null where the service is none. */
  forecast: Forecast | null;
  tried: Tried | null;
  /** The rest of the form is unfolded. */
  open: boolean;
};

const SERVICES: Readonly<Record<ServiceKind, string>> = {
  own: 'own: public sources, costs nothing',
  hosted: 'hosted: costs money with each call',
  sandbox: 'sandbox: simulated, costs nothing',
};

const LABELS = {
  searches: 'Searches',
  service: 'Service',
  name: 'Name of the topic',
  slug: 'Short name',
} as const;

export function NewForm(view: NewView) {
  const { given, problems, topic, forecast, tried, open } = view;
  const text = topic === null ? 'What should be watched?' : `What else should ${topic.name} watch?`;
  return (
    <>
      <Form
        action="/new"
        given={given}
        problems={problems}
        help="/new/forecast"
        label="New topic"
        labels={{ ...LABELS, text }}
      >
        <input type="hidden" name="sent" value="yes" />
        {topic === null ? null : <input type="hidden" name="topic" value={topic.slug} />}
        <Field
          name="text"
          label={text}
          placeholder="harbour ferry"
          autocomplete="off"
          help="Words, a name, a question: it is asked in this wording, again and again, and what is new is kept."
        />
        <div class="buttons">
          <Button words={topic === null ? 'Watch' : 'Add'} kind="main" name="do" value="save" />
          <Button words="Try it now" icon="run" name="do" value="try" />
          <Button words="Preview" kind="quiet" name="do" value="preview" />
        </div>
        <p class="help">
          Watching runs each search once at once. Trying saves nothing.{' '}
          <CallCosts service={forecast?.service ?? view.usual} call={forecast?.searches[0]?.call ?? null} />
        </p>
        {forecast === null ? null : <ForecastView forecast={forecast} />}
        <details class="more" open={open}>
          <summary>Searches, schedule, service and name</summary>
          <More {...view} />
        </details>
      </Form>
      {tried === null ? null : <TrialView tried={tried} />}
    </>
  );
}

function More({ topic, services, usual }: NewView) {
  return (
    <div class="form">
      <Field
        name="searches"
        label={LABELS.searches}
        many
        options={PART_NAMES.map((part) => ({
          value: part,
          words: part === 'posts' ? 'Posts of a microblog' : 'AI search over many sources',
        }))}
      />
      {PART_NAMES.map((part) => (
        <PartFields part={part} />
      ))}
      <Field
        name="service"
        label={LABELS.service}
        kind="select"
        value={usual}
        options={services.map((kind) => ({ value: kind, words: SERVICES[kind] }))}
        help="Who is asked. A search belongs to its service for ever."
      />
      {topic !== null ? null : (
        <>
          <Field name="name" label={LABELS.name} help="Left empty, the text is its name." />
          <Field
            name="slug"
            label={LABELS.slug}
            placeholder="harbour-ferry"
            autocomplete="off"
            help="For addresses and commands; made from the name where it is left empty. It cannot be changed."
          />
        </>
      )}
    </div>
  );
}

function PartFields({ part }: { part: PartName }) {
  const { name, operation, every } = PARTS[part];
  return (
    <fieldset class="part">
      <legend>{name}</legend>
      <ScheduleFields prefix={`${part}_`} values={{ every }} />
      <details class="more">
        <summary>What it asks</summary>
        <div class="form">
          <Field
            name={`${part}_prompt`}
            label="Prompt"
            kind="textarea"
            rows={2}
            help="Only where it should ask something else than the text above."
          />
          <RequestFields prefix={`${part}_`} operation={operation} values={{}} />
        </div>
      </details>
      <p>
        <Button words={`Try ${name} now`} kind="quiet" icon="run" name="do" value={`try_${part}`} />
      </p>
    </fieldset>
  );
}
