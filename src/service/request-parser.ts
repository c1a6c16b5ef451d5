/**
 * From the bytes of a body to a request in the specification's words, or to the list of what is wrong
 * with it, in the words that FastAPI uses: clients of the hosted service know how to read those.
 */
import { z } from 'zod';
import type { Dialect } from '../protocol/dialect.ts';
import type { ValidationProblem } from '../protocol/error-body.ts';
import { fromWire } from '../protocol/wire.ts';

type ParsedRequest<T> = { ok: true; request: T } | { ok: false; problems: ValidationProblem[] };

/** Reads a body as JSON. A byte order mark before it is skipped. */
export function parseBody(body: unknown): ParsedRequest<unknown> {
  const text = Buffer.isBuffer(body) ? body.toString('utf8').replace(/^\uFEFF/, '') : '';
  if (text.trim() === '') return rejectRequest({ loc: ['body'], msg: 'Field required', type: 'missing' });
  try {
    return { ok: true, request: JSON.parse(text) };
  } catch (error) {
    // V8 says where, in most of its messages.
    const at = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const loc = ['body', at === undefined ? text.length : Number(at)];
    return rejectRequest({ loc, msg: 'JSON decode error', type: 'json_invalid' });
  }
}

/** Reads a value as a request of the schema. Members nobody knows are ignored. */
export function parseRequest<T>(
  schema: z.core.$ZodType<T>,
  dialect: Dialect,
  value: unknown,
): ParsedRequest<T> {
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
  return { loc, ...describeIssue(issue, path[0] === 'tools' ? [...dialect.labelOf.values()] : undefined) };
}

/** @param labels of tools in the dialect, if the issue is about a tool */
function describeIssue(
  issue: z.core.$ZodIssue,
  labels: readonly string[] | undefined,
): { msg: string; type: string } {
  if (issue.code === 'invalid_type') return describeTypeIssue(issue.expected);
  if (issue.code === 'invalid_value')
    return { msg: `Input should be ${joinAlternatives(labels ?? issue.values.map(String))}`, type: 'enum' };
  if (issue.code === 'too_big') return describeSizeIssue(issue.origin, 'most', Number(issue.maximum));
  if (issue.code === 'too_small') return describeSizeIssue(issue.origin, 'least', Number(issue.minimum));
  return { msg: issue.message, type: 'value_error' };
}

function describeSizeIssue(origin: string, bound: 'most' | 'least', limit: number) {
  const isMost = bound === 'most';
  const length = isMost ? 'long' : 'short';
  if (origin === 'number' || origin === 'int') {
    const type = isMost ? 'less_than_equal' : 'greater_than_equal';
    return { msg: `Input should be ${isMost ? 'less' : 'greater'} than or equal to ${limit}`, type };
  }
  if (origin === 'array') {
    const end = isMost ? '' : ', not 0';
    const items = limit === 1 ? 'item' : 'items';
    return {
      msg: `List should have at ${bound} ${limit} ${items} after validation${end}`,
      type: `too_${length}`,
    };
  }
  const characters = limit === 1 ? 'character' : 'characters';
  return { msg: `String should have at ${bound} ${limit} ${characters}`, type: `string_too_${length}` };
}

function describeTypeIssue(expected: string): { msg: string; type: string } {
  if (expected === 'array') return { msg: 'Input should be a valid list', type: 'list_type' };
  if (expected === 'boolean') return { msg: 'Input should be a valid boolean', type: 'bool_type' };
  if (expected === 'string') return { msg: 'Input should be a valid string', type: 'string_type' };
  if (expected === 'int' || expected === 'number')
    return { msg: 'Input should be a valid integer', type: 'int_type' };
  return {
    msg: 'Input should be a valid dictionary or object to extract fields from',
    type: 'model_attributes_type',
  };
}

function joinAlternatives(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}

function readMember(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return (value as Record<string | number, unknown>)[step]; // it has this member, that was asked just before
}
