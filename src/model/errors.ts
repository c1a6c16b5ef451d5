/**
 * The two kinds of failure in this program.
 *
 * A run fails with a *code* from a closed list. Codes are stored, shown and counted, and nothing else of an error reaches
 * the queue. A person's request fails with a *message*: what is wrong, where, and what is allowed. Errors of the system
 * and of Postgres have codes of their own ({@link readErrorCode}).
 */

/** Every way a run can fail, with a message for people. Codes are stored: only add to this list. */
export const RUN_CODES = {
  auth: 'the service rejected the API key',
  payment: 'the account at the service has no balance',
  invalid_request: 'the service rejected the request as invalid',
  rate_limited: 'the service asked to slow down',
  upstream_5xx: 'the service returned an error',
  redirect: 'the service redirected the request; redirects are not followed',
  timeout_connect: 'connecting to the service timed out',
  timeout_headers: 'the service did not start to respond in time',
  timeout_body: 'the service did not finish its response in time',
  conn_refused: 'could not connect to the service',
  conn_reset: 'the connection to the service was lost',
  bad_content_type: 'the response is neither JSON nor an event stream',
  bad_json: 'the response is not valid JSON',
  schema_mismatch: 'the response does not match the specification',
  sources_down: 'no source of the service responded',
  source_needs_key: 'the sources of its tools need a key that is not set',
  too_large: 'the response exceeds the size limit',
  decode_error: 'the response could not be decompressed or decoded',
  stream_incomplete: 'the stream ended before its completion',
  budget_exceeded: 'the limit of paid calls is reached',
  lease_lost: 'another worker took over the run',
  service_unknown: 'this process is not configured to reach the service',
  unknown_outcome: 'it is unknown whether the service answered the call',
  db_unavailable: 'the database is unavailable',
  internal: 'internal error in strandline',
} as const;

/** A code from the closed list {@link RUN_CODES}. */
export type RunCode = keyof typeof RUN_CODES;
/** Every {@link RunCode}. */
export const RUN_CODE_NAMES = Object.keys(RUN_CODES) as [RunCode, ...RunCode[]]; // Object.keys loses the key type

export function isRunCode(code: string): code is RunCode {
  return Object.hasOwn(RUN_CODES, code);
}

/** Why a slot is skipped. Stored: only add to this list. */
export const SKIP_REASONS = ['missed', 'overlap', 'capped'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Why a queued run is cancelled: the new state of its search. Stored: only add to this list. */
export const CANCEL_REASONS = ['paused', 'broken', 'removed'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** Why an item of a response is rejected. Stored: only add to this list. */
export const REJECT_CODES = [
  'not_an_object',
  'no_id',
  'bad_id',
  'unsafe_number_id',
  'no_link',
  'bad_link',
  'link_too_long',
  'bad_shape',
  'too_deep',
  'too_many',
] as const;
export type RejectCode = (typeof REJECT_CODES)[number];

/**
 * A run failed. The message is only the code, so that no outside text reaches the queue or a log through an error.
 */
export class RunError extends Error {
  override readonly name = 'RunError';
  readonly code: RunCode;
  /** How long to wait, in milliseconds: as the service requested, or until the minute has room. */
  readonly retryAfterMs: number | undefined;
  /** The service's message, cleaned and truncated; for the database and people, never for the queue. */
  readonly detail: string | undefined;
  /** Which limit is reached: that of the run, or that of its service for this UTC day or this minute. */
  readonly budget: 'run' | 'day' | 'minute' | undefined;
  /** Nothing was called, and the run waits for this as long as it takes. */
  readonly waitsFor: 'minute' | 'source' | undefined;

  constructor(
    code: RunCode,
    more: {
      retryAfterMs?: number | undefined;
      detail?: string | undefined;
      budget?: 'run' | 'day' | 'minute' | undefined;
      waitsFor?: 'source';
      cause?: unknown;
    } = {},
  ) {
    super(code, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.retryAfterMs = more.retryAfterMs;
    this.detail = more.detail;
    this.budget = more.budget;
    this.waitsFor = more.budget === 'minute' ? 'minute' : more.waitsFor;
  }
}

/** Reason of a run that waits for a source. The view `search_status` recognizes such runs by it. */
export const WAITS_FOR_SOURCE = 'no public source is reachable; starts when a source is reachable';

/** The code of an error of the system, the network or Postgres (SQLSTATE), such as `ENOENT` or `42501`. */
export function readErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** One problem of a request: where, what was given, what is expected. */
export type Problem = { path: string; given: unknown; expected: string };

/** Replaces a value that may be a secret. */
export const HIDDEN = '(hidden)';

/** An invalid request (exit code 2, HTTP 400). */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.problems = problems;
  }
}

/** Calls `read`. If it throws InvalidInput, adds its problems to the list and returns `fallback`. */
export function collectProblems<T>(problems: Problem[], read: () => T, fallback: T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    problems.push(...error.problems);
    return fallback;
  }
}

/** A valid request that is refused: something does not exist, or its state forbids it (exit code 1, HTTP 404, 409, 412, 503). */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** `exists`: it was only to be created. `changed`: somebody else changed it since it was read. */
  readonly kind: 'not_found' | 'conflict' | 'exists' | 'changed' | 'unavailable';
  /** What kind of thing does not exist, such as `topic`. */
  readonly missing: string | undefined;

  constructor(kind: Refused['kind'], message: string, more: { cause?: unknown; missing?: string } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.kind = kind;
    this.missing = more.missing;
  }
}

/** Nothing has this slug or ID. */
export function createNotFound(kind: string, key: string | bigint): Refused {
  const name = typeof key === 'string' ? `"${key}"` : key;
  return new Refused('not_found', `there is no ${kind} ${name}`, { missing: kind });
}

function describeProblem({ path, given: value, expected }: Problem): string {
  const shown = value === undefined ? 'nothing' : JSON.stringify(value);
  return `${path}: got ${shown.length > 120 ? `${shown.slice(0, 117)}...` : shown}; ${expected}`;
}
