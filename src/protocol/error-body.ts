/**
 * Error bodies. The specification shows none. Reads every format that the hosted service was observed to send, and
 * writes the documented one (docs/internals/specification-choices.md).
 */

import { cleanText } from '../lib/text.ts';
import { isPlain, own, type Plain, tryParseJson } from '../lib/json-values.ts';
import { readWaitMs } from './retry-after.ts';

/** Maximum length of a stored message, in characters. */
const MAX_MESSAGE_LENGTH = 2_000;
const MAX_PROBLEMS = 100;

/** An invalid member of a request in a 422. */
export type ValidationProblem = { loc: (string | number)[]; msg: string; type: string };

type ErrorBody = {
  /** The service's message, cleaned and truncated to 2,000 characters; null if there is none. */
  message: string | null;
  /** The requested wait (`"retry_after": "60 seconds"`), at most an hour. */
  retryAfterMs: number | null;
  validation: ValidationProblem[];
};

/**
 * Reads the body of an error response: `detail` as object, string or array, `error` or `message` instead, a proxy's
 * HTML page, or nothing. Never throws.
 */
export function readErrorBody(text: string): ErrorBody {
  const body = tryParseJson(text.replace(/^\uFEFF/, ''));
  if (body === undefined) return { message: stripHtml(text), retryAfterMs: null, validation: [] };
  return readErrorValue(body);
}

/** {@link readErrorBody} for a parsed body. */
export function readErrorValue(body: unknown): ErrorBody {
  const detail = isPlain(body) ? (own(body, 'detail') ?? own(body, 'error') ?? body) : body;
  const validation = Array.isArray(detail) ? detail.slice(0, MAX_PROBLEMS).flatMap(readProblem) : [];
  const message = Array.isArray(detail)
    ? validation.map(({ loc, msg }) => (loc.length > 0 ? `${loc.join('.')}: ${msg}` : msg)).join('; ')
    : readMessage(detail);
  return {
    message: message === null || message.trim() === '' ? null : cleanText(message.trim(), MAX_MESSAGE_LENGTH),
    retryAfterMs: readWait(detail) ?? readWait(body),
    validation,
  };
}

/** The beginning of an HTML page as text without tags. */
function stripHtml(text: string): string | null {
  const begin = text.slice(0, MAX_MESSAGE_LENGTH * 8);
  const words = begin
    .replace(/<(script|style)\b[^<>]*>[^<]*/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words === '' ? null : cleanText(words, MAX_MESSAGE_LENGTH);
}

function readMessage(detail: unknown): string | null {
  if (typeof detail === 'string') return detail;
  if (!isPlain(detail)) return null;
  const parts = ['message', 'reason', 'description', 'error', 'msg']
    .map((name) => own(detail, name))
    .filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? null : parts.join(': ');
}

function readWait(detail: unknown): number | null {
  const wait = isPlain(detail) ? own(detail, 'retry_after') : undefined;
  return typeof wait === 'string' || typeof wait === 'number' ? readWaitMs(String(wait)) : null;
}

function readProblem(item: unknown): ValidationProblem[] {
  if (typeof item === 'string')
    return [{ loc: [], msg: cleanText(item, MAX_MESSAGE_LENGTH), type: 'value_error' }];
  if (!isPlain(item)) return [];
  const loc = own(item, 'loc');
  return [
    {
      loc: (Array.isArray(loc) ? loc.slice(0, 20) : []).flatMap(readStep),
      msg: readWord(item, 'msg') ?? readWord(item, 'message') ?? '',
      type: readWord(item, 'type') ?? 'value_error',
    },
  ];
}

function readStep(step: unknown): (string | number)[] {
  if (typeof step === 'number') return [step];
  return typeof step === 'string' ? [cleanText(step, 200)] : [];
}

function readWord(item: Plain, name: string): string | null {
  const value = own(item, name);
  return typeof value === 'string' ? cleanText(value, MAX_MESSAGE_LENGTH) : null;
}

// Writes the documented bodies for our own service.

type Detail = { error_code: number; message: string };

/** 401: the key is missing or unknown. */
export function unauthorizedBody(): { detail: Detail & { reason: string } } {
  return { detail: { error_code: 401, message: 'Unauthorized', reason: 'Invalid API key' } };
}

/** 403: the key is known but lacks permission. */
export function forbiddenBody(reason: string): { detail: Detail & { reason: string } } {
  return { detail: { error_code: 403, message: 'Forbidden', reason } };
}

/** 422: the problems of the request, one per member. */
export function validationBody(problems: readonly ValidationProblem[]): {
  detail: readonly ValidationProblem[];
} {
  return { detail: problems };
}

/** 429: the wait as text; the caller also sends `Retry-After`. */
export function tooManyRequestsBody(seconds = 60): { detail: Detail & { retry_after: string } } {
  return { detail: { error_code: 429, message: 'Too Many Requests', retry_after: `${seconds} seconds` } };
}

/** 500: our fault; the cause is not disclosed. */
export function internalErrorBody(): { detail: Detail & { description: string } } {
  return {
    detail: {
      error_code: 500,
      message: 'Internal Server Error',
      description: 'An unexpected error occurred on the server.',
    },
  };
}
