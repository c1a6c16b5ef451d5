import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { RunError } from '../../errors.ts';

/**
 * The bytes of a body as they were before the service compressed them, piece by piece: a reader that
 * stops reading stops the decompression, so a small body that holds a huge one costs what was read.
 * Whoever stops early leaves the source destroyed.
 * @throws RunError `decode_error` for bytes that do not decompress, and for an encoding that is not one
 * of gzip, deflate and br or is applied twice; otherwise what the source itself threw.
 */
export async function* decoded(source: Readable, encoding: string): AsyncGenerator<Uint8Array, void> {
  source.on('error', () => undefined); // it is thrown below, or of no more interest
  try {
    const name = encoding.trim().toLowerCase();
    if (name === '' || name === 'identity') yield* source;
    else yield* decompressed(source, name);
  } catch (error) {
    if (error instanceof RunError) throw error;
    throw source.errored ?? new RunError('decode_error', { cause: error });
  } finally {
    source.destroy();
  }
}

async function* decompressed(source: Readable, name: string): AsyncGenerator<Uint8Array, void> {
  const pieces: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  const decoder = decoderOf(name, first.value);
  pipeline(rejoined(first.value, pieces), decoder, () => undefined); // an error arrives below
  yield* decoder;
}

async function* rejoined(first: Uint8Array, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => pieces };
}

function decoderOf(name: string, first: Uint8Array): Transform {
  if (name === 'gzip' || name === 'x-gzip') return createGunzip();
  if (name === 'br') return createBrotliDecompress();
  // Deflate means zlib's format (its first byte ends in 8); some servers send the bare one.
  if (name === 'deflate') return ((first[0] ?? 0) & 15) === 8 ? createInflate() : createInflateRaw();
  throw new RunError('decode_error', { detail: 'the answer is encoded in a way that is not read' });
}
