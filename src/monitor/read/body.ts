import { parseJson } from '../../contract/json.ts';
import { isEventStream, isEventStreamType } from '../../contract/stream.ts';
import { UnreadableAnswer } from './reject.ts';

/** A body is an event stream (as text) or a JSON value. */
export type Body = { stream: string; value?: undefined } | { stream?: undefined; value: unknown };

/**
 * What an answer's bytes hold. The body itself decides, the content type only helps to name what is wrong:
 * JSON has come as text/html, and event streams under no type at all.
 * @throws UnreadableAnswer `decode_error`, `bad_content_type`, `bad_json` or `schema_mismatch` (nested without measure)
 */
export function readBody(body: string | Uint8Array, contentType: string | null): Body {
  return bodyOf(typeof body === 'string' ? body : decode(body), contentType);
}

function bodyOf(raw: string, contentType: string | null): Body {
  const text = raw.replace(/^\uFEFF/, '').trim();
  if (text === '') throw new UnreadableAnswer('bad_json', { detail: 'the body is empty' });
  if (isEventStream(text)) return { stream: text };
  const { value, problem } = parseJson(text);
  if (problem === 'too_deep') throw new UnreadableAnswer('schema_mismatch', { detail: 'nested too deep' });
  if (problem === undefined) return unwrap(value);
  if (isEventStreamType(contentType)) return { stream: text };
  // Words of our own: a body that is no answer may echo the request, and with it the key.
  if (text.startsWith('<')) throw new UnreadableAnswer('bad_content_type', { detail: 'the body is a page' });
  const isJson = /^\s*$|json|text\/plain|octet-stream/i.test(contentType ?? '');
  throw new UnreadableAnswer(isJson ? 'bad_json' : 'bad_content_type', { detail: 'the body is not JSON' });
}

/** The whole answer may be a JSON string that holds the answer: JSON again, or an event stream. */
function unwrap(value: unknown): Body {
  if (typeof value !== 'string') return { value };
  const text = value.trim();
  if (isEventStream(text)) return { stream: text };
  const { value: inner, problem } = parseJson(text);
  if (problem !== undefined) {
    throw new UnreadableAnswer('schema_mismatch', { detail: 'a text, and no answer in it' });
  }
  return { value: inner };
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
