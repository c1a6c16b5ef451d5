/** What an error means to whoever asked over HTTP: the one mapping, for the API and the pages alike. */
import { STATUS_CODES } from 'node:http';
import {
  InvalidInput,
  type Problem,
  Refused,
  RUN_CODE_NAMES,
  RUN_CODES,
  type RunCode,
  RunError,
} from '../../domain/errors.ts';
import { Denied, type DeniedKind } from '../access/visitor-scopes.ts';
import { isUnreachable, readSqlState } from '../../store/database.ts';
import { limitProblems, readRequestProblems, type RequestContent } from './request-problems.ts';

export type Failure = {
  /** Of HTTP. */
  status: number;
  /** Names the kind of failure, for programs: `invalid_input`, `not_found`, a code of a run. */
  code: string;
  /** The kind of failure in a few words, always the same ones. */
  title: string;
  /** What went wrong this time, for a person. Holds nothing of ours where the fault is ours. */
  detail: string;
  /**
   * Things that are wrong in what was sent, the first of them where there are many; paths begin with where it stood:
   * `body.prompt`.
   */
  errors: readonly Problem[];
  retryAfterSeconds: number | undefined;
};

/** An address that is there was asked by a method that it has not. */
export class WrongMethod extends Error {
  override readonly name = 'WrongMethod';
  readonly allowed: readonly string[];
  constructor(allowed: readonly string[]) {
    super(`this address answers ${allowed.join(', ')}`);
    this.allowed = allowed;
  }
}

/** A request whose `Idempotency-Key` was sent before: its first execution is under way, or was of another request. */
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
    detail: 'The first request with this Idempotency-Key is still in progress. Send it again later.',
    retryAfterSeconds: 1,
  },
  reused: {
    status: 422,
    title: 'Idempotency-Key already used',
    detail:
      'This Idempotency-Key belongs to a request with another path, query or body. Use a new key for a new request.',
    retryAfterSeconds: undefined,
  },
} as const;

const DENIED_STATUSES: Readonly<Record<DeniedKind, [status: number, title: string]>> = {
  unknown_visitor: [401, 'A token is needed'],
  scope: [403, 'Not allowed'],
  forged: [403, 'Asked from another site'],
  host: [421, 'Not our name'],
  too_many: [429, 'Too many requests'],
};

const REFUSED_STATUSES: Readonly<Record<Refused['kind'], [status: number, title: string]>> = {
  not_found: [404, 'Not found'],
  conflict: [409, 'Not possible as it is now'],
  unavailable: [503, 'Not available now'],
};

/** Runs that end while somebody waits: what is our fault, theirs, and the service's. All others are the service's (502). */
const RUN_CODE_STATUSES: Partial<Record<RunCode, number>> = {
  internal: 500,
  lease_lost: 409,
  budget_exceeded: 409,
  service_unknown: 503,
  db_unavailable: 503,
  rate_limited: 503,
  sources_down: 503,
  timeout_connect: 504,
  timeout_headers: 504,
  timeout_body: 504,
};

/** What the server itself refuses, before a route sees it. */
const FASTIFY_REFUSALS: Readonly<Record<number, [code: string, detail: string]>> = {
  400: ['bad_request', 'the request cannot be read'],
  413: ['body_too_large', 'the body is larger than may be sent'],
  414: ['path_too_long', 'a parameter of the path is longer than may be sent'],
  415: ['media_type', 'the API reads application/json, and a page the form that it shows'],
};

/** What is refused on the connection, before there is a request, by Node's code of the error; anything else is no HTTP. */
export const CONNECTION_REFUSALS: Readonly<Record<string, [status: number, code: string, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'too_slow', 'the request did not come whole in time'],
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'the headers are longer than may be sent'],
};

/** Every {@link Failure.code} there is: a closed list, to which kinds are only added. */
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

/** What names a kind of failure in problem details. */
export function formatProblemType(code: string): string {
  return `urn:strandline:problem:${code}`;
}

const UNAVAILABLE_RETRY_SECONDS = 5;
/** SQLSTATE of a statement that its time limit ended. */
const STATEMENT_TIMEOUT_STATE = '57014';

/** @param sent what came with the request; left out, nothing is said of what was given */
export function mapErrorToFailure(error: unknown, sent: RequestContent = {}): Failure {
  const failed = (status: number, code: string, title: string, detail: string, more = {}): Failure => ({
    status,
    code,
    title,
    detail,
    errors: [],
    retryAfterSeconds: undefined,
    ...more,
  });
  const invalid = (problems: readonly Problem[]) => {
    const { errors, detail } = limitProblems(problems);
    return failed(400, 'invalid_input', 'Not as it must be', detail, { errors });
  };

  if (error instanceof InvalidInput) return invalid(error.problems);
  if (error instanceof Denied) {
    const [status, title] = DENIED_STATUSES[error.kind];
    const { retryAfterSeconds } = error;
    return failed(status, error.kind, title, error.message, { retryAfterSeconds });
  }
  // A statement that had to wait too long for a connection is refused inside an error of the query's.
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
  if (error instanceof WrongMethod) return failed(405, 'method', 'Not by this method', error.message);
  if (error instanceof RunError) return mapRunError(error, failed);
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
        ? 'the database needs too long for this; ask for less, by a filter or a shorter range of time'
        : 'the database cannot be reached just now';
    return failed(503, 'unavailable', 'Not available now', detail, {
      retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
    });
  }
  return failed(
    500,
    'internal',
    'strandline failed',
    'what went wrong stands in the log under the number of this request',
  );
}

function mapRunError(
  error: RunError,
  failed: (status: number, code: string, title: string, detail: string, more?: object) => Failure,
): Failure {
  const { code, detail, retryAfterMs } = error;
  const status = RUN_CODE_STATUSES[code] ?? 502;
  const words = detail === undefined ? RUN_CODES[code] : `${RUN_CODES[code]}: ${detail}`;
  const asked = retryAfterMs === undefined ? UNAVAILABLE_RETRY_SECONDS : Math.ceil(retryAfterMs / 1_000);
  return failed(status, code, RUN_CODES[code], words, {
    retryAfterSeconds: status === 503 || error.budget === 'minute' ? asked : undefined,
  });
}

/** Errors that Fastify makes of a request: they have a code of theirs and say that the request is at fault. */
function isFastifyError(error: unknown): error is Error & { statusCode: number } {
  if (!(error instanceof Error) || !('statusCode' in error) || !('code' in error)) return false;
  const { statusCode, code } = error;
  const theirs = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return theirs && typeof code === 'string' && code.startsWith('FST_');
}
