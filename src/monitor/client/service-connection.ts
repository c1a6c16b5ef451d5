/** Connections to services, and the classification of network errors. */
import { Agent, type Dispatcher, errors, request } from 'undici';
import { SECOND } from '../../lib/time.ts';
import type { RunCode } from '../../model/errors.ts';
import type { HttpRequest } from './service-request.ts';

/** Longest wait for a connection; a whole call may have less than this. */
const CONNECT_TIMEOUT_MS = 10 * SECOND;

/**
 * Each request uses a new connection (`pipelining: 0`): a service may close a kept-alive connection just as the next request is
 * sent, and it would be unknown whether that request was billed. TLS sessions are resumed. Undici's time limits for headers and
 * body are off, because a call has one limit. Redirects are not followed.
 */
const agent = new Agent({
  connect: { timeout: CONNECT_TIMEOUT_MS },
  pipelining: 0,
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
});

/** Sends a request and waits for the headers of the response. Calls `onSent` just before the request is sent. */
export function sendRequest(
  { url, headers, body }: HttpRequest,
  signal: AbortSignal,
  onSent: () => void,
): Promise<Dispatcher.ResponseData> {
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    return dispatch(options, notifyWhenSent(handler, onSent));
  });
  return request(url, { method: 'POST', headers, body, signal, dispatcher });
}

/**
 * Wraps a handler to report when its request is sent, which undici tells handlers only, by either of two method names. (Undici's
 * own decorator fails for responses with early hints.)
 */
function notifyWhenSent(handler: Dispatcher.DispatchHandler, onSent: () => void): Dispatcher.DispatchHandler {
  return new Proxy(handler, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (name === 'onConnect' || name === 'onRequestStart') onSent();
        return Reflect.apply(member, target, args);
      };
    },
  });
}

const REFUSED_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'EAI_NONAME',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
]);
const NOT_HTTP = 'NOT_HTTP';
/** The connection ended before a response whose end is the end of the connection. */
const CUT_SHORT = 'CUT_SHORT';
const UNREADABLE_CODES = new Set([NOT_HTTP, 'UND_ERR_HEADERS_OVERFLOW']);
const CONNECT_TIMEOUT_CODES = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

/**
 * The run code of a network error, with the network's names for it, which contain no outside text. Undefined for other errors.
 */
export function classifyNetworkError(
  error: unknown,
  sent: boolean,
): { code: RunCode; detail: string } | undefined {
  const names = [...new Set(collectErrorNames(error, 0))];
  if (names.length === 0 || names.includes('UND_ERR_INVALID_ARG')) return undefined;
  return { code: sent ? classifySent(names) : classifyUnsent(names), detail: names.join(' ') };
}

function classifyUnsent(names: readonly string[]): RunCode {
  if (names.some((name) => CONNECT_TIMEOUT_CODES.has(name))) return 'timeout_connect';
  return names.some((name) => REFUSED_CODES.has(name)) ? 'conn_refused' : 'conn_reset'; // reset: TLS, mostly
}

function classifySent(names: readonly string[]): RunCode {
  return names.some((name) => UNREADABLE_CODES.has(name)) ? 'decode_error' : 'conn_reset';
}

/** The names of an error, its causes, and its aggregated errors (one per address tried). */
function collectErrorNames(error: unknown, depth: number): string[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const gathered = error instanceof AggregateError ? error.errors.slice(0, 10) : [];
  return [
    ...readErrorName(error),
    ...[error.cause, ...gathered].flatMap((inner) => collectErrorNames(inner, depth + 1)),
  ];
}

function readErrorName(error: Error): string[] {
  // Its data and message contain outside text, and undici sets no code.
  if (error instanceof errors.HTTPParserError)
    return [error.message.endsWith('(Invalid EOF state)') ? CUT_SHORT : NOT_HTTP];
  return 'code' in error && typeof error.code === 'string' && /^\w{2,60}$/.test(error.code)
    ? [error.code]
    : [];
}
