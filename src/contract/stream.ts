/**
 * Operation A as a stream. The specification does not show its shape; this reads what was seen: unnamed
 * server-sent events with or without their framing, several JSON values in one line, bare JSON objects,
 * and a whole answer that came although a stream was asked for. An event is
 *
 *     {"type": "text", "role": "summary", "content": "tokens"}
 *     {"type": <a flat group of the third generation>, "content": [items]}
 *     {"type": "completion", "content": "the whole text" or the completion object}      the end
 *     {"type": "result", "content": {the whole answer}}                                 also an end
 *     {"type": "error", "error": ...} or {"error": "..."}
 *
 * and any other type is skipped. A stream is complete once its completion (or result) has been seen.
 */
import { RunError } from '../errors.ts';
import { wireName, type Dialect } from './dialect.ts';
import { readErrorValue } from './errors.ts';
import { createJsonValues } from './json-values.ts';
import { isPlain, isPoisonous, own, type Plain } from './plain.ts';
import { createLines } from './sse-lines.ts';
import { fromWire } from './wire.ts';

/** No answer is read beyond this many characters, in one line or in all. */
const STREAM_MAX = 64_000_000;

export type StreamReader = {
  /** Takes the next bytes, cut anywhere. @throws RunError `too_large` beyond the limit. */
  push(bytes: Uint8Array): void;
  /** The stream has ended: what is left without a line end or a blank line is read too. */
  end(): void;
  /** Whether its completion has been seen. Otherwise the answer is partial. */
  readonly complete: boolean;
  /** The service's words of an error inside the stream, cleaned. */
  readonly error: string | null;
  /** How many events were understood. */
  readonly events: number;
  /**
   * The answer put together from the events, in the wire's names: groups as flat arrays, `completion` as
   * it came, `text_chunks` with the microblog summary's pieces, and `texts`: the joined text of each role.
   */
  wireAnswer(): Plain;
  /** The same in the specification's names. */
  answer(): Plain;
};

/** Reads one stream of a service that speaks the dialect. Pure: bytes in, an answer out. */
export function createStreamReader(dialect: Dialect): StreamReader {
  const decoder = new TextDecoder('utf-8');
  const lines = createLines(STREAM_MAX);
  const json = createJsonValues();
  const answer = gatherAnswer(dialect);
  let eventName = '';
  let seen = 0;

  function readLine(line: string): void {
    if (line === '') {
      json.reset(); // the event has ended, and with it whatever it left unfinished
      eventName = '';
      return;
    }
    if (line.startsWith('event:')) {
      eventName = line.slice('event:'.length).trim();
      return;
    }
    const framed = line.startsWith('data:');
    if (!framed && !json.open && !/^\s*[{["]/.test(line)) return; // comment, id, retry, or noise
    const text = framed ? line.slice('data:'.length) : line;
    if (eventName === 'error' && !text.includes('{')) answer.fail(text.trim());
    for (const value of json.feed(text)) readValue(value);
  }

  function readValue(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return; // an event that is not JSON is skipped; without its completion the stream is not complete
    }
    for (const event of Array.isArray(value) ? value : [value]) {
      if (isPlain(event)) answer.take(event, eventName);
    }
  }

  function readText(text: string): void {
    seen += text.length;
    if (seen > STREAM_MAX) throw new RunError('too_large');
    for (const line of lines.push(text)) readLine(line);
  }

  return {
    push(bytes) {
      readText(decoder.decode(bytes, { stream: true }));
    },
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
    wireAnswer: () => answer.wire(),
    answer: () => fromWire(dialect, 'ai-answer', answer.wire()) as Plain, // an object stays an object
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

function gatherAnswer(dialect: Dialect) {
  const groups = new Map<string, unknown[]>();
  const others = new Map<string, unknown>();
  const texts = new Map<string, string[]>();
  let completion: unknown = null;
  let result: Plain | null = null;
  let complete = false;
  let error: string | null = null;
  let events = 0;

  const summaryRole = wireName(dialect, 'microblog_summary');

  function takeText(event: Plain): void {
    const { role, content } = event;
    if (typeof role !== 'string' || typeof content !== 'string' || isPoisonous(role)) return;
    const pieces = texts.get(role);
    if (pieces) pieces.push(content);
    else texts.set(role, [content]);
  }

  function takeGroup(type: string, content: unknown): void {
    const items = Array.isArray(content)
      ? content
      : content === null || content === undefined
        ? []
        : [content];
    const group = groups.get(type) ?? [];
    for (const item of items) group.push(item);
    groups.set(type, group);
  }

  return {
    take(event: Plain, eventName: string): void {
      events++;
      const type = typeof event.type === 'string' ? event.type : eventName;
      const { content } = event;
      if (type === 'error' || own(event, 'error') || (type === '' && own(event, 'detail'))) {
        error ??= readErrorValue(event).message ?? 'the stream holds an error without words';
      } else if (type === 'text') {
        takeText(event);
      } else if (type === 'completion') {
        completion = content ?? completion;
        complete = true;
      } else if (type === 'result') {
        if (isPlain(content)) result = content;
        complete ||= isPlain(content);
      } else if (dialect.sourceOf.has(type)) {
        takeGroup(type, content);
      } else if (OTHER_PARTS.has(type)) {
        others.set(type, content);
      } else if (type === '' && isWholeAnswer(dialect, event)) {
        result = event;
        complete = true;
      } else {
        events--;
      }
    },
    fail(words: string): void {
      error ??= readErrorValue(words).message ?? 'the stream holds an error without words';
    },
    get complete() {
      return complete;
    },
    get error() {
      return error;
    },
    get events() {
      return events;
    },
    wire(): Plain {
      const pieces = texts.get(summaryRole);
      const gathered: Plain = {
        ...Object.fromEntries(groups),
        ...Object.fromEntries(others),
        ...(pieces && { text_chunks: { [summaryRole]: pieces } }),
        completion,
        ...result,
      };
      gathered.texts = Object.fromEntries([...texts].map(([role, all]) => [role, all.join('')]));
      return gathered;
    },
  };
}

/** Members of an answer that may also come as events of their own. */
const OTHER_PARTS = new Set(['miner_link_scores', 'warnings', 'search_completion_links', 'completion_links']);

function isWholeAnswer(dialect: Dialect, event: Plain): boolean {
  return Object.keys(event).some(
    (name) =>
      name === 'completion' ||
      OTHER_PARTS.has(name) ||
      dialect.sourceOf.has(name) ||
      name === wireName(dialect, 'miner_microblog_posts') ||
      /_search_results$/.test(name),
  );
}
