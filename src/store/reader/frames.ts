/**
 * What the server and its process for statements send each other by pipe: a head in JSON, which is small, and a body of
 * bytes, which whoever passes it on does not read. Ahead of both stand their lengths, four bytes each.
 */
import type { Refused } from '../../domain/errors.ts';

/** What a result is rendered as: rows of a page, or the reply of the API. */
export type ResultForm = 'html' | 'json';

/** Orders name a statement by its number. Each comes with the reader's address: its password may have been replaced meanwhile. */
export type ReaderOrder = { start: number; url: string; sql: string; form: ResultForm } | { cancel: number };

/** How a statement ended. */
export type StatementEnding =
  | {
      kind: 'done';
      /** Rows that the body holds. */
      rows: number;
      /** Whether the statement has more. */
      more: boolean;
      durationMs: number;
    }
  | { kind: Refused['kind']; words: string }
  /** An error that is not about the statement: its message and, of Postgres or the system, its code. */
  | { kind: 'failed'; words: string; code: string | undefined };

/** From the process; the body is the finished result. */
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
 * @param take gets each frame as soon as it is whole; its head is what the other side, a program of ours, made with {@link writeFrame}
 * @param maxBody bytes
 * @returns takes what comes by the pipe; throws RangeError where that is no frame of this size
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
      if (head > MAX_HEAD_BYTES || body > maxBody) throw new RangeError('a frame is larger than it may be');
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
