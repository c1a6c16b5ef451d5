/**
 * From the bytes of a body to a request in the specification's words, or to the list of what is wrong
 * with it, in the words that FastAPI uses: clients of the hosted service know how to read those.
 */
import { z } from 'zod';
import type { Dialect } from '../contract/dialect.ts';
import { MODELS, DATE_FILTERS, TOOLS } from '../contract/enumerations.ts';
import type { ValidationProblem } from '../contract/errors.ts';
import { aiSearchRequest, microblogSearchRequest, PROMPT_MAX } from '../contract/request.ts';
import { fromWire } from '../contract/wire.ts';

/** The most entries of `tools`; doubles count here and are one afterwards. */
const TOOLS_MOST = 50;

/** A letter, a digit or a sign that can be seen: a NUL or a space of no width asks nothing. */
const VISIBLE = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{P}\p{S}]/u;

// One that is empty is told as such.
const prompt = aiSearchRequest.shape.prompt.refine(
  (text) => text === '' || VISIBLE.test(text),
  'Value error, the prompt needs a visible character',
);

/** The request of operation A with the bounds of this service. */
export const boundedAiSearchRequest = aiSearchRequest.extend({
  prompt,
  tools: aiSearchRequest.shape.tools.max(TOOLS_MOST),
});
/** The request of operation B with the bounds of this service. */
export const boundedMicroblogSearchRequest = microblogSearchRequest.extend({ prompt });

export type Parsed<T> = { ok: true; request: T } | { ok: false; problems: ValidationProblem[] };

/** Reads a body as a request of the schema. Members nobody knows are ignored. */
export function parseRequest<T>(schema: z.core.$ZodType<T>, dialect: Dialect, body: unknown): Parsed<T> {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : '';
  if (text.trim() === '') return refused({ loc: ['body'], msg: 'Field required', type: 'missing' });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // V8 says where, in most of its messages.
    const at = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const loc = ['body', at === undefined ? text.length : Number(at)];
    return refused({ loc, msg: 'JSON decode error', type: 'json_invalid' });
  }
  const parsed = z.safeParse(schema, fromWire(dialect, 'request', value));
  if (parsed.success) return { ok: true, request: parsed.data };
  return refused(...parsed.error.issues.map((issue) => problemOf(issue, dialect, value)));
}

function refused<T>(...problems: ValidationProblem[]): Parsed<T> {
  return { ok: false, problems };
}

function problemOf(issue: z.core.$ZodIssue, dialect: Dialect, body: unknown): ValidationProblem {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  const loc = ['body', ...path];
  const given = path.reduce<unknown>(memberOf, body);
  if (given === undefined) return { loc, msg: 'Field required', type: 'missing' };
  return { loc, ...wordsFor(issue, Array.isArray(given), allowed(path, dialect)) };
}

function wordsFor(issue: z.core.$ZodIssue, list: boolean, words: readonly string[]) {
  if (issue.code === 'invalid_type') return typeProblem(issue.expected);
  if (issue.code === 'invalid_value') return { msg: `Input should be ${either(words)}`, type: 'enum' };
  if (issue.code === 'too_big' && list) {
    return { msg: `List should have at most ${TOOLS_MOST} items after validation`, type: 'too_long' };
  }
  if (issue.code === 'too_big') {
    return { msg: `String should have at most ${PROMPT_MAX} characters`, type: 'string_too_long' };
  }
  if (issue.code !== 'too_small') return { msg: issue.message, type: 'value_error' };
  return list
    ? { msg: 'List should have at least 1 item after validation, not 0', type: 'too_short' }
    : { msg: 'String should have at least 1 character', type: 'string_too_short' };
}

function typeProblem(expected: string): { msg: string; type: string } {
  if (expected === 'array') return { msg: 'Input should be a valid list', type: 'list_type' };
  if (expected === 'boolean') return { msg: 'Input should be a valid boolean', type: 'bool_type' };
  if (expected === 'string') return { msg: 'Input should be a valid string', type: 'string_type' };
  return {
    msg: 'Input should be a valid dictionary or object to extract fields from',
    type: 'model_attributes_type',
  };
}

/** What may stand at a place, in the words of the dialect. */
function allowed([member]: readonly (string | number)[], dialect: Dialect): readonly string[] {
  if (member === 'model') return MODELS;
  if (member === 'date_filter') return DATE_FILTERS;
  return TOOLS.map((tool) => dialect.labelOf.get(tool) ?? tool);
}

function either(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}

function memberOf(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return (value as Record<string | number, unknown>)[step]; // it has this member, that was asked just before
}
