/**
 * Operation A as a stream. The specification does not show its shape; this reads what was seen: unnamed
 * server-sent events with or without their framing, several JSON values in one line, bare JSON objects,
 * and a whole answer that came although a stream was asked for. What an event means is in
 * stream-response.ts.
 */

import { RunError } from '../domain/errors.ts';
import type { Dialect } from './dialect.ts';
import { isPlain, MAX_VALUES, parseJson, type Plain } from './json.ts';
import { createStreamAssembler } from './stream-response.ts';

/** No stream is read beyond this many characters in all, and so many in one line, which is read in one go. */
const MAX_STREAM_LENGTH = 64_000_000;
const MAX_LINE_LENGTH = 12_000_000;
/** Nor beyond this many members and items: what an event holds is kept until the end. One line may hold a fifth. */
const MAX_STREAM_VALUES = 5 * MAX_VALUES;

export type StreamReader = {
  /** Takes what came next, cut anywhere. @throws RunError `too_large` beyond the limit. */
  push(more: Uint8Array | string): void;
  /** The stream has ended: what is left without a line end or a blank line is read too. */
  end(): void;
  /** Whether its completion has been seen. Otherwise the answer is partial. */
  readonly complete: boolean;
  /** The service's message of an error inside the stream, cleaned. */
  readonly error: string | null;
  /** How many events were understood. */
  readonly events: number;
  /**
   * The answer put together from the events, in the wire's names: groups as flat lists, `completion` as
   * it came, `text_chunks` with the microblog summary's pieces, and `texts`: the joined text of each role.
   */
  wireAnswer(): Plain;
  /** The same in the specification's names. */
  answer(): Plain;
};

/** Reads one stream of a service that speaks the dialect. Pure: bytes in, an answer out, in linear time. */
export function createStreamReader(dialect: Dialect): StreamReader {
  const decoder = new TextDecoder('utf-8');
  const lines = createLineSplitter(MAX_LINE_LENGTH);
  const json = createJsonSplitter();
  const assembler = createStreamAssembler(dialect);
  let eventName = '';
  let seen = 0;
  let values = 0;

  function readText(text: string): void {
    seen += text.length;
    if (seen > MAX_STREAM_LENGTH) throw new RunError('too_large');
    for (const line of lines.push(text)) readLine(line);
  }

  function readLine(line: string): void {
    if (line === '') {
      json.reset(); // the event has ended, and with it whatever it left unfinished
      eventName = '';
    } else if (line.startsWith('data:')) {
      readData(line.slice('data:'.length));
    } else if (line.startsWith('event:')) {
      eventName = line.slice('event:'.length).trim();
    } else if (json.open || /^[{["]/.test(line.trimStart())) {
      readData(line); // JSON without framing; a comment, `id:`, `retry:` or noise is none
    }
  }

  function readData(text: string): void {
    if (eventName === 'error' && !text.includes('{')) assembler.fail(text.trim());
    // The line's end stands for white space between values, and an event is skipped where it is not JSON:
    // without its completion the stream is not complete.
    const before = values;
    for (const whole of json.feed(`${text}\n`)) {
      const parsed = parseJson(whole);
      values += parsed.values ?? 0;
      if (parsed.problem === 'too_many' || values > MAX_STREAM_VALUES || values > before + MAX_VALUES)
        throw new RunError('too_large');
      readValue(parsed.value);
    }
  }

  function readValue(value: unknown): void {
    for (const event of Array.isArray(value) ? value : [value]) {
      if (isPlain(event)) assembler.take(event, eventName);
    }
  }

  return {
    push: (more) => readText(typeof more === 'string' ? more : decoder.decode(more, { stream: true })),
    end() {
      readText(decoder.decode());
      for (const line of lines.end()) readLine(line);
    },
    get complete() {
      return assembler.complete;
    },
    get error() {
      return assembler.error;
    },
    get events() {
      return assembler.events;
    },
    wireAnswer: assembler.wireAnswer,
    answer: assembler.neutralAnswer,
  };
}

/**
 * Whether the text of a body is an event stream (it has come under a 200 with JSON asked for): it begins
 * with a field of a server-sent event, or with a bare event object.
 */
export function isEventStream(text: string): boolean {
  return /^\uFEFF?\s*(?:(?:data|event|id|retry)?:|\{\s*"type"\s*:\s*")/.test(text.slice(0, 1_000));
}

/** Whether a service says by its content type that it sends events. */
export function isEventStreamType(contentType: string | null): boolean {
  return /^\s*text\/event-stream\b/i.test(contentType ?? '');
}

/** Text is gathered in pieces of this size, so that a line that arrives byte by byte stays cheap. */
const PIECE_LENGTH = 65_536;

/**
 * Cuts text that arrives in chunks into lines, each ended by LF, CRLF or CR, wherever the chunks are cut.
 * Takes linear time for any cutting: the part of a line that was seen is never searched again.
 * @throws RunError `too_large` when one line grows beyond `maxLength` characters.
 */
export function createLineSplitter(maxLength: number): { push(chunk: string): string[]; end(): string[] } {
  let pieces: string[] = [];
  let tail = '';
  let length = 0;
  let afterCr = false;

  function gather(text: string): void {
    length += text.length;
    if (length > maxLength) throw new RunError('too_large');
    tail += text;
    if (tail.length < PIECE_LENGTH) return;
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

/**
 * Cuts a text into the JSON values (objects and arrays) that stand in it one after another, whatever lies
 * between them: nothing, white space, commas, another `data:`, a `[DONE]`. A value may arrive in any
 * number of parts; each character is looked at once.
 */
type JsonSplitter = {
  /** Takes more text and gives the texts of the values that it completes, as they are asked for. */
  feed(text: string): Iterable<string>;
  /** Gives up a value that has begun and was not finished. True when there was one. */
  reset(): boolean;
  /** Whether a value has begun and is not finished. */
  readonly open: boolean;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export function createJsonSplitter(): JsonSplitter {
  let parts: string[] = [];
  let depth = 0;
  let inString = false;
  let escaped = false;

  return {
    *feed(text) {
      let start = 0;
      for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        if (escaped) {
          escaped = false;
        } else if (inString) {
          while (i < text.length && !endsPlain(text.charCodeAt(i))) i++;
          escaped = text.charCodeAt(i) === BACKSLASH;
          inString = text.charCodeAt(i) !== QUOTE;
        } else if (unit === QUOTE) {
          inString = depth > 0; // a quote between values opens nothing
        } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
          if (depth === 0 && text.startsWith('[DONE]', i)) {
            i += '[DONE]'.length - 1;
            continue;
          }
          if (depth === 0) start = i;
          depth++;
        } else if ((unit === CLOSE_BRACE || unit === CLOSE_BRACKET) && depth > 0) {
          depth--;
          if (depth > 0) continue;
          const whole = parts.join('') + text.slice(start, i + 1);
          parts = [];
          yield whole;
        }
      }
      if (depth > 0) parts.push(text.slice(start));
    },

    reset() {
      const open = depth > 0;
      parts = [];
      depth = 0;
      inString = false;
      escaped = false;
      return open;
    },

    get open() {
      return depth > 0;
    },
  };
}

/** Whether a character of a string stands for more than itself. */
function endsPlain(unit: number): boolean {
  return unit === QUOTE || unit === BACKSLASH;
}
