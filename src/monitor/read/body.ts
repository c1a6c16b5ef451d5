import { parsingJson, type ParsedJson, VALUES_MAX } from '../../contract/json.ts';
import { isEventStream, isEventStreamType } from '../../contract/stream.ts';
import type { Turns } from '../../contract/turns.ts';
import { UnreadableAnswer } from './reject.ts';

/** A body is an event stream (as text) or a JSON value. */
export type Body = { stream: string; value?: undefined } | { stream?: undefined; value: unknown };

/**
 * What an answer's bytes hold. The body itself decides, the content type only helps to name what is wrong:
 * JSON has come as text/html, and event streams under no type at all.
 * @throws UnreadableAnswer `decode_error`, `bad_content_type`, `bad_json`, `schema_mismatch` or `too_large`
 */
export function* readBody(body: string | Uint8Array, contentType: string | null): Turns<Body> {
  const text = textOf(body);
  yield;
  if (text === '') throw new UnreadableAnswer('bad_json', { detail: 'the body is empty' });
  if (isEventStream(text)) return { stream: text };
  const parsed = within(yield* parsingJson(text));
  if (parsed !== undefined) return yield* unwrap(parsed.value);
  if (isEventStreamType(contentType)) return { stream: text };
  // Words of our own: a body that is no answer may echo the request, and with it the key.
  if (text.startsWith('<')) throw new UnreadableAnswer('bad_content_type', { detail: 'the body is a page' });
  const isJson = /^\s*$|json|text\/plain|octet-stream/i.test(contentType ?? '');
  throw new UnreadableAnswer(isJson ? 'bad_json' : 'bad_content_type', { detail: 'the body is not JSON' });
}

/** The whole answer may be a JSON string that holds the answer: JSON again, or an event stream. */
function* unwrap(value: unknown): Turns<Body> {
  if (typeof value !== 'string') return { value };
  const text = value.trim();
  yield;
  if (isEventStream(text)) return { stream: text };
  const parsed = within(yield* parsingJson(text));
  if (parsed !== undefined) return { value: parsed.value };
  throw new UnreadableAnswer('schema_mismatch', { detail: 'a text, and no answer in it' });
}

/** What was parsed, undefined where it is not JSON. @throws UnreadableAnswer where it holds too many values. */
function within(parsed: ParsedJson): { value: unknown } | undefined {
  if (parsed.problem === undefined) return parsed;
  if (parsed.problem === 'not_json') return undefined;
  throw new UnreadableAnswer('too_large', { detail: `more than ${VALUES_MAX} members and items` });
}

function textOf(body: string | Uint8Array): string {
  return (typeof body === 'string' ? body : decode(body)).replace(/^\uFEFF/, '').trim();
}

/**
 * Bytes to text: UTF-8, where what is invalid becomes U+FFFD, or UTF-16 where a byte order mark or the
 * zeros of ASCII say so. Bytes that are still compressed are no text.
 */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0x1f && second === 0x8b) {
    throw new UnreadableAnswer('decode_error', { detail: 'the body is still compressed' });
  }
  return new TextDecoder(encodingOf(first, second)).decode(bytes);
}

function encodingOf(first: number | undefined, second: number | undefined): string {
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined && second !== 0)) {
    return 'utf-16be';
  }
  return 'utf-8';
}
