/**
 * The two kinds of failure in this program.
 *
 * A run fails with a *code* from a closed list: codes are stored, shown, counted, and are the only
 * thing that ever reaches the queue. A person's request fails with *words*: what was wrong, where, and
 * what is allowed.
 */

/** Every way a run can fail, and what it means to a person. Codes are stored: only ever add to this list. */
export const RUN_CODES = {
  auth: 'the service refused the API key',
  payment: 'the service says the account has no balance',
  invalid_request: 'the service refused the request as invalid',
  rate_limited: 'the service asked to slow down',
  upstream_5xx: 'the service failed',
  redirect: 'the service redirected; a redirect is never followed with a key',
  timeout_connect: 'no connection to the service within its time limit',
  timeout_headers: 'the service did not begin to answer within the time limit',
  timeout_body: 'the service did not finish its answer within the time limit',
  conn_refused: 'nothing listens at the address of the service',
  conn_reset: 'the connection to the service broke',
  bad_content_type: 'the answer is not JSON and not an event stream',
  bad_json: 'the answer is not valid JSON',
  schema_mismatch: 'the answer does not have the shape of the specification',
  sources_down: 'no source of the service answered',
  too_large: 'the answer is larger than the limit',
  decode_error: 'the answer could not be decompressed or decoded',
  stream_incomplete: 'the stream ended before its completion',
  budget_exceeded: 'the allowed number of paid calls is used up',
  lease_lost: 'another worker took the run over',
  service_unknown: 'this process does not know how to reach the service',
  unknown_outcome: 'it is not known whether the call was answered',
  db_unavailable: 'the database could not be reached',
  internal: 'strandline itself failed',
} as const;

/** A code from the closed list {@link RUN_CODES}. */
export type RunCode = keyof typeof RUN_CODES;
/** Every {@link RunCode}. */
export const RUN_CODE_NAMES = Object.keys(RUN_CODES) as [RunCode, ...RunCode[]]; // Object.keys forgets the key type

/** Why a slot is not run. Stored: only ever add to this list. */
export const SKIP_REASONS = ['missed', 'overlap', 'capped'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Why a queued run is cancelled: what became of its search. Stored: only ever add to this list. */
export const CANCEL_REASONS = ['paused', 'broken', 'removed'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** Why an item of an answer is not read. Codes are stored: only ever add to this list. */
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
 * A run could not go on. Its message is its code and nothing else, so that no text from outside travels
 * to the queue or a log by way of an error.
 */
export class RunError extends Error {
  override readonly name = 'RunError';
  readonly code: RunCode;
  /** How long to wait, in milliseconds: as the service asked, or until the minute has room. */
  readonly retryAfterMs: number | undefined;
  /** The service's own words, cleaned and cut; for the database and a person, never for the queue. */
  readonly detail: string | undefined;
  /** Which budget is used up, where one is: that of the run, or that of its service for this UTC day or this minute. */
  readonly budget: 'run' | 'day' | 'minute' | undefined;

  constructor(
    code: RunCode,
    more: {
      retryAfterMs?: number | undefined;
      detail?: string | undefined;
      budget?: 'run' | 'day' | 'minute' | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(code, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.retryAfterMs = more.retryAfterMs;
    this.detail = more.detail;
    this.budget = more.budget;
  }
}

/** One thing wrong in what a person asked for: where, what was given, what is allowed. */
export type Problem = { path: string; given: unknown; expected: string };

/** Stands for what is never repeated: a secret, and what may be one. */
export const HIDDEN = '(hidden)';

/** A request that cannot be carried out as it was written. Entry points show it (exit 2, HTTP 400). */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.problems = problems;
  }
}

/** Runs one reader of what a person asked for; what it refuses joins the problems, and `otherwise` stands in its place. */
export function collectProblems<T>(problems: Problem[], read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    problems.push(...error.problems);
    return otherwise;
  }
}

/** Something asked for does not exist, or its state forbids the request (exit 1, HTTP 404 or 409). */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly kind: 'not_found' | 'conflict' | 'unavailable';

  constructor(kind: 'not_found' | 'conflict' | 'unavailable', words: string, more: { cause?: unknown } = {}) {
    super(words, more.cause === undefined ? undefined : { cause: more.cause });
    this.kind = kind;
  }
}

function describeProblem({ path, given, expected }: Problem): string {
  const shown = given === undefined ? 'nothing' : JSON.stringify(given);
  return `${path}: got ${shown.length > 120 ? `${shown.slice(0, 117)}...` : shown}; ${expected}`;
}
