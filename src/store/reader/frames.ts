/**
 * Frames between the server and its statement process: two lengths of four bytes, a small JSON head, and a body of bytes
 * that the server passes on unread.
 */
import type { Refused } from '../../domain/errors.ts';

/** Result format: rows of a page, or an API response. */
export type ResultForm = 'html' | 'json';

/** Orders identify a statement by number, and include the reader's URL: its password may have been rotated. */
export type ReaderOrder = { start: number; url: string; sql: string; form: ResultForm } | { cancel: number };

/** How a statement ended. */
export type StatementEnding =
  | {
      kind: 'done';
      /** Number of rows in the body. */
      rows: number;
      /** Whether the statement has more. */
      more: boolean;
      durationMs: number;
    }
  | { kind: Refused['kind']; words: string }
  /** An error that is not about the statement: message and code. */
  | { kind: 'failed'; words: string; code: string | undefined };

/** Sent by the process; the body is the finished result. */
export type ReaderReply = { statementId: number; ending: StatementEnding };

const HEADER_BYTES = 8;
const MAX_HEAD_BYTES = 128_000;

export function writeFrame(head: ReaderOrder | ReaderReply, body: Uint8Array = new Uint8Array()): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(HEADER_BYTES);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  return Buffer.concat([lengths, text, body]);
}

/**
 * @param take receives each complete frame, with a head written by {@link writeFrame}
 * @param maxBody bytes
 * @returns a consumer for chunks of the pipe; throws RangeError if a frame is too large
 */
export function readFrames(
  take: (head: unknown, body: Buffer) => void,
  maxBody: number,
): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  let bytes = 0;
  let wanted = HEADER_BYTES;
  return (chunk) => {
    held.push(chunk);
    bytes += chunk.length;
    while (bytes >= wanted) {
      const all = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
      const head = all.readUInt32BE(0);
      const body = all.readUInt32BE(4);
      if (head > MAX_HEAD_BYTES || body > maxBody) throw new RangeError('a frame exceeds its maximum size');
      const whole = HEADER_BYTES + head + body;
      const rest = bytes >= whole ? all.subarray(whole) : all;
      held = [rest];
      wanted = bytes >= whole ? HEADER_BYTES : whole;
      bytes = rest.length;
      if (rest === all) continue;
      const text = all.toString('utf8', HEADER_BYTES, HEADER_BYTES + head);
      take(JSON.parse(text), all.subarray(HEADER_BYTES + head, whole));
    }
  };
}
