/** Maps errors to HTTP failures, for the API and the pages. */
import { STATUS_CODES } from 'node:http';
import {
  InvalidInput,
  type Problem,
  Refused,
  RUN_CODE_NAMES,
  RUN_CODES,
  type RunCode,
  RunError,
} from '../../model/errors.ts';
import { Denied, type DeniedKind } from '../access/visitor-scopes.ts';
import { isUnreachable, readSqlState } from '../../store/db/database.ts';
import { limitProblems, readRequestProblems, type RequestContent } from './request-problems.ts';

export type Failure = {
  /** HTTP status. */
  status: number;
  /** The kind of failure, for programs: `invalid_input`, `not_found`, a run code. */
  code: string;
  /** The kind of failure in a few words; constant per kind. */
  title: string;
  /** What went wrong, for people. Contains no internals if the fault is ours. */
  detail: string;
  /**
   * Problems of the request, truncated if there are many. Paths begin with the part of the request: `body.prompt`.
   */
  errors: readonly Problem[];
  retryAfterSeconds: number | undefined;
};

/** The route exists but does not support the method. */
export class WrongMethod extends Error {
  override readonly name = 'WrongMethod';
  constructor(allowed: readonly string[]) {
    super(`this path supports ${allowed.join(', ')}`);
  }
}

/** A request with a used `Idempotency-Key`: the first request is still in progress, or was a different one. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused';
  readonly kind: 'in_progress' | 'reused';
  constructor(kind: 'in_progress' | 'reused') {
    super(KEY_REFUSALS[kind].detail);
    this.kind = kind;
  }
}

const KEY_REFUSALS = {
  in_progress: {
    status: 409,
    title: 'Request in progress',
    detail: 'The first request with this Idempotency-Key is still in progress. Retry later.',
    retryAfterSeconds: 1,
  },
  reused: {
    status: 422,
    title: 'Idempotency-Key already used',
    detail:
      'This Idempotency-Key was used for a request with another path, query or body. Use a new key for a new request.',
    retryAfterSeconds: undefined,
  },
} as const;

const DENIED_STATUSES: Readonly<Record<DeniedKind, [status: number, title: string]>> = {
  unknown_visitor: [401, 'Token required'],
  scope: [403, 'Not allowed'],
  forged: [403, 'Cross-site request refused'],
  host: [421, 'Unknown host name'],
  too_many: [429, 'Too many requests'],
};

const REFUSED_STATUSES: Readonly<Record<Refused['kind'], [status: number, title: string]>> = {
  not_found: [404, 'Not found'],
  conflict: [409, 'Conflict'],
  exists: [412, 'Already exists'],
  changed: [412, 'Changed meanwhile'],
  unavailable: [503, 'Temporarily unavailable'],
};

/** Statuses of run codes, for requests that wait for a call. All others are failures of the service (502). */
const RUN_CODE_STATUSES: Partial<Record<RunCode, number>> = {
  internal: 500,
  lease_lost: 409,
  budget_exceeded: 409,
  service_unknown: 503,
  db_unavailable: 503,
  rate_limited: 503,
  sources_down: 503,
  source_needs_key: 503,
  timeout_connect: 504,
  timeout_headers: 504,
  timeout_body: 504,
};

/** Refusals of the server, before a route sees the request. */
const FASTIFY_REFUSALS: Readonly<Record<number, [code: string, detail: string]>> = {
  400: ['bad_request', 'the request cannot be read'],
  413: ['body_too_large', 'the body is too large'],
  414: ['path_too_long', 'a path parameter is too long'],
  415: ['media_type', 'the body must be application/json, or the form of the page'],
};

/** Refusals on the connection, before there is a request, by Node's error code. Anything else is not HTTP. */
export const CONNECTION_REFUSALS: Readonly<Record<string, [status: number, code: string, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'too_slow', 'the complete request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'the headers are too large'],
};

/** Every {@link Failure.code}: a closed list; only add to it. */
export const FAILURE_CODES: readonly string[] = [
  ...new Set([
    'invalid_input',
    ...Object.values(FASTIFY_REFUSALS).map(([code]) => code),
    ...Object.values(CONNECTION_REFUSALS).map(([, code]) => code),
    ...Object.keys(DENIED_STATUSES),
    ...Object.keys(REFUSED_STATUSES),
    'method',
    ...Object.keys(KEY_REFUSALS).map((kind) => `idempotency_key_${kind}`),
    ...RUN_CODE_NAMES,
  ]),
];

/** The `type` of a failure in problem details. */
export function formatProblemType(code: string): string {
  return `urn:strandline:problem:${code}`;
}

const UNAVAILABLE_RETRY_SECONDS = 5;
/** SQLSTATE of a statement that reached its time limit. */
const STATEMENT_TIMEOUT_STATE = '57014';

/** @param sent the content of the request, to quote what was given; optional */
export function mapErrorToFailure(error: unknown, sent: RequestContent = {}): Failure {
  const invalid = (problems: readonly Problem[]) => {
    const { errors, detail } = limitProblems(problems);
    return failed(400, 'invalid_input', 'Invalid request', detail, { errors });
  };

  if (error instanceof InvalidInput) return invalid(error.problems);
  if (error instanceof Denied) {
    const [status, title] = DENIED_STATUSES[error.kind];
    const { retryAfterSeconds } = error;
    return failed(status, error.kind, title, error.message, { retryAfterSeconds });
  }
  // A statement that waited too long for a connection fails with a query error whose cause is the refusal.
  const refused = error instanceof Error && error.cause instanceof Refused ? error.cause : error;
  if (refused instanceof Refused) {
    const [status, title] = REFUSED_STATUSES[refused.kind];
    const retryAfterSeconds = refused.kind === 'unavailable' ? UNAVAILABLE_RETRY_SECONDS : undefined;
    return failed(status, refused.kind, title, refused.message, { retryAfterSeconds });
  }
  if (error instanceof KeyRefused) {
    const { status, title, detail, retryAfterSeconds } = KEY_REFUSALS[error.kind];
    return failed(status, `idempotency_key_${error.kind}`, title, detail, { retryAfterSeconds });
  }
  if (error instanceof WrongMethod) return failed(405, 'method', 'Method not supported', error.message);
  if (error instanceof RunError) return mapRunError(error);
  const problems = readRequestProblems(error, sent);
  if (problems !== undefined) return invalid(problems);
  if (isFastifyError(error)) {
    const [code, detail] = FASTIFY_REFUSALS[error.statusCode] ?? [
      'bad_request',
      'the request cannot be read',
    ];
    return failed(error.statusCode, code, STATUS_CODES[error.statusCode] ?? 'Refused', detail);
  }
  if (isUnreachable(error)) {
    const detail =
      readSqlState(error) === STATEMENT_TIMEOUT_STATE
        ? 'the query takes too long; narrow it down with a filter or a shorter time range'
        : 'the database is unreachable';
    return failed(503, 'unavailable', 'Temporarily unavailable', detail, {
      retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
    });
  }
  return failed(500, 'internal', 'Internal error', 'for details, search the log for the id of this request');
}

function failed(
  status: number,
  code: string,
  title: string,
  detail: string,
  more: Partial<Failure> = {},
): Failure {
  return { status, code, title, detail, errors: [], retryAfterSeconds: undefined, ...more };
}

function mapRunError({ code, detail, retryAfterMs, budget }: RunError): Failure {
  const status = RUN_CODE_STATUSES[code] ?? 502;
  const message = detail === undefined ? RUN_CODES[code] : `${RUN_CODES[code]}: ${detail}`;
  const retrySeconds =
    retryAfterMs === undefined ? UNAVAILABLE_RETRY_SECONDS : Math.ceil(retryAfterMs / 1_000);
  return failed(status, code, RUN_CODES[code], message, {
    retryAfterSeconds: status === 503 || budget === 'minute' ? retrySeconds : undefined,
  });
}

/** Whether Fastify blames the request for an error: it has a Fastify code and a 4xx status. */
function isFastifyError(error: unknown): error is Error & { statusCode: number } {
  if (!(error instanceof Error) || !('statusCode' in error) || !('code' in error)) return false;
  const { statusCode, code } = error;
  const blamesRequest = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return blamesRequest && typeof code === 'string' && code.startsWith('FST_');
}
