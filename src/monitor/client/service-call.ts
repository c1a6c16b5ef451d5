/** One call of a search service. What it means is read elsewhere; whether to call again is decided elsewhere. */

import { type RunCode, RunError } from '../../domain/errors.ts';
import { cleanText } from '../../domain/text.ts';
import { SECOND } from '../../domain/time.ts';
import { type Clock, monotonicMs } from '../../platform/clock.ts';
import { redactKey } from './key-redaction.ts';
import { type BodyBuffer, createBodyBuffer, decodeBody, readBody, readErrorText } from './response-body.ts';
import { classifyNetworkError, sendRequest } from './service-connection.ts';
import { classifyRefusal, RESPONSE_STATUSES } from './service-refusal.ts';
import { composeRequest, type ServiceRequest, type Target } from './service-request.ts';
import { setMaxListeners } from 'node:events';

/** The words of an error are looked for in so many bytes of its body. */
const MAX_ERROR_TEXT_BYTES = 65_536;
const MAX_DETAIL = 2_000;

export type CallInput = Target & {
  request: ServiceRequest;
  /** For the whole call, from its start to its last byte. */
  timeoutMs: number;
  /** Most decoded bytes of an answer. */
  maxBytes: number;
  /** Ends the call: the lease was lost, or the process stops. */
  signal: AbortSignal;
  clock: Clock;
  /** By the clock: after it the request is not put on the wire any more, and the call fails with `timeout_connect`. */
  leaveBy?: Date | undefined;
};

/** Calls a service once and waits for its whole answer. Never throws. */
export async function callService(input: CallInput): Promise<CallResult> {
  const began = monotonicMs();
  const limit = startTimeLimit(input.timeoutMs, input.signal);
  const progress: CallProgress & { received?: BodyBuffer } = {
    phase: 'connect',
    httpStatus: null,
    contentType: null,
    bytes: 0,
    costUsd: null,
    usageCount: null,
  };
  const readFacts = () => {
    const { phase, received: _, ...rest } = progress;
    return { ...rest, sent: phase !== 'connect', latencyMs: Math.round(monotonicMs() - began) };
  };
  try {
    const body = await sendAndReceive(input, limit, progress);
    return { ...readFacts(), ...body, kind: 'answer' };
  } catch (error) {
    const partial = () => (progress.bytes > 0 ? progress.received?.whole() : undefined);
    if (limit.ended === 'caller' && !(error instanceof RunError))
      return { ...readFacts(), kind: 'aborted', partial: partial() };
    const { code, detail, retryAfterMs } = toRunError(error, limit, progress);
    return {
      ...readFacts(),
      kind: 'failed',
      code,
      detail: cleanDetail(detail, input.key),
      retryAfterMs,
      partial: INTERRUPTED_BODY_CODES.has(code) ? partial() : undefined,
    };
  } finally {
    limit.clear();
  }
}

/** Sends, waits, and reads. @throws RunError, and whatever the network throws. */
async function sendAndReceive(
  input: CallInput,
  limit: TimeLimit,
  progress: CallProgress & { received?: BodyBuffer },
): Promise<{ httpStatus: number; body: Buffer }> {
  const { key, dialect, request, maxBytes, clock, leaveBy } = input;
  const onBytes = (bytes: number) => {
    progress.bytes = bytes;
  };
  limit.signal.throwIfAborted();
  const { statusCode, headers, body } = await sendRequest(
    composeRequest(input, request),
    limit.signal,
    () => {
      if (leaveBy !== undefined && clock.now() > leaveBy) limit.expire();
      else progress.phase = 'headers';
    },
  );
  const contentType = cleanDetail(readHeader(headers['content-type']), key) ?? null;
  Object.assign(progress, { phase: 'body', httpStatus: statusCode, contentType, ...readCost(headers) });

  const pieces = decodeBody(body, [headers['content-encoding'] ?? []].flat().join(','));
  if (!RESPONSE_STATUSES.has(statusCode)) {
    const words = await readErrorText(pieces, MAX_ERROR_TEXT_BYTES, onBytes);
    const [location, retryAfter] = [
      readHeader(headers['location']) ?? null,
      readHeader(headers['retry-after']) ?? null,
    ];
    throw classifyRefusal({ status: statusCode, location, retryAfter, words }, clock.now());
  }
  const streams = request.operation === 'ai' ? dialect : undefined;
  progress.received = createBodyBuffer(maxBytes);
  const expected = { body: progress.received, contentType, streams, onBytes };
  return { httpStatus: statusCode, body: await readBody(pieces, body, expected) };
}

/** Failures of a body that broke off, as opposed to one that is no response or too large. */
const INTERRUPTED_BODY_CODES: ReadonlySet<RunCode> = new Set([
  'conn_reset',
  'timeout_body',
  'stream_incomplete',
  'upstream_5xx',
  'decode_error',
]);

const TIMEOUT_CODES = {
  connect: 'timeout_connect',
  headers: 'timeout_headers',
  body: 'timeout_body',
} as const;

/** The one place where an error of any origin becomes a code of the list. */
function toRunError(error: unknown, limit: TimeLimit, { phase }: CallProgress): RunError {
  if (error instanceof RunError) return error;
  if (limit.ended === 'time') return new RunError(TIMEOUT_CODES[phase]);
  const failure = classifyNetworkError(error, phase !== 'connect');
  return failure ? new RunError(failure.code, { detail: failure.detail }) : new RunError('internal');
}

/** Text from outside as it may be kept: clean (which can join a key that NULs had parted), without it, short. */
function cleanDetail(text: string | undefined, key: string | undefined): string | undefined {
  return text === undefined ? undefined : cleanText(redactKey(cleanText(text), key), MAX_DETAIL);
}

/** The first value of a header that came once or several times. */
function readHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/**
 * What is known of every call, however it ended. Errors are data here: nothing is thrown, so that whoever writes the ledger
 * has what was seen of a failed call too, and no error object of a library travels further with a request inside.
 */
type CallFacts = {
  /** Null where no answer began. */
  httpStatus: number | null;
  contentType: string | null;
  /** Decoded bytes received. */
  bytes: number;
  /** From the beginning of the call to its end. */
  latencyMs: number;
  /** What the service says the call cost; null where it says nothing or nothing believable. */
  costUsd: number | null;
  usageCount: number | null;
  /** Whether the request was put on a connection. Where not, the call was certainly not billed. */
  sent: boolean;
};

/** A whole body that begins like JSON, or an event stream with its completion, under a status of a response. Not read yet. */
export type CallResponse = CallFacts & { kind: 'answer'; httpStatus: number; body: Buffer };

/** What had arrived of a body that broke off, decoded: it was paid for. Undefined where nothing had. */
type InterruptedBody = { partial: Buffer | undefined };

export type CallFailure = CallFacts &
  InterruptedBody & {
    kind: 'failed';
    code: RunCode;
    /** The service's words or the network's code, cleaned, at most 2,000 characters, never with the key. */
    detail: string | undefined;
    /** How long the service asked to wait, at most an hour. */
    retryAfterMs: number | undefined;
  };

/** The caller's signal ended it (the lease was lost, or the process stops). Its price is not known. */
export type CallAborted = CallFacts & InterruptedBody & { kind: 'aborted' };

export type CallResult = CallResponse | CallFailure | CallAborted;

/** How far a call has come; filled in while it runs. */
type CallProgress = Omit<CallFacts, 'latencyMs' | 'sent'> & { phase: 'connect' | 'headers' | 'body' };

/** Longest time between two looks at the clock. */
const TIMER_STEP_MS = SECOND;
/** A look that comes so late: this process was suspended, and what came meanwhile waits in its sockets. */
const SUSPENDED_MS = SECOND;

/** The one time limit of a call, joined with the caller's wish to end it. */
type TimeLimit = {
  /** Aborted by whichever comes first. */
  readonly signal: AbortSignal;
  /** Which of them it was; undefined while neither has come. */
  readonly ended: 'time' | 'caller' | undefined;
  /** Ends it at once, as if its time were over. */
  expire(): void;
  /** To be called once the call has ended. */
  clear(): void;
};

/**
 * Time in which this process was suspended does not count: the response, which was paid for, may have come meanwhile. At
 * least a second is left to read it.
 */
function startTimeLimit(timeoutMs: number, caller: AbortSignal): TimeLimit {
  setMaxListeners(0, caller); // all calls of a process may share the signal of its end; no leak
  const controller = new AbortController();
  let ended: TimeLimit['ended'];
  const end = (by: 'time' | 'caller') => {
    ended ??= by;
    controller.abort();
  };
  const onCaller = () => end('caller');
  let leftMs = timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  const waitOn = () => {
    const began = monotonicMs();
    const stepMs = Math.min(leftMs, TIMER_STEP_MS);
    timer = setTimeout(() => {
      const passedMs = monotonicMs() - began;
      leftMs = passedMs > stepMs + SUSPENDED_MS ? Math.max(leftMs, SECOND) : leftMs - passedMs;
      if (leftMs > 0) waitOn();
      else end('time');
    }, stepMs);
  };
  waitOn();
  caller.addEventListener('abort', onCaller, { once: true });
  if (caller.aborted) onCaller();
  return {
    signal: controller.signal,
    get ended() {
      return ended;
    },
    expire: () => end('time'),
    clear() {
      clearTimeout(timer);
      caller.removeEventListener('abort', onCaller);
    },
  };
}

/** More than this for one call is a mistake in a header, not a price. */
const MAX_COST_USD = 1_000;
const MAX_USAGE_COUNT = 1e9;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * What a service says a call cost, by headers such as `X-<Name>-Cost-Usd` and `X-<Name>-Usage-Count`.
 * Null where they are absent or hold no believable number: unknown is not free.
 */
function readCost(headers: Headers): { costUsd: number | null; usageCount: number | null } {
  const count = readNumberHeader(headers, /^x-.*usage-count$/i, MAX_USAGE_COUNT);
  return {
    costUsd: readNumberHeader(headers, /^x-.*cost-usd$/i, MAX_COST_USD),
    usageCount: count !== null && Number.isInteger(count) ? count : null,
  };
}

function readNumberHeader(headers: Headers, name: RegExp, most: number): number | null {
  const text = Object.entries(headers).find(([header]) => name.test(header))?.[1];
  if (typeof text !== 'string' || !/^\s*\d{1,12}(?:\.\d{1,12})?(?:e-\d)?\s*$/i.test(text)) return null;
  return Number(text) <= most ? Number(text) : null;
}
