/**
 * Reads operation A as a stream. The specification does not define its format; this accepts what services were observed
 * to send: unnamed server-sent events with or without framing, several JSON values per line, bare JSON objects, and a
 * complete response instead of a stream. See stream-response.ts for the events.
 */

import { RunError } from '../model/errors.ts';
import type { Dialect } from './dialect.ts';
import { isPlain, type Plain } from '../lib/json-values.ts';
import { MAX_VALUES, parseJson } from './json.ts';
import { createStreamAssembler } from './stream-response.ts';

/** Limits in characters for a stream, and for a line, which is parsed in one step. */
const MAX_STREAM_LENGTH = 64_000_000;
const MAX_LINE_LENGTH = 12_000_000;
/** Maximum members and items, since content is kept until the end. A single line is limited to a fifth. */
const MAX_STREAM_VALUES = 5 * MAX_VALUES;

export type StreamReader = {
  /** Adds the next chunk, split anywhere. @throws RunError `too_large` beyond a limit */
  push(more: Uint8Array | string): void;
  /** Ends the stream and reads the rest, even without a final line end or blank line. */
  end(): void;
  /** Whether the completion was received; if not, the response is partial. */
  readonly complete: boolean;
  /** The service's error message in the stream, cleaned. */
  readonly error: string | null;
  /**
   * The response assembled from the events, in wire names: groups as flat lists, `completion` unchanged, `text_chunks`
   * with the pieces of the microblog summary, and `texts`: the joined text of each role.
   */
  wireAnswer(): Plain;
};

/** Reads one stream in a dialect. Pure, in linear time. */
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
      json.reset(); // the event has ended, and any incomplete value with it
      eventName = '';
    } else if (line.startsWith('data:')) {
      readData(line.slice('data:'.length));
    } else if (line.startsWith('event:')) {
      eventName = line.slice('event:'.length).trim();
    } else if (json.open || /^[{["]/.test(line.trimStart())) {
      readData(line); // unframed JSON; comments, `id:`, `retry:` and other lines are ignored
    }
  }

  function readData(text: string): void {
    if (eventName === 'error' && !text.includes('{')) assembler.fail(text.trim());
    // The line end separates values. Invalid JSON is skipped: if it was the completion, the stream stays incomplete.
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
    wireAnswer: assembler.wireAnswer,
  };
}

/**
 * Whether a body is an event stream, which services have sent with status 200 although JSON was requested: it begins
 * with a field of a server-sent event, or with a bare event object.
 */
export function isEventStream(text: string): boolean {
  return /^\uFEFF?\s*(?:(?:data|event|id|retry)?:|\{\s*"type"\s*:\s*")/.test(text.slice(0, 1_000));
}

/** Whether a content type announces events. */
export function isEventStreamType(contentType: string | null): boolean {
  return /^\s*text\/event-stream\b/i.test(contentType ?? '');
}

/** Text is collected in pieces of this size, so that a line that arrives byte by byte stays cheap. */
const PIECE_LENGTH = 65_536;

/**
 * Splits chunks into lines ended by LF, CRLF or CR, wherever the chunks are split. Takes linear time: the known part of
 * a line is never searched again.
 * @throws RunError `too_large` if a line exceeds `maxLength` characters
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
 * Extracts consecutive JSON objects and arrays from a text, with anything between them: nothing, white space, commas,
 * another `data:`, a `[DONE]`. A value may arrive in several parts; each character is read once.
 */
type JsonSplitter = {
  /** Adds text, and lazily returns the values that it completes. */
  feed(text: string): Iterable<string>;
  /** Discards an incomplete value. */
  reset(): void;
  /** Whether a value is incomplete. */
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
          inString = depth > 0; // quotes between values are ignored
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
      parts = [];
      depth = 0;
      inString = false;
      escaped = false;
    },

    get open() {
      return depth > 0;
    },
  };
}

/** Whether a character is special inside a string. */
function endsPlain(unit: number): boolean {
  return unit === QUOTE || unit === BACKSLASH;
}
