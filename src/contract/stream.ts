/**
 * Operation A as a stream. The specification does not show its shape; this reads what was seen: unnamed
 * server-sent events with or without their framing, several JSON values in one line, bare JSON objects,
 * and a whole answer that came although a stream was asked for. What an event means is in
 * stream-answer.ts.
 */
import { RunError } from '../errors.ts';
import type { Dialect } from './dialect.ts';
import { parseJson, VALUES_MAX } from './json.ts';
import { createJsonValues } from './json-values.ts';
import { createLines } from './lines.ts';
import { isPlain, type Plain } from './plain.ts';
import { gatherAnswer } from './stream-answer.ts';

/** No stream is read beyond this many characters in all, and so many in one line, which is read in one go. */
const STREAM_MAX = 64_000_000;
const LINE_MAX = 12_000_000;
/** Nor beyond this many members and items: what an event holds is kept until the end. One line may hold a fifth. */
const STREAM_VALUES_MAX = 5 * VALUES_MAX;

export type StreamReader = {
  /** Takes what came next, cut anywhere. @throws RunError `too_large` beyond the limit. */
  push(more: Uint8Array | string): void;
  /** The stream has ended: what is left without a line end or a blank line is read too. */
  end(): void;
  /** Whether its completion has been seen. Otherwise the answer is partial. */
  readonly complete: boolean;
  /** The service's words of an error inside the stream, cleaned. */
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
  const lines = createLines(LINE_MAX);
  const json = createJsonValues();
  const answer = gatherAnswer(dialect);
  let eventName = '';
  let seen = 0;
  let values = 0;

  function readText(text: string): void {
    seen += text.length;
    if (seen > STREAM_MAX) throw new RunError('too_large');
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
    if (eventName === 'error' && !text.includes('{')) answer.fail(text.trim());
    // The line's end stands for white space between values, and an event is skipped where it is not JSON:
    // without its completion the stream is not complete.
    const before = values;
    for (const whole of json.feed(`${text}\n`)) {
      const parsed = parseJson(whole);
      values += parsed.values ?? 0;
      if (parsed.problem === 'too_many' || values > STREAM_VALUES_MAX || values > before + VALUES_MAX)
        throw new RunError('too_large');
      readValue(parsed.value);
    }
  }

  function readValue(value: unknown): void {
    for (const event of Array.isArray(value) ? value : [value]) {
      if (isPlain(event)) answer.take(event, eventName);
    }
  }

  return {
    push: (more) => readText(typeof more === 'string' ? more : decoder.decode(more, { stream: true })),
    end() {
      readText(decoder.decode());
      for (const line of lines.end()) readLine(line);
    },
    get complete() {
      return answer.complete;
    },
    get error() {
      return answer.error;
    },
    get events() {
      return answer.events;
    },
    wireAnswer: answer.wireAnswer,
    answer: answer.neutralAnswer,
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
