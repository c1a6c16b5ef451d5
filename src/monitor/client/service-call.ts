/** Makes one call to a search service. Parsing and retries are elsewhere. */

import { type RunCode, RunError } from '../../model/errors.ts';
import { cleanText } from '../../lib/text.ts';
import { SECOND } from '../../lib/time.ts';
import { type Clock, monotonicMs } from '../../platform/clock.ts';
import { redactKey } from './key-redaction.ts';
import { type BodyBuffer, createBodyBuffer, decodeBody, readBody, readRefusalBody } from './response-body.ts';
import { classifyNetworkError, sendRequest } from './service-connection.ts';
import { classifyRefusal, RESPONSE_STATUSES } from './service-refusal.ts';
import { composeRequest, type ServiceRequest, type Target } from './service-request.ts';
import { setMaxListeners } from 'node:events';

/** Bytes of an error body that are kept, and searched for a message. */
const MAX_ERROR_BODY_BYTES = 65_536;
const MAX_DETAIL = 2_000;

export type CallInput = Target & {
  request: ServiceRequest;
  /** Time limit of the whole call, from its start to the last byte. */
  timeoutMs: number;
  /** Maximum decoded size of a response. */
  maxBytes: number;
  /** Aborts the call: the lease was lost, or the process stops. */
  signal: AbortSignal;
  clock: Clock;
  /** Deadline for sending the request; after it the call fails with `timeout_connect`. */
  leaveBy?: Date | undefined;
};

/** Calls a service once and waits for the whole response. Never throws. */
export async function callService(input: CallInput): Promise<CallResult> {
  const began = monotonicMs();
  const limit = startTimeLimit(input.timeoutMs, input.signal);
  const progress: CallProgress = {
    phase: 'connect',
    httpStatus: null,
    contentType: null,
    bytes: 0,
    costUsd: null,
    usageCount: null,
  };
  const readFacts = () => {
    const { phase, received: _, refusal: __, ...rest } = progress;
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
      partial: progress.refusal?.length
        ? progress.refusal
        : INTERRUPTED_BODY_CODES.has(code)
          ? partial()
          : undefined,
    };
  } finally {
    limit.clear();
  }
}

/** Sends the request and reads the response. @throws RunError, and network errors */
async function sendAndReceive(
  input: CallInput,
  limit: TimeLimit,
  progress: CallProgress,
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
    progress.refusal = await readRefusalBody(pieces, MAX_ERROR_BODY_BYTES, onBytes);
    const words = progress.refusal.toString('utf8');
    const location = readHeader(headers['location']) ?? null;
    const retryAfter = readHeader(headers['retry-after']) ?? null;
    throw classifyRefusal({ status: statusCode, location, retryAfter, words }, clock.now());
  }
  const streams = request.operation === 'ai' ? dialect : undefined;
  progress.received = createBodyBuffer(maxBytes);
  const expected = { body: progress.received, contentType, streams, onBytes };
  return { httpStatus: statusCode, body: await readBody(pieces, body, expected) };
}

/** Failures after which a partial body is kept, unlike one that is not a response or is too large. */
const INTERRUPTED_BODY_CODES: ReadonlySet<RunCode> = new Set([
  'conn_reset',
  'timeout_body',
  'stream_incomplete',
  'upstream_5xx',
  'decode_error',
  'internal', // a fault of this program: what was received is paid for
]);

const TIMEOUT_CODES = {
  connect: 'timeout_connect',
  headers: 'timeout_headers',
  body: 'timeout_body',
} as const;

/** Maps any error to a run code. */
function toRunError(error: unknown, limit: TimeLimit, { phase }: CallProgress): RunError {
  if (error instanceof RunError) return error;
  if (limit.ended === 'time') return new RunError(TIMEOUT_CODES[phase]);
  const failure = classifyNetworkError(error, phase !== 'connect');
  return failure ? new RunError(failure.code, { detail: failure.detail }) : new RunError('internal');
}

/** Outside text as it may be stored: cleaned first (which can join a key split by NULs), then redacted and truncated. */
function cleanDetail(text: string | undefined, key: string | undefined): string | undefined {
  return text === undefined ? undefined : cleanText(redactKey(cleanText(text), key), MAX_DETAIL);
}

/** The first value of a header. */
function readHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/**
 * What is known of every call, however it ended. Failures are returned, not thrown, so that the ledger gets these facts, too, and
 * no library error that contains the request is passed on.
 */
type CallFacts = {
  /** Null if no response started. */
  httpStatus: number | null;
  contentType: string | null;
  /** Decoded bytes received. */
  bytes: number;
  /** From the start of the call to its end. */
  latencyMs: number;
  /** Cost reported by the service; null if not reported, or not plausible. */
  costUsd: number | null;
  usageCount: number | null;
  /** Whether the request was sent. If not, the call was certainly not billed. */
  sent: boolean;
};

/** A complete body that starts like JSON, or a complete event stream, with the status of a response. Not parsed yet. */
export type CallResponse = CallFacts & { kind: 'answer'; httpStatus: number; body: Buffer };

/**
 * What was received, decoded: the part of an interrupted body, which was paid for, or the body of a refusal, at most 64 kB.
 * Undefined if nothing was received.
 */
type InterruptedBody = { partial: Buffer | undefined };

export type CallFailure = CallFacts &
  InterruptedBody & {
    kind: 'failed';
    code: RunCode;
    /** The service's message or the network's code, cleaned, at most 2,000 characters, never with the API key. */
    detail: string | undefined;
    /** How long the service asks to wait, at most an hour. */
    retryAfterMs: number | undefined;
  };

/** The caller's signal aborted the call (the lease was lost, or the process stops). Its cost is unknown. */
export type CallAborted = CallFacts & InterruptedBody & { kind: 'aborted' };

export type CallResult = CallResponse | CallFailure | CallAborted;

/** Progress of a call, filled in while it runs. `received`: of a response. `refusal`: the body of any other status. */
type CallProgress = Omit<CallFacts, 'latencyMs' | 'sent'> & {
  phase: 'connect' | 'headers' | 'body';
  received?: BodyBuffer;
  refusal?: Buffer;
};

/** Longest time between two timer steps. */
const TIMER_STEP_MS = SECOND;
/** A step that is this late shows that the process was suspended; received data waits in its sockets. */
const SUSPENDED_MS = SECOND;

/** The time limit of a call, combined with the caller's signal. */
type TimeLimit = {
  /** Aborted by whichever comes first. */
  readonly signal: AbortSignal;
  /** Which of them it was; undefined while active. */
  readonly ended: 'time' | 'caller' | undefined;
  /** Expires immediately. */
  expire(): void;
  /** Must be called when the call has ended. */
  clear(): void;
};

/**
 * Starts the time limit. Time in which this process was suspended does not count: the paid response may have arrived meanwhile,
 * and at least a second is left to read it.
 */
function startTimeLimit(timeoutMs: number, caller: AbortSignal): TimeLimit {
  setMaxListeners(0, caller); // all calls of a process may share the shutdown signal; this is no leak
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

/** A higher cost of one call must be a mistake in the header. */
const MAX_COST_USD = 1_000;
const MAX_USAGE_COUNT = 1e9;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The reported cost of a call, from headers such as `X-<Name>-Cost-Usd` and `X-<Name>-Usage-Count`. Null if they are missing or
 * not plausible: unknown is not free.
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
