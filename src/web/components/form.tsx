/** Forms keep what was typed and show each problem at its field. */
import { createContext, type ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import type { Problem } from '../../model/errors.ts';
import { useFrame } from './page-frame.tsx';
import { Icon, type IconName } from './icons.tsx';
import { UntrustedText } from './untrusted-text.tsx';

/** Submitted values by field name. */
export type FormValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The hidden field with the state that an edit starts from. A problem with it means that the state has changed since. */
export const OPENED = 'opened';

/** `link` to an existing thing is shown instead of the given value. */
export type FieldProblem = Problem & { link?: { words: string; href: string } };

type FormState = { values: FormValues; problems: readonly FieldProblem[] };
const FormContext = createContext<FormState>({ values: {}, problems: [] });

/** A form that changes something; it includes the CSRF token. */
export function Form({
  action,
  values = {},
  problems = [],
  children,
  class: name = 'form',
  id,
  label,
  labels = {},
  help,
}: {
  action: string;
  /** For buttons that stand elsewhere. */
  id?: string;
  /** Submitted values, if the form is shown again. */
  values?: FormValues | undefined;
  /** Shown at their fields, and as a list above the form. */
  problems?: readonly FieldProblem[] | undefined;
  children: ComponentChildren;
  class?: string;
  label?: string;
  /** Labels by path, for the list of problems. */
  labels?: Readonly<Record<string, string>>;
  /** Address of the forecast that the script fetches while a person types. */
  help?: string;
}) {
  const frame = useFrame();
  return (
    <form method="post" action={action} class={name} id={id} aria-label={label} data-help={help} novalidate>
      <input type="hidden" name="form_token" value={frame.formToken} />
      {problems.length === 0 ? null : <ProblemList problems={problems} labels={labels} />}
      <FormContext.Provider value={{ values, problems }}>{children}</FormContext.Provider>
    </form>
  );
}

/** The fields of a form that only reads, with the problems of what was given. */
export function CheckedFields({
  problems,
  children,
}: {
  problems: readonly FieldProblem[];
  children: ComponentChildren;
}) {
  return <FormContext.Provider value={{ values: {}, problems }}>{children}</FormContext.Provider>;
}

function ProblemList({
  problems,
  labels,
}: {
  problems: readonly FieldProblem[];
  labels: Readonly<Record<string, string>>;
}) {
  return (
    <div class="problems" role="alert">
      <p>
        <Icon name="warning" /> Fix {problems.length === 1 ? 'one problem' : `${problems.length} problems`}.
        Nothing was saved.
      </p>
      <ul>
        {problems.map((problem) => {
          const label = labels[problem.path] ?? problem.path;
          return (
            <li>
              {problem.path === OPENED ? 'Another edit' : <a href={`#field-${problem.path}`}>{label}</a>}
              {label.endsWith('?') ? ' ' : ': '}
              <ProblemText problem={problem} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function ProblemText({ problem }: { problem: FieldProblem }) {
  const { link } = problem;
  return link === undefined ? (
    <UntrustedText text={describeProblem(problem)} most={600} />
  ) : (
    <>
      {problem.expected}: <a href={link.href}>{link.words}</a>
    </>
  );
}

/** `got "every minute"; expected a cron expression` */
export function describeProblem({ given: value, expected }: Problem): string {
  const shown = value === undefined || value === '' ? 'nothing' : JSON.stringify(value);
  return `got ${shown.length > 80 ? `${shown.slice(0, 77)}…` : shown}; expected ${expected}`;
}

export type FieldOption = readonly [value: string, words: string];

type FieldProps = {
  name: string;
  label: string;
  /** Initial value. */
  value?: string | readonly string[] | undefined;
  kind?:
    | 'text'
    | 'number'
    | 'search'
    | 'password'
    | 'url'
    | 'datetime-local'
    | 'textarea'
    | 'select'
    | 'checkbox';
  /** One line below the field. */
  help?: ComponentChildren;
  /** For `select`; checkboxes if `many`. */
  options?: readonly FieldOption[];
  many?: boolean;
  /** Of many: the maximum that the script lets a person tick. Such lists are in columns. */
  most?: number;
  /** Path of its problems, if not the field's name. */
  path?: string;
  placeholder?: string;
  required?: boolean;
  rows?: number;
  min?: number;
  max?: number;
  autocomplete?: string;
  disabled?: boolean;
};

export function Field(props: FieldProps) {
  const { name, label, help, path = name, many = false, kind = 'text' } = props;
  const sent = useContext(FormContext);
  const wrong = sent.problems.filter(
    (problem) => problem.path === path || problem.path.startsWith(`${path}.`),
  );
  // A secret that was sent is not sent back.
  const value = kind === 'password' ? undefined : (sent.values[name] ?? props.value);
  const id = `field-${path}`;
  const describedBy = [help === undefined ? '' : `${id}-help`, wrong.length === 0 ? '' : `${id}-wrong`]
    .join(' ')
    .trim();
  const described = {
    'aria-describedby': describedBy || undefined,
    'aria-invalid': wrong.length > 0 || undefined,
  };
  const below = (
    <>
      {help === undefined ? null : (
        <p class="help" id={`${id}-help`} data-help-for={name}>
          {help}
        </p>
      )}
      {wrong.length === 0 ? null : (
        <p class="wrong" id={`${id}-wrong`}>
          <Icon name="warning" />{' '}
          {wrong.map((problem, i) => (
            <>
              {i === 0 ? '' : '; '}
              <ProblemText problem={problem} />
            </>
          ))}
        </p>
      )}
    </>
  );
  if (many)
    return (
      <fieldset class="field" id={id} {...described}>
        <legend>{label}</legend>
        <Checkboxes {...props} chosen={value === undefined ? [] : [value].flat()} />
        {below}
      </fieldset>
    );
  const first = value === undefined ? undefined : [value].flat()[0];
  if (kind === 'checkbox')
    return (
      <div class="field">
        <label class="box">
          <input type="checkbox" id={id} name={name} value="yes" checked={first === 'yes'} {...described} />{' '}
          {label}
        </label>
        {below}
      </div>
    );
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Input {...props} id={id} described={described} first={first} />
      {below}
    </div>
  );
}

/** Topics to choose from. @param chosen stays a choice if it was removed */
export function TopicFilter({ chosen }: { chosen: string | undefined }) {
  const { topics } = useFrame();
  const isListed = chosen === undefined || topics.some(({ slug }) => slug === chosen);
  const options: FieldOption[] = [
    ['', 'all'],
    ...topics.map(({ slug, name }): FieldOption => [slug, name]),
    ...(isListed ? [] : [[chosen, chosen] as const]),
  ];
  return <Field name="topic" label="Topic" kind="select" value={chosen} options={options} />;
}

type AriaProps = { 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

function Input({
  id,
  first,
  described,
  ...props
}: FieldProps & { id: string; first: string | undefined; described: AriaProps }) {
  const {
    name,
    kind = 'text',
    options = [],
    placeholder,
    required,
    rows,
    min,
    max,
    autocomplete,
    disabled,
  } = props;
  const common = { id, name, required, disabled, ...described };
  if (kind === 'textarea')
    return (
      <textarea {...common} rows={rows ?? 3} placeholder={placeholder}>
        {first ?? ''}
      </textarea>
    );
  if (kind === 'select')
    return (
      <select {...common}>
        {options.map(([value, words]) => (
          <option value={value} selected={value === first}>
            {words}
          </option>
        ))}
      </select>
    );
  return (
    <input
      {...common}
      type={kind}
      value={first}
      placeholder={placeholder}
      min={min}
      max={max}
      autocomplete={autocomplete}
    />
  );
}

function Checkboxes({ chosen, ...field }: FieldProps & { chosen: readonly string[] }) {
  const { name, options = [], most } = field;
  return (
    <div class="boxes" data-most={most}>
      {options.map(([value, words]) => (
        <label class="box">
          <input type="checkbox" name={name} value={value} checked={chosen.includes(value)} /> {words}
        </label>
      ))}
    </div>
  );
}

type ButtonKind = 'main' | 'plain' | 'danger' | 'quiet';

export function Button({
  words,
  kind = 'plain',
  icon,
  name,
  value,
}: {
  words: string;
  kind?: ButtonKind;
  icon?: IconName;
  name?: string;
  value?: string;
}) {
  return (
    <button type="submit" class={kind} name={name} value={value}>
      {icon === undefined ? null : <Icon name={icon} />} {words}
    </button>
  );
}

/** A form with a single button and hidden fields. */
export function ActionButton({
  action,
  words,
  kind = 'plain',
  icon,
  fields = {},
}: {
  action: string;
  words: string;
  kind?: ButtonKind;
  icon?: IconName;
  fields?: Readonly<Record<string, string>>;
}) {
  return (
    <Form action={action} class="act">
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <Button words={words} kind={kind} {...(icon === undefined ? {} : { icon })} />
    </Form>
  );
}
