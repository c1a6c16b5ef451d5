/** Reads a decoded body within its limit, and an event stream up to its completion. */
import type { Readable } from 'node:stream';
import type { Dialect } from '../../contract/dialect.ts';
import {
  createStreamReader,
  isEventStream,
  isEventStreamType,
  type StreamReader,
} from '../../contract/stream.ts';
import { RunError } from '../../errors.ts';
import { expectJson } from './refusal.ts';

/** A service may hold the connection open behind the completion of its stream; so long we still listen. */
const GRACE_MS = 250;
/** What a body begins with is known after this many bytes. */
const BEGINNING = 1_000;
const BLOCK = 65_536;

/** The bytes of a body as they come. */
export type Received = {
  /** Takes a piece and returns how many bytes there are now. @throws RunError `too_large` */
  add(piece: Uint8Array): number;
  whole(): Buffer;
};

export type Expected = {
  /** Holds what has come, also where reading fails. */
  body: Received;
  contentType: string | null;
  /** The dialect of an event stream; undefined where the operation has none. */
  streams: Dialect | undefined;
  /** Hears how many bytes there are. */
  onBytes: (bytes: number) => void;
};

/**
 * All bytes of a body.
 * @throws RunError `too_large` beyond the limit of `body`; what {@link expectJson} throws; for an event stream that
 * ends without its completion `upstream_5xx` where the service says that it failed, otherwise
 * `stream_incomplete`.
 */
export async function readBody(
  pieces: AsyncIterable<Uint8Array>,
  source: Readable,
  { body, contentType, streams, onBytes }: Expected,
): Promise<Buffer> {
  let stream = streams && isEventStreamType(contentType) ? createStreamReader(streams) : undefined;
  let undecided = streams !== undefined && stream === undefined;
  let grace: NodeJS.Timeout | undefined;
  try {
    for await (const piece of pieces) {
      const bytes = body.add(piece);
      onBytes(bytes);
      stream?.push(piece);
      if (streams && undecided) {
        stream = streamIn(streams, body.whole());
        undecided = stream === undefined && bytes < BEGINNING;
      }
      if (stream?.complete) grace ??= setTimeout(() => source.destroy(), GRACE_MS);
    }
    stream?.end();
  } catch (error) {
    if (!stream?.complete) throw error;
  } finally {
    clearTimeout(grace);
  }
  if (stream && !stream.complete) throw unfinished(stream);
  const whole = body.whole();
  if (!stream) expectJson(whole, contentType);
  return whole;
}

/** The beginning of a body as text, as far as it comes: for the words of an error. Never throws. */
export async function readWords(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const body = gather(maxBytes);
  try {
    for await (const piece of pieces) onBytes(body.add(piece));
  } catch {
    // Its status has said what matters; words that break off are better than none.
  }
  return body.whole().toString('utf8');
}

/** For a stream that nobody announced: a reader that has read what is there; undefined where it is none. */
function streamIn(dialect: Dialect, body: Buffer): StreamReader | undefined {
  if (!isEventStream(body.subarray(0, BEGINNING).toString('utf8'))) return undefined;
  const stream = createStreamReader(dialect);
  stream.push(body);
  return stream;
}

function unfinished({ error }: StreamReader): RunError {
  return error === null ? new RunError('stream_incomplete') : new RunError('upstream_5xx', { detail: error });
}

/** Gathers pieces in blocks, so that a million pieces of one byte are not a million buffers. */
export function gather(maxBytes: number): Received {
  const full: Buffer[] = [];
  let block = Buffer.alloc(0);
  let used = 0;
  let bytes = 0;
  return {
    add(piece) {
      if (bytes + piece.length > maxBytes) throw new RunError('too_large');
      bytes += piece.length;
      if (piece.length > block.length - used) {
        full.push(block.subarray(0, used));
        block = Buffer.allocUnsafe(Math.max(BLOCK, piece.length));
        used = 0;
      }
      block.set(piece, used);
      used += piece.length;
      return bytes;
    },
    whole: () => Buffer.concat([...full, block.subarray(0, used)]),
  };
}
