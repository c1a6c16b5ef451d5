/**
 * The documented error bodies, as our own service answers them. Each function returns the body of the
 * status in its name.
 */
import type { ValidationProblem } from './errors.ts';

type Detail = { error_code: number; message: string };

/** 401: the key is missing or unknown. */
export function unauthorizedBody(reason = 'Invalid API key'): { detail: Detail & { reason: string } } {
  return { detail: { error_code: 401, message: 'Unauthorized', reason } };
}

/** 403: the key is known and may not do this. */
export function forbiddenBody(reason: string): { detail: Detail & { reason: string } } {
  return { detail: { error_code: 403, message: 'Forbidden', reason } };
}

/** 422: what is wrong in the request, one entry per member. */
export function validationBody(problems: readonly ValidationProblem[]): {
  detail: readonly ValidationProblem[];
} {
  return { detail: problems };
}

/** 429: the wait stands in the body as text, and the caller sends it as `Retry-After` too. */
export function tooManyRequestsBody(seconds = 60): { detail: Detail & { retry_after: string } } {
  return { detail: { error_code: 429, message: 'Too Many Requests', retry_after: `${seconds} seconds` } };
}

/** 500: it is our fault; nothing of the cause goes out. */
export function internalErrorBody(): { detail: Detail & { description: string } } {
  return {
    detail: {
      error_code: 500,
      message: 'Internal Server Error',
      description: 'An unexpected error occurred on the server.',
    },
  };
}
