/** The form of a new topic, and how it is parsed into a topic with searches. */

import type { Problem } from '../../model/errors.ts';
import { DEFAULT_EVERY } from '../../monitor/schedule/schedule.ts';
import type { NewTopic, TopicSearch } from '../../monitor/topics/save-topic.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import {
  Button,
  Field,
  type FieldOption,
  type FieldProblem,
  Form,
  type FormValues,
} from '../components/form.tsx';
import { isPaid } from '../components/numbers.tsx';
import { readField, readFieldList } from '../request-input.ts';
import {
  parseRequest,
  parseSchedule,
  placeProblem,
  RequestFields,
  ScheduleFields,
} from './search-fields.tsx';
import type { Forecast } from '../../monitor/topics/search-forecast.ts';
import { CallCosts, ForecastView } from './search-forecast.tsx';
import { type TrialOutcome, TrialView } from './search-trial.tsx';

/** The searches that the form offers, by the prefix of their fields. */
export const PARTS = {
  posts: { operation: 'microblog', name: 'Posts', words: 'Microblog posts', every: DEFAULT_EVERY.microblog },
  ai: { operation: 'ai', name: 'AI search', words: 'AI search over many sources', every: DEFAULT_EVERY.ai },
} as const;
export type PartName = keyof typeof PARTS;
export const PART_NAMES = ['posts', 'ai'] as const;

type Part = { part: PartName; written: TopicSearch };

/** The untouched form: both searches, all sources. */
export const INITIAL_VALUES: FormValues = { searches: PART_NAMES };

/** The searches that are ticked. */
export function parseParts(values: FormValues): Part[] {
  const chosen = readFieldList(values, 'searches');
  return PART_NAMES.filter((part) => chosen.includes(part)).map((part) => ({
    part,
    written: parsePart(values, part),
  }));
}

/** One search, ticked or not. Missing fields take their initial values. */
export function parsePart(values: FormValues, part: PartName): TopicSearch {
  const { operation, every } = PARTS[part];
  const request = parseRequest(values, `${part}_`, operation);
  const when = parseSchedule({ [`${part}_every`]: every, ...values }, `${part}_`);
  const tools = values['sent'] === undefined ? undefined : request.tools;
  return {
    ...request,
    ...(operation === 'ai' ? { tools } : {}),
    prompt: request.prompt ?? readField(values, 'text'),
    ...when,
  };
}

export function parseTopic(values: FormValues, parts: readonly Part[]): NewTopic {
  return {
    name: readField(values, 'name') ?? readField(values, 'text') ?? '',
    slug: readField(values, 'slug'),
    service: readField(values, 'service'),
    goal: readField(values, 'goal'),
    searches: parts.map(({ written }) => written),
  };
}

/** Each problem once, at the field where it can be fixed. */
export function placeProblems(
  problems: readonly Problem[],
  values: FormValues,
  parts: readonly Pick<Part, 'part'>[],
): Problem[] {
  const placed = problems.map((problem) => {
    const [, i, path] = /^searches\[(\d+)\]\.(.+)$/.exec(problem.path) ?? [];
    const part = i === undefined ? undefined : parts[Number(i)]?.part;
    return part === undefined || path === undefined
      ? problem
      : placePartProblem({ ...problem, path }, values, part);
  });
  // Without a name, the text is the name.
  const named = readField(values, 'name') !== undefined;
  const text = placed.some(({ path }) => path === 'text');
  const moved = placed.flatMap((problem) => {
    if (problem.path !== 'name' || named) return [problem];
    return text ? [] : [{ ...problem, path: 'text' }];
  });
  return [...new Map(moved.map((problem) => [`${problem.path} ${problem.expected}`, problem])).values()];
}

/** The same for one search. */
export function placePartProblem(problem: Problem, values: FormValues, part: PartName): Problem {
  if (problem.path === 'service') return problem;
  const placed = placeProblem(problem, `${part}_`);
  return placed.path === `${part}_prompt` && readField(values, placed.path) === undefined
    ? { ...placed, path: 'text' }
    : placed;
}

type NewFormProps = {
  values: FormValues;
  problems: readonly FieldProblem[];
  /** The topic to add to; null creates one. */
  topic: { slug: string; name: string } | null;
  services: readonly ServiceKind[];
  /** The default service; null: the topic takes none of the configured ones. */
  usual: ServiceKind | null;
  /** No public source is reachable now. */
  waits: boolean;
  /** Null if the service is missing or invalid. */
  forecast: Forecast | null;
  tried: TrialOutcome | null;
  /** Whether a goal can be set, and what is missing. */
  goalHelp: string;
  /** The rest of the form is unfolded. */
  open: boolean;
};

const SERVICE_LABELS: Readonly<Record<ServiceKind, string>> = {
  own: 'own: public sources',
  hosted: 'hosted: each call costs money',
  sandbox: 'sample: simulated',
};

const FIELD_LABELS = {
  searches: 'Searches',
  service: 'Service',
  name: 'Name of the topic',
  slug: 'Short name',
  goal: 'Only tell me about',
} as const;

export function NewForm(view: NewFormProps) {
  const { values, problems, topic, forecast, tried, open } = view;
  const text = topic === null ? 'What do you want to watch?' : `What do you want to add to ${topic.name}?`;
  return (
    <>
      <Form
        action="/new"
        values={values}
        problems={problems}
        help="/new/forecast"
        label="New topic"
        labels={{ ...FIELD_LABELS, text }}
      >
        <input type="hidden" name="sent" value="yes" />
        {topic === null ? null : <input type="hidden" name="topic" value={topic.slug} />}
        <Field
          name="text"
          label={text}
          placeholder="harbour ferry"
          autocomplete="off"
          help="Words, a name or a question. It is sent as written on every run."
        />
        {view.usual === null ? <ServiceField {...view} /> : null}
        <div class="buttons">
          <Button words={topic === null ? 'Watch' : 'Add'} kind="main" name="do" value="save" />
          <Button words="Try it now" icon="run" name="do" value="try" />
          <Button words="Preview" kind="quiet" name="do" value="preview" />
        </div>
        <p class="help">
          New searches run immediately. A trial saves nothing.{' '}
          <CallCosts
            service={forecast?.service ?? view.usual ?? 'own'}
            call={forecast?.searches[0]?.call ?? null}
          />
        </p>
        {forecast === null ? null : <ForecastView forecast={forecast} />}
        <details class="more" open={open}>
          <summary>Searches, schedule, service and name</summary>
          <MoreFields {...view} />
        </details>
      </Form>
      {tried === null ? null : <TrialView tried={tried} />}
    </>
  );
}

function ServiceField({ services, usual, waits }: Pick<NewFormProps, 'services' | 'usual' | 'waits'>) {
  const options = services.map(
    (kind): FieldOption => [kind, `${SERVICE_LABELS[kind]}${isPaid(kind) ? '' : ', free'}`],
  );
  return (
    <Field
      name="service"
      label={FIELD_LABELS.service}
      kind="select"
      value={usual ?? ''}
      options={usual === null ? [['', 'Choose…'], ...options] : options}
      help={
        services.length === 0
          ? 'No service is configured: set SEARCH_API_URL, or public sources in SERVICE_SOURCES.'
          : waits
            ? 'No public source is reachable now: searches of own start when a source is reachable. A search cannot change its service later.'
            : 'A search cannot change its service later.'
      }
    />
  );
}

function MoreFields({ topic, services, usual, waits, goalHelp }: NewFormProps) {
  return (
    <div class="form">
      <Field
        name="searches"
        label={FIELD_LABELS.searches}
        many
        options={PART_NAMES.map((part) => [part, PARTS[part].words])}
      />
      {PART_NAMES.map((part) => (
        <PartFields part={part} />
      ))}
      {usual === null ? null : <ServiceField services={services} usual={usual} waits={waits} />}
      {topic !== null ? null : (
        <>
          <Field name="name" label={FIELD_LABELS.name} help="Default: the text above." />
          <Field
            name="slug"
            label={FIELD_LABELS.slug}
            placeholder="harbour-ferry"
            autocomplete="off"
            help="Used in addresses and commands. Derived from the name if empty."
          />
          <Field
            name="goal"
            label={FIELD_LABELS.goal}
            placeholder="rulings and filings, not opinion"
            help={goalHelp}
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
        <summary>Request</summary>
        <div class="form">
          <Field
            name={`${part}_prompt`}
            label="Prompt"
            kind="textarea"
            rows={2}
            help="Default: the text above."
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
