/** Turns zod's validation errors into problems for the client, in plain words and without secrets. `limitProblems` truncates them. */
import type { z } from 'zod';
import { HIDDEN, InvalidInput, type Problem } from '../../model/errors.ts';

/** The content of a request, to quote what was given. */
export type RequestContent = { body?: unknown; query?: unknown; params?: unknown };

/** Prefix of a problem's path, by part of the request. */
const REQUEST_PARTS = { body: 'body', querystring: 'query', params: 'params', headers: 'headers' } as const;

type ValidationIssue = {
  keyword: string;
  instancePath: string;
  message?: string;
  params: IssueParams;
};
/** `errors`: of a union, the issues of each member. */
type IssueParams = {
  [name: string]: unknown;
  errors?: readonly (readonly MemberIssue[])[];
};
type MemberIssue = IssueParams & { code: string; message: string; path: readonly PropertyKey[] };

/** Problems of a request that failed validation, values at full length: see {@link limitProblems}; undefined for other errors. */
export function readRequestProblems(error: unknown, sent: RequestContent): Problem[] | undefined {
  if (!(error instanceof Error) || !('validation' in error) || !Array.isArray(error.validation))
    return undefined;
  const context = 'validationContext' in error ? error.validationContext : undefined;
  const place = REQUEST_PARTS[isRequestPart(context) ? context : 'body'];
  const whole = place === 'headers' ? undefined : sent[place];
  // Fastify's validation results, of the shape that fastify-type-provider-zod gives them.
  return (error.validation as ValidationIssue[]).flatMap(
    ({ keyword, instancePath, message = '', params }) => {
      const path = instancePath.split('/').filter((step) => step !== '');
      return listExpected({ ...params, code: keyword, message, path }).map(({ steps, expected }) =>
        buildProblem(place, whole, steps, expected),
      );
    },
  );
}

/** Where something else is expected, and what. */
function listExpected(issue: MemberIssue): { steps: string[]; expected: string }[] {
  const steps = issue.path.map(String);
  const { keys } = issue;
  if (issue.code === 'unrecognized_keys' && Array.isArray(keys))
    return keys.map((key) => ({
      steps: [...steps, String(key)],
      expected: ZOD_KEYS_MESSAGE.test(issue.message) ? 'nothing: unknown member' : issue.message,
    }));
  return (
    findMeantObject(issue)?.flatMap((each) =>
      listExpected({ ...each, path: [...issue.path, ...each.path] }),
    ) ?? [{ steps, expected: describeExpected(issue, issue.message) }]
  );
}

/** Of several objects, the issues of the first that has all given members; undefined if none or all have them. */
function findMeantObject({ errors = [] }: MemberIssue): readonly MemberIssue[] | undefined {
  const fitting = errors.filter((issues) => issues.every(({ code }) => code !== 'unrecognized_keys'));
  return fitting.length === errors.length ? undefined : fitting[0];
}

/** Default messages of zod, which are for developers. Messages set by a type are kept. */
const ZOD_TYPE_MESSAGE = /^Invalid (?:option|input): /;
const ZOD_UNION_MESSAGE = 'Invalid input';
const ZOD_KEYS_MESSAGE = /^Unrecognized keys?: /;
const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const ZOD_BOUND_MESSAGE = /^Too (?:big|small): /;
const COUNTED_TYPES: Readonly<Record<string, [thing: string, unit: string]>> = {
  string: ['text', 'character'],
  array: ['a list', 'item'],
};

function describeExpected(params: IssueParams, message = 'something else'): string {
  if (params.errors !== undefined && message === ZOD_UNION_MESSAGE) {
    const members = params.errors.flatMap((issues) => issues.slice(0, 1));
    const words = new Set(members.map((issue) => describeExpected(issue, issue.message)));
    // An empty field is accepted, too, which needs no words.
    return [...words].filter((word) => word !== '').join(' or ');
  }
  if (ZOD_BOUND_MESSAGE.test(message)) return describeBound(params) ?? message;
  if (!ZOD_TYPE_MESSAGE.test(message)) return message;
  const { values, expected } = params;
  if (Array.isArray(values)) return `${values.length === 1 ? '' : 'one of '}${values.join(', ')}`;
  return (typeof expected === 'string' ? TYPE_WORDS[expected] : undefined) ?? message;
}

/** `at most 200`, `text of at least 2 characters` */
function describeBound({ origin, minimum, maximum, inclusive }: Record<string, unknown>): string | undefined {
  const bound = minimum ?? maximum;
  if (typeof origin !== 'string' || (typeof bound !== 'number' && typeof bound !== 'bigint'))
    return undefined;
  const most = minimum === undefined;
  const words = inclusive === false ? (most ? 'less than' : 'more than') : most ? 'at most' : 'at least';
  const [thing, unit] = COUNTED_TYPES[origin] ?? [];
  if (thing === undefined) return `${words} ${bound}`;
  return `${thing} of ${words} ${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`;
}

function isRequestPart(context: unknown): context is keyof typeof REQUEST_PARTS {
  return typeof context === 'string' && context in REQUEST_PARTS;
}

function buildProblem(place: string, whole: unknown, steps: readonly string[], expected: string): Problem {
  return { path: [place, ...steps].join('.'), given: readGiven(whole, steps), expected };
}

/**
 * The values of an input, such as that of a command or a form.
 * @param part of a request, whose paths begin with it @throws InvalidInput with all problems
 */
export function decodeInput<S extends z.ZodType>(schema: S, input: unknown, part?: string): z.output<S> {
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  // An issue of zod is an object whose members depend on its code, as in a request's.
  const issues = read.error.issues as unknown as MemberIssue[];
  throw new InvalidInput(
    issues.flatMap(listExpected).map(({ steps, expected }) =>
      part === undefined
        ? {
            path: steps
              .map((name, i) => (/^\d+$/.test(name) ? `[${name}]` : `${i === 0 ? '' : '.'}${name}`))
              .join(''),
            given: readGiven(input, steps),
            expected,
          }
        : buildProblem(part, input, steps, expected),
    ),
  );
}

/** The given value at a path, without secrets. */
function readGiven(whole: unknown, steps: readonly string[]): unknown {
  const member = steps.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? Reflect.get(value, step)
        : undefined,
    whole,
  );
  return redactGiven(member, steps);
}

/** Addresses of channels are pasted with what makes them secret. */
const SECRET_NAME = /secret|token|password|key|^address$/i;
const MAX_GIVEN_LENGTH = 200;
/** The longest list of choices fits. */
const MAX_EXPECTED_LENGTH = 2_000;
/** Enough for a person; a request with thousands of problems does not get thousands in reply. */
const MAX_PROBLEMS = 20;

/** The given value without secrets. */
function redactGiven(value: unknown, steps: readonly string[]): unknown {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  if (value !== undefined && steps.some((step) => SECRET_NAME.test(step))) return HIDDEN;
  return value;
}

/** The first problems, each truncated, and a sentence with all of them. */
export function limitProblems(problems: readonly Problem[]): { errors: readonly Problem[]; detail: string } {
  const errors = problems.slice(0, MAX_PROBLEMS).map(truncateProblem);
  const parts = errors.map(({ path, expected }) => `${path}: ${expected}`);
  if (problems.length > errors.length) parts.push(`and ${problems.length - errors.length} more`);
  return { errors, detail: parts.join('; ') };
}

/** Text of the request may be as long as a body, so the reply truncates it. */
function truncateProblem({ path, given: value, expected }: Problem): Problem {
  const cut = (text: string, most = MAX_GIVEN_LENGTH) => text.slice(0, most).toWellFormed();
  return {
    path: cut(path),
    given: typeof value === 'string' ? cut(value) : value,
    expected: cut(expected, MAX_EXPECTED_LENGTH),
  };
}
