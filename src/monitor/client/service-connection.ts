/** Connections to services, and what the network's errors mean. */
import { Agent, type Dispatcher, errors, request } from 'undici';
import { SECOND } from '../../domain/time.ts';
import type { RunCode } from '../../domain/errors.ts';
import type { HttpRequest } from './service-request.ts';

/** Longest wait for a connection; a whole call may have less than this. */
const CONNECT_TIMEOUT_MS = 10 * SECOND;

/**
 * Each request has a connection of its own, which ends with it (`pipelining: 0`): a service may close one that is kept
 * open at the moment when the next request is put on it, and nobody could say whether that one was paid for. TLS sessions
 * are resumed. Undici's own time limits for headers and body are off: a call has one limit for all of it. No redirect is
 * followed, because none is asked to be.
 */
const agent = new Agent({
  connect: { timeout: CONNECT_TIMEOUT_MS },
  pipelining: 0,
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
});

/** Sends a request and waits for the headers of its answer. `onSent` is called just before it is put on the wire. */
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
 * The same handler, telling when its request is put on a connection: only handlers learn of that moment,
 * by either of two names. (Undici's own decorator breaks on an answer with early hints.)
 */
function notifyWhenSent(handler: Dispatcher.DispatchHandler, onSent: () => void): Dispatcher.DispatchHandler {
  return new Proxy(handler, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        if (name === 'onConnect' || name === 'onRequestStart') onSent();
        return Reflect.apply(member, target, given);
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
/** The connection ended before the response did, on one that was to be closed behind it. */
const CUT_SHORT = 'CUT_SHORT';
const UNREADABLE_CODES = new Set([NOT_HTTP, 'UND_ERR_HEADERS_OVERFLOW']);
const CONNECT_TIMEOUT_CODES = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

/**
 * The code of an error that the network threw, and the network's own names for it, which hold nothing
 * from outside. Undefined where it is none of the network's errors.
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

/** The names of an error, of its causes, and of the errors that it gathers (one per address tried). */
function collectErrorNames(error: unknown, depth: number): string[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const gathered = error instanceof AggregateError ? error.errors.slice(0, 10) : [];
  return [
    ...readErrorName(error),
    ...[error.cause, ...gathered].flatMap((inner) => collectErrorNames(inner, depth + 1)),
  ];
}

function readErrorName(error: Error): string[] {
  // Its data, and what else its message may say, come from outside. Undici leaves its code out.
  if (error instanceof errors.HTTPParserError)
    return [error.message.endsWith('(Invalid EOF state)') ? CUT_SHORT : NOT_HTTP];
  return 'code' in error && typeof error.code === 'string' && /^\w{2,60}$/.test(error.code)
    ? [error.code]
    : [];
}
