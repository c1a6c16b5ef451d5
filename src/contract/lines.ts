import { RunError } from '../errors.ts';

/** Text is gathered in pieces of this size, so that a line that arrives byte by byte stays cheap. */
const PIECE = 65_536;

/**
 * Cuts text that arrives in chunks into lines, each ended by LF, CRLF or CR, wherever the chunks are cut.
 * Takes linear time for any cutting: the part of a line that was seen is never searched again.
 * @throws RunError `too_large` when one line grows beyond `lineMax` characters.
 */
export function createLines(lineMax: number): { push(chunk: string): string[]; end(): string[] } {
  let pieces: string[] = [];
  let tail = '';
  let length = 0;
  let afterCr = false;

  function gather(text: string): void {
    length += text.length;
    if (length > lineMax) throw new RunError('too_large');
    tail += text;
    if (tail.length < PIECE) return;
    pieces.push(tail);
    tail = '';
  }

  function take(): string {
    const line = pieces.length === 0 ? tail : pieces.join('') + tail;
    pieces = [];
    tail = '';
    length = 0;
    return line;
  }

  return {
    push(chunk) {
      const lines: string[] = [];
      let start = 0;
      if (afterCr && chunk.startsWith('\n')) start = 1;
      if (chunk !== '') afterCr = chunk.endsWith('\r');
      const ends = /\r\n|\r|\n/g;
      ends.lastIndex = start;
      for (let end = ends.exec(chunk); end !== null; end = ends.exec(chunk)) {
        gather(chunk.slice(start, end.index));
        lines.push(take());
        start = ends.lastIndex;
      }
      gather(chunk.slice(start));
      return lines;
    },
    end() {
      return length > 0 ? [take()] : [];
    },
  };
}
