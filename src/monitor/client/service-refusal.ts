/** Classifies replies of a service that are not a JSON response. Pure. */
import { readErrorBody } from '../../protocol/error-body.ts';
import { retryAfterMs } from '../../protocol/retry-after.ts';
import { type RunCode, RunError } from '../../model/errors.ts';

type Refusal = { status: number; location: string | null; retryAfter: string | null; words: string };

/**
 * Statuses whose body may be a response: 201 and 206 were seen with a complete, billed response. 204 has no body; 202 and others
 * do not contain the specified object.
 */
export const RESPONSE_STATUSES: ReadonlySet<number> = new Set([200, 201, 206]);

/**
 * The failure for any other status. The time to wait comes from `Retry-After`, or from the body; only failures that can be retried
 * have one.
 */
export function classifyRefusal({ status, location, retryAfter, words }: Refusal, now: Date): RunError {
  const code = classifyStatus(status);
  const body = readErrorBody(words);
  const said = code === 'redirect' && location !== null ? `to ${location}` : body.message;
  const patient = code === 'rate_limited' || code === 'upstream_5xx';
  const wait = patient ? (retryAfterMs(retryAfter, now) ?? body.retryAfterMs ?? undefined) : undefined;
  return new RunError(code, {
    retryAfterMs: wait,
    detail: said ? `HTTP ${status}: ${said}` : `HTTP ${status}`,
  });
}

function classifyStatus(status: number): RunCode {
  if (status >= 500) return 'upstream_5xx';
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'payment';
  if (status === 408) return 'timeout_headers'; // the service's time limit, not ours; also transient
  if (status === 425 || status === 429) return 'rate_limited';
  if (status >= 400) return 'invalid_request';
  return status >= 300 ? 'redirect' : 'schema_mismatch';
}

/**
 * Checks the first character of a body, because the content type of services is unreliable.
 * @throws RunError `bad_json` for an empty body, or a body that is labelled as JSON but is not; otherwise `bad_content_type`
 */
export function assertJson(body: Buffer, contentType: string | null): void {
  if (isNotUtf8(body)) return; // its reader decodes it, or says what is wrong
  const beginning = trimBlankStart(body).subarray(0, SNIFFED_BYTES).toString('utf8').trimStart();
  if (/^[{["]/.test(beginning)) return;
  const labelled = /^\s*application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? '');
  if (labelled && /^(?:null|true|false|-?\d)/.test(beginning)) return; // JSON; its reader says what is wrong
  throw new RunError(beginning === '' || labelled ? 'bad_json' : 'bad_content_type');
}

/** Bytes after which the kind of a body is known, apart from white space before it. */
export const SNIFFED_BYTES = 1_000;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const BLANKS: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\r\n'));

/** Without byte order mark and white space at the start, which keeps a connection alive until the response is ready. */
export function trimBlankStart(body: Buffer): Buffer {
  const mark = BYTE_ORDER_MARK.length;
  let start = body.subarray(0, mark).equals(BYTE_ORDER_MARK) ? mark : 0;
  while (BLANKS.has(body[start])) start++;
  return body.subarray(start);
}

/** UTF-16, by its byte order mark or the zeros of ASCII, or bytes that are still compressed. */
function isNotUtf8([first, second]: Buffer): boolean {
  if (first === 0x1f && second === 0x8b) return true;
  return (
    first === 0 || second === 0 || (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  );
}
