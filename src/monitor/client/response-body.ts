/** Reads a decoded body within its limit, and an event stream up to its completion. */

import { RunError } from '../../model/errors.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import {
  createStreamReader,
  isEventStream,
  isEventStreamType,
  type StreamReader,
} from '../../protocol/stream.ts';
import { assertJson, SNIFFED_BYTES, trimBlankStart } from './service-refusal.ts';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** How long to keep reading after the completion of a stream: a service may keep the connection open. */
const STREAM_END_GRACE_MS = 250;
const BLOCK_BYTES = 65_536;

/** The bytes of a body as they come. */
export type BodyBuffer = {
  /** Adds a piece and returns the total number of bytes. @throws RunError `too_large` */
  add(piece: Uint8Array): number;
  whole(): Buffer;
};

type ExpectedBody = {
  /** Keeps what was received, even if reading fails. */
  body: BodyBuffer;
  contentType: string | null;
  /** The dialect of an event stream; undefined if the operation has none. */
  streams: Dialect | undefined;
  /** Called with the total number of bytes. */
  onBytes: (bytes: number) => void;
};

/**
 * Reads all bytes of a body.
 * @throws RunError `too_large` beyond the limit of `body`; what {@link assertJson} throws; for an event stream without a
 * completion, `upstream_5xx` if the service reports an error, otherwise `stream_incomplete`
 */
export async function readBody(
  pieces: AsyncIterable<Uint8Array>,
  source: Readable,
  { body, contentType, streams, onBytes }: ExpectedBody,
): Promise<Buffer> {
  let stream = streams && isEventStreamType(contentType) ? createStreamReader(streams) : undefined;
  /** What was received so far, trimmed, until it is known whether it is a stream. */
  let beginning: Buffer | undefined = streams && stream === undefined ? Buffer.alloc(0) : undefined;
  let grace: NodeJS.Timeout | undefined;
  try {
    for await (const piece of pieces) {
      const bytes = body.add(piece);
      onBytes(bytes);
      stream?.push(piece);
      if (streams && beginning) {
        beginning = trimBlankStart(Buffer.concat([beginning, piece]));
        if (isEventStream(beginning.subarray(0, SNIFFED_BYTES).toString('utf8'))) {
          stream = createStreamReader(streams);
          stream.push(beginning);
        }
        if (stream !== undefined || beginning.length >= SNIFFED_BYTES) beginning = undefined;
      }
      if (stream?.complete) grace ??= setTimeout(() => source.destroy(), STREAM_END_GRACE_MS);
    }
    stream?.end();
  } catch (error) {
    if (!stream?.complete) throw error;
  } finally {
    clearTimeout(grace);
  }
  if (stream && !stream.complete) throw createUnfinishedError(stream);
  const whole = body.whole();
  if (!stream) assertJson(whole, contentType);
  return whole;
}

/** The start of an error body. Never throws. */
export async function readRefusalBody(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  const body = createBodyBuffer(maxBytes);
  let left = maxBytes;
  try {
    for await (const piece of pieces) {
      onBytes(body.add(piece.subarray(0, left)));
      left -= Math.min(left, piece.length);
      if (left === 0) break;
    }
  } catch {
    // The status is what matters; a truncated message is better than none.
  }
  return body.whole();
}

function createUnfinishedError({ error }: StreamReader): RunError {
  return error === null ? new RunError('stream_incomplete') : new RunError('upstream_5xx', { detail: error });
}

/** Collects pieces in blocks, so that a million pieces of one byte are not a million buffers. */
export function createBodyBuffer(maxBytes: number): BodyBuffer {
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
        block = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, piece.length));
        used = 0;
      }
      block.set(piece, used);
      used += piece.length;
      return bytes;
    },
    whole: () => Buffer.concat([...full, block.subarray(0, used)]),
  };
}

/**
 * Decompresses a body piece by piece. Decompression stops when the reader stops, so a decompression bomb costs only what was
 * read. Stopping early destroys the source.
 * @throws RunError `decode_error` for invalid data, and for encodings other than a single gzip, deflate or br; otherwise what
 * the source threw
 */
export async function* decodeBody(source: Readable, encoding: string): AsyncGenerator<Uint8Array, void> {
  source.on('error', () => undefined); // thrown below, or no longer relevant
  try {
    const name = encoding.trim().toLowerCase();
    if (name === '' || name === 'identity') yield* source;
    else yield* decompress(source, name);
  } catch (error) {
    if (error instanceof RunError) throw error;
    throw source.errored ?? new RunError('decode_error', { cause: error });
  } finally {
    source.destroy();
  }
}

async function* decompress(source: Readable, name: string): AsyncGenerator<Uint8Array, void> {
  const pieces: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  const decoder = createDecoder(name, first.value);
  pipeline(prependPiece(first.value, pieces), decoder, () => undefined); // an error arrives below
  yield* decoder;
}

async function* prependPiece(
  first: Uint8Array,
  pieces: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => pieces };
}

function createDecoder(name: string, first: Uint8Array): Transform {
  if (name === 'gzip' || name === 'x-gzip') return createGunzip();
  if (name === 'br') return createBrotliDecompress();
  // Deflate means zlib's format (its first byte ends in 8); some servers send the bare one.
  if (name === 'deflate') return ((first[0] ?? 0) & 15) === 8 ? createInflate() : createInflateRaw();
  throw new RunError('decode_error', { detail: 'unsupported content encoding' });
}
