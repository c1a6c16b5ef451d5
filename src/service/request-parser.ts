/**
 * From the bytes of a body to a request in the specification's words, or to the list of what is wrong
 * with it, in the words that FastAPI uses: clients of the hosted service know how to read those.
 */
import { z } from 'zod';
import type { Dialect } from '../protocol/dialect.ts';
import { MODELS, DATE_FILTERS, TOOLS } from '../domain/enumerations.ts';
import type { ValidationProblem } from '../protocol/error-body.ts';
import { aiSearchRequest, microblogSearchRequest, MAX_PROMPT_LENGTH } from '../protocol/specification.ts';
import { fromWire } from '../protocol/wire.ts';

/** The most entries of `tools`; doubles count here and are one afterwards. */
const MAX_TOOLS = 50;

/** A letter, a digit or a sign that can be seen: a NUL or a space of no width asks nothing. */
const VISIBLE_CHARACTER = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{P}\p{S}]/u;

// An empty prompt gets a message of its own.
const visiblePrompt = aiSearchRequest.shape.prompt.refine(
  (text) => text === '' || VISIBLE_CHARACTER.test(text),
  'Value error, the prompt needs a visible character',
);

/** The request of operation A with the bounds of this service. */
export const boundedAiSearchRequest = aiSearchRequest.extend({
  prompt: visiblePrompt,
  tools: aiSearchRequest.shape.tools.max(MAX_TOOLS),
});
/** The request of operation B with the bounds of this service. */
export const boundedMicroblogSearchRequest = microblogSearchRequest.extend({ prompt: visiblePrompt });

type ParsedRequest<T> = { ok: true; request: T } | { ok: false; problems: ValidationProblem[] };

/** Reads a body as a request of the schema. Members nobody knows are ignored. */
export function parseRequest<T>(
  schema: z.core.$ZodType<T>,
  dialect: Dialect,
  body: unknown,
): ParsedRequest<T> {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : '';
  if (text.trim() === '') return rejectRequest({ loc: ['body'], msg: 'Field required', type: 'missing' });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // V8 says where, in most of its messages.
    const at = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const loc = ['body', at === undefined ? text.length : Number(at)];
    return rejectRequest({ loc, msg: 'JSON decode error', type: 'json_invalid' });
  }
  const parsed = z.safeParse(schema, fromWire(dialect, 'request', value));
  if (parsed.success) return { ok: true, request: parsed.data };
  return rejectRequest(...parsed.error.issues.map((issue) => toValidationProblem(issue, dialect, value)));
}

function rejectRequest<T>(...problems: ValidationProblem[]): ParsedRequest<T> {
  return { ok: false, problems };
}

function toValidationProblem(issue: z.core.$ZodIssue, dialect: Dialect, body: unknown): ValidationProblem {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  const loc = ['body', ...path];
  const value = path.reduce<unknown>(readMember, body);
  if (value === undefined) return { loc, msg: 'Field required', type: 'missing' };
  return { loc, ...describeIssue(issue, Array.isArray(value), listAllowedValues(path, dialect)) };
}

function describeIssue(issue: z.core.$ZodIssue, list: boolean, words: readonly string[]) {
  if (issue.code === 'invalid_type') return describeTypeIssue(issue.expected);
  if (issue.code === 'invalid_value')
    return { msg: `Input should be ${joinAlternatives(words)}`, type: 'enum' };
  if (issue.code === 'too_big' && list) {
    return { msg: `List should have at most ${MAX_TOOLS} items after validation`, type: 'too_long' };
  }
  if (issue.code === 'too_big') {
    return { msg: `String should have at most ${MAX_PROMPT_LENGTH} characters`, type: 'string_too_long' };
  }
  if (issue.code !== 'too_small') return { msg: issue.message, type: 'value_error' };
  return list
    ? { msg: 'List should have at least 1 item after validation, not 0', type: 'too_short' }
    : { msg: 'String should have at least 1 character', type: 'string_too_short' };
}

function describeTypeIssue(expected: string): { msg: string; type: string } {
  if (expected === 'array') return { msg: 'Input should be a valid list', type: 'list_type' };
  if (expected === 'boolean') return { msg: 'Input should be a valid boolean', type: 'bool_type' };
  if (expected === 'string') return { msg: 'Input should be a valid string', type: 'string_type' };
  return {
    msg: 'Input should be a valid dictionary or object to extract fields from',
    type: 'model_attributes_type',
  };
}

/** What may stand at a place, in the words of the dialect. */
function listAllowedValues([member]: readonly (string | number)[], dialect: Dialect): readonly string[] {
  if (member === 'model') return MODELS;
  if (member === 'date_filter') return DATE_FILTERS;
  return TOOLS.map((tool) => dialect.labelOf.get(tool) ?? tool);
}

function joinAlternatives(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}

function readMember(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return (value as Record<string | number, unknown>)[step]; // it has this member, that was asked just before
}
