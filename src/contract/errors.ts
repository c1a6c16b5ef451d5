/**
 * Bodies of errors. The specification shows none; what the hosted service was seen to answer is read in
 * all its forms and written in the documented one (docs/specification-choices.md).
 */
import { isPlain, own, type Plain } from './plain.ts';
import { waitMs } from './retry-after.ts';
import { clean } from './text.ts';

/** The longest message that is kept of an error body, in characters. */
const MESSAGE_MAX = 2_000;
const VALIDATION_MAX = 100;

/** What one refused member of a request looks like in a 422. */
export type ValidationProblem = { loc: (string | number)[]; msg: string; type: string };

export type ErrorBody = {
  /** The service's own words, cleaned and cut to 2,000 characters; null when it says nothing readable. */
  message: string | null;
  /** How long it asks us to wait (`"retry_after": "60 seconds"`), at most an hour. */
  retryAfterMs: number | null;
  validation: ValidationProblem[];
};

/**
 * Reads the body of an answer that is not a success: `detail` as object, string or array, `error` or
 * `message` instead of it, a page of HTML from a proxy, or nothing at all. Never throws.
 */
export function readErrorBody(text: string): ErrorBody {
  const body = parse(text);
  if (body === undefined) return { message: plainWords(text), retryAfterMs: null, validation: [] };
  return readErrorValue(body);
}

/** As {@link readErrorBody}, of a body that is parsed already. */
export function readErrorValue(body: unknown): ErrorBody {
  const detail = isPlain(body) ? (own(body, 'detail') ?? own(body, 'error') ?? body) : body;
  const validation = Array.isArray(detail) ? detail.slice(0, VALIDATION_MAX).flatMap(readProblem) : [];
  const said = Array.isArray(detail)
    ? validation.map(({ loc, msg }) => (loc.length > 0 ? `${loc.join('.')}: ${msg}` : msg)).join('; ')
    : wordsOf(detail);
  return {
    message: said === null || said.trim() === '' ? null : clean(said.trim(), MESSAGE_MAX),
    retryAfterMs: waitOf(detail) ?? waitOf(body),
    validation,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** A page for people: its text without tags; the beginning is enough. */
function plainWords(text: string): string | null {
  const begin = text.slice(0, MESSAGE_MAX * 8);
  const words = begin
    .replace(/<(script|style)\b[^<>]*>[^<]*/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words === '' ? null : clean(words, MESSAGE_MAX);
}

function wordsOf(detail: unknown): string | null {
  if (typeof detail === 'string') return detail;
  if (!isPlain(detail)) return null;
  const parts = ['message', 'reason', 'description', 'error', 'msg']
    .map((name) => own(detail, name))
    .filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? null : parts.join(': ');
}

function waitOf(detail: unknown): number | null {
  const wait = isPlain(detail) ? own(detail, 'retry_after') : undefined;
  return typeof wait === 'string' || typeof wait === 'number' ? waitMs(String(wait)) : null;
}

function readProblem(item: unknown): ValidationProblem[] {
  if (typeof item === 'string') return [{ loc: [], msg: clean(item, MESSAGE_MAX), type: 'value_error' }];
  if (!isPlain(item)) return [];
  const loc = own(item, 'loc');
  return [
    {
      loc: (Array.isArray(loc) ? loc.slice(0, 20) : []).flatMap(readStep),
      msg: word(item, 'msg') ?? word(item, 'message') ?? '',
      type: word(item, 'type') ?? 'value_error',
    },
  ];
}

function readStep(step: unknown): (string | number)[] {
  if (typeof step === 'number') return [step];
  return typeof step === 'string' ? [clean(step, 200)] : [];
}

function word(item: Plain, name: string): string | null {
  const value = own(item, name);
  return typeof value === 'string' ? clean(value, MESSAGE_MAX) : null;
}
