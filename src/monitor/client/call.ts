/** One call of a search service. What it means is read elsewhere; whether to call again is decided elsewhere. */
import { clean } from '../../contract/text.ts';
import { type Clock, monotonicMs } from '../../engine/clock.ts';
import { type RunCode, RunError } from '../../errors.ts';
import { gather, readBody, readWords, type Received } from './body.ts';
import { networkFailure, send } from './connection.ts';
import { readCost } from './cost.ts';
import { decoded } from './decode.ts';
import { type Limit, startLimit } from './limit.ts';
import { refusalOf, RESPONSE_STATUSES } from './refusal.ts';
import { composeRequest, type ServiceRequest, type Target } from './request.ts';
import type { CallResult, Progress } from './result.ts';
import { conceal } from './secret.ts';

/** The words of an error are looked for in so many bytes of its body. */
const WORDS_BYTES = 65_536;
const DETAIL_MAX = 2_000;

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
  const limit = startLimit(input.timeoutMs, input.signal);
  const progress: Progress & { received?: Received } = {
    phase: 'connect',
    httpStatus: null,
    contentType: null,
    bytes: 0,
    costUsd: null,
    usageCount: null,
  };
  const seen = () => {
    const { phase, received: _, ...rest } = progress;
    return { ...rest, sent: phase !== 'connect', latencyMs: Math.round(monotonicMs() - began) };
  };
  try {
    const body = await exchange(input, limit, progress);
    return { ...seen(), ...body, kind: 'answer' };
  } catch (error) {
    const partial = () => (progress.bytes > 0 ? progress.received?.whole() : undefined);
    if (limit.ended === 'caller' && !(error instanceof RunError))
      return { ...seen(), kind: 'aborted', partial: partial() };
    const { code, detail, retryAfterMs } = failureOf(error, limit, progress);
    return {
      ...seen(),
      kind: 'failed',
      code,
      detail: tidy(detail, input.key),
      retryAfterMs,
      partial: BROKEN_OFF.has(code) ? partial() : undefined,
    };
  } finally {
    limit.clear();
  }
}

/** Sends, waits, and reads. @throws RunError, and whatever the network throws. */
async function exchange(
  input: CallInput,
  limit: Limit,
  progress: Progress & { received?: Received },
): Promise<{ httpStatus: number; body: Buffer }> {
  const { key, dialect, request, maxBytes, clock, leaveBy } = input;
  const onBytes = (bytes: number) => {
    progress.bytes = bytes;
  };
  limit.signal.throwIfAborted();
  const { statusCode, headers, body } = await send(composeRequest(input, request), limit.signal, () => {
    if (leaveBy !== undefined && clock.now() > leaveBy) limit.expire();
    else progress.phase = 'headers';
  });
  const contentType = tidy(one(headers['content-type']), key) ?? null;
  Object.assign(progress, { phase: 'body', httpStatus: statusCode, contentType, ...readCost(headers) });

  const pieces = decoded(body, [headers['content-encoding'] ?? []].flat().join(','));
  if (!RESPONSE_STATUSES.has(statusCode)) {
    const words = await readWords(pieces, WORDS_BYTES, onBytes);
    const [location, retryAfter] = [one(headers['location']) ?? null, one(headers['retry-after']) ?? null];
    throw refusalOf({ status: statusCode, location, retryAfter, words }, clock.now());
  }
  const streams = request.operation === 'ai' ? dialect : undefined;
  progress.received = gather(maxBytes);
  const expected = { body: progress.received, contentType, streams, onBytes };
  return { httpStatus: statusCode, body: await readBody(pieces, body, expected) };
}

/** Failures of a body that broke off, as opposed to one that is no response or too large. */
const BROKEN_OFF: ReadonlySet<RunCode> = new Set([
  'conn_reset',
  'timeout_body',
  'stream_incomplete',
  'upstream_5xx',
  'decode_error',
]);

const TIMEOUTS = { connect: 'timeout_connect', headers: 'timeout_headers', body: 'timeout_body' } as const;

/** The one place where an error of any origin becomes a code of the list. */
function failureOf(error: unknown, limit: Limit, { phase }: Progress): RunError {
  if (error instanceof RunError) return error;
  if (limit.ended === 'time') return new RunError(TIMEOUTS[phase]);
  const failure = networkFailure(error, phase !== 'connect');
  return failure ? new RunError(failure.code, { detail: failure.detail }) : new RunError('internal');
}

/** Text from outside as it may be kept: clean (which can join a key that NULs had parted), without it, short. */
function tidy(text: string | undefined, key: string | undefined): string | undefined {
  return text === undefined ? undefined : clean(conceal(clean(text), key), DETAIL_MAX);
}

/** The first value of a header that came once or several times. */
function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
