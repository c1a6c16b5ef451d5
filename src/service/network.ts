/** What a request outwards comes to, whoever makes it: a body within bounds, a failure as a code. */

/** The whole body as text; undefined beyond so many bytes, where leaving the loop ends the connection. */
export async function readAtMost(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > most) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** What the network says, as a code (`ECONNREFUSED`): its words may repeat what a server sent. */
export function networkCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(error.code))
    return error.code;
  return error.cause === undefined ? undefined : networkCode(error.cause);
}
