/** A question in SQL as it reaches us: behind the command, or through stdin. */
import { InvalidInput } from '../../errors.ts';
import type { Io } from './io.ts';

const MOST_BYTES = 1_000_000;

/**
 * A query may begin with a comment, which the parser of commands would take for an option: a word with
 * dashes in front and a space in it is no option of ours, and a space in front makes it an argument.
 */
export function guardQueries(argv: readonly string[]): string[] {
  if (argv[0] !== 'sql') return [...argv];
  return argv.map((word) => (/^--[^=]*\s/.test(word) ? ` ${word}` : word));
}

/** Takes that space away again, so that Postgres counts the characters that were written. */
export function unguarded(query: string): string {
  return query.startsWith(' --') ? query.slice(1) : query;
}

/** @throws InvalidInput where nobody pipes anything in, or more than a megabyte */
export async function readQuery({ stdin = process.stdin }: Pick<Io, 'stdin'>): Promise<string> {
  if ('isTTY' in stdin && stdin.isTTY === true)
    throw refused(undefined, 'one SQL statement, as text or piped in');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const piece = Buffer.from(chunk as string | Buffer); // a stream of text or of bytes, never of objects
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw refused('more than a megabyte', 'a statement of at most 1,000,000 bytes');
    chunks.push(piece);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}

function refused(given: string | undefined, expected: string): InvalidInput {
  return new InvalidInput([{ path: 'query', given, expected }]);
}
