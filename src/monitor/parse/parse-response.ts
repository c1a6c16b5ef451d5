/**
 * From an answer as it came to what was found in it. Pure: no clock, no I/O, and the same bytes always
 * give the same findings, so that a kept answer can be read again by a later reader.
 */

import { type Cooperative, runToEnd } from '../../domain/cooperative.ts';
import type { Operation } from '../../domain/enumerations.ts';
import type { ParsedResults } from '../../domain/parsed-results.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import { readErrorValue } from '../../protocol/error-body.ts';
import {
  isPlain,
  MAX_VALUES,
  type ParsedJson,
  parseJsonCooperatively,
  type Plain,
} from '../../protocol/json.ts';
import { createStreamReader, isEventStream, isEventStreamType } from '../../protocol/stream.ts';
import { parseCompletion } from './parse-completion.ts';
import { createLinkCollector, indexMentions } from './parse-links.ts';
import { createPostCollector } from './parse-posts.ts';
import { parseStatements } from './parse-statements.ts';
import { createRejects, parseWarnings, type Rejects, UnreadableResponse } from './rejects-and-warnings.ts';
import {
  isResponseObject,
  type Item,
  type ItemList,
  type ItemOutcome,
  locateParts,
  namePostsMember,
} from './response-generations.ts';

type ResponseInput = {
  operation: Operation;
  /** The body, decompressed. */
  body: string | Uint8Array;
  /** Of the response; only used to say what is wrong with a body that cannot be read. */
  contentType: string | null;
  dialect: Dialect;
};

/**
 * Reads a whole answer. An item that cannot be read becomes a reject, and the rest lives.
 * @throws UnreadableResponse (a RunError) when the answer as a whole is of no use: `bad_json`,
 *   `bad_content_type`, `decode_error`, `stream_incomplete`, `too_large` or `schema_mismatch`. The last is
 *   also said where more than half of the items cannot be read; the error carries the rejects.
 */
export function parseResponse(input: ResponseInput): ParsedResults {
  return runToEnd(parseResponseInSteps(input));
}

/** {@link parseResponse} as work that pauses: no step between two pauses takes long, whatever the answer holds. */
export function* parseResponseInSteps({
  operation,
  body,
  contentType,
  dialect,
}: ResponseInput): Cooperative<ParsedResults> {
  const answer = yield* decodeResponse(yield* parseBody(body, contentType), operation, dialect);
  yield;
  const parts = locateParts(answer, operation, dialect);
  const rejects = createRejects();
  const posts = createPostCollector(dialect, rejects);
  const links = createLinkCollector(rejects);
  const count = { read: 0, refused: 0, unreadable: 0, beyond: 0 };

  for (const list of parts.posts) {
    yield* collectItems(list, (item) => posts.add(item), rejects, count);
  }
  for (const group of parts.groups) {
    yield* collectItems(group, (item) => links.addResult(item, group.source), rejects, count);
  }
  const found = posts.take();
  const read = found.posts.length + links.size;
  if (count.unreadable > read) {
    throw new UnreadableResponse('schema_mismatch', {
      detail: `${count.unreadable} of ${count.unreadable + read} items cannot be read`,
      rejects: rejects.list,
    });
  }
  yield;
  const written = operation === 'ai' ? parseCompletion(answer, dialect, rejects) : null;
  if (written !== null) {
    const saidOf = indexMentions(found.posts, written.key_items);
    for (const link of written.search_completion_links) links.addAddress(link, saidOf(link));
  }
  const itemsSeen = found.posts.length + links.size + count.refused + count.unreadable + count.beyond;
  const warnings = parseWarnings(answer.warnings);
  const results = { ...found, links: links.take() };
  const claims = written && (yield* parseStatements(written, results));
  const completion = written && claims && { ...written, claims };
  return { ...results, completion, warnings, rejects: [...rejects.list], itemsSeen };
}

/** Adds every item of a list, and counts what became of them and how many lay beyond the most we read. */
function* collectItems(
  { path, items, beyond, wrong }: ItemList,
  add: (item: Item) => ItemOutcome,
  rejects: Rejects,
  count: Record<ItemOutcome | 'beyond', number>,
): Cooperative<void> {
  for (const item of items) {
    count[add(item)]++;
    yield;
  }
  if (wrong !== undefined) {
    rejects.add(path, 'bad_shape', wrong);
    count.unreadable++;
  }
  if (beyond > 0) {
    rejects.add(`${path}[${items.length}]`, 'too_many', `${beyond} more items`);
    count.beyond += beyond;
  }
}

/** The answer as one object in the wire's names, out of JSON or out of a stream. */
function* decodeResponse(body: ParsedBody, operation: Operation, dialect: Dialect): Cooperative<Plain> {
  const value = body.stream === undefined ? body.value : yield* readStream(body.stream, dialect);
  const answer =
    operation === 'microblog' && Array.isArray(value) ? { [namePostsMember(dialect)]: value } : value;
  if (isPlain(answer) && isResponseObject(answer, operation, dialect)) return answer;
  const said = isPlain(answer) ? readErrorValue(answer).message : null;
  throw new UnreadableResponse('schema_mismatch', { detail: said ?? undefined });
}

/** Characters of a stream that are read in one go. */
const STREAM_PIECE_CHARS = 65_536;

function* readStream(text: string, dialect: Dialect): Cooperative<Plain> {
  const reader = createStreamReader(dialect);
  for (let at = 0; at < text.length; at += STREAM_PIECE_CHARS) {
    reader.push(text.slice(at, at + STREAM_PIECE_CHARS));
    yield;
  }
  reader.end();
  if (reader.complete) return reader.wireAnswer();
  throw new UnreadableResponse('stream_incomplete', { detail: reader.error ?? undefined });
}

/** A body is an event stream (as text) or a JSON value. */
type ParsedBody = { stream: string; value?: undefined } | { stream?: undefined; value: unknown };

/**
 * What an answer's bytes hold. The body itself decides, the content type only helps to name what is wrong:
 * JSON has come as text/html, and event streams under no type at all.
 * @throws UnreadableResponse `decode_error`, `bad_content_type`, `bad_json`, `schema_mismatch` or `too_large`
 */
export function* parseBody(body: string | Uint8Array, contentType: string | null): Cooperative<ParsedBody> {
  const text = decodeText(body);
  yield;
  if (text === '') throw new UnreadableResponse('bad_json', { detail: 'the body is empty' });
  if (isEventStream(text)) return { stream: text };
  const parsed = checkParsed(yield* parseJsonCooperatively(text));
  if (parsed !== undefined) return yield* unwrapText(parsed.value);
  if (isEventStreamType(contentType)) return { stream: text };
  // Words of our own: a body that is no answer may echo the request, and with it the key.
  if (text.startsWith('<'))
    throw new UnreadableResponse('bad_content_type', { detail: 'the body is a page' });
  const isJson = /^\s*$|json|text\/plain|octet-stream/i.test(contentType ?? '');
  throw new UnreadableResponse(isJson ? 'bad_json' : 'bad_content_type', { detail: 'the body is not JSON' });
}

/** The whole answer may be a JSON string that holds the answer: JSON again, or an event stream. */
function* unwrapText(value: unknown): Cooperative<ParsedBody> {
  if (typeof value !== 'string') return { value };
  const text = value.trim();
  yield;
  if (isEventStream(text)) return { stream: text };
  const parsed = checkParsed(yield* parseJsonCooperatively(text));
  if (parsed !== undefined) return { value: parsed.value };
  throw new UnreadableResponse('schema_mismatch', { detail: 'a text, and no answer in it' });
}

/** What was parsed, undefined where it is not JSON. @throws UnreadableResponse where it holds too many values. */
function checkParsed(parsed: ParsedJson): { value: unknown } | undefined {
  if (parsed.problem === undefined) return parsed;
  if (parsed.problem === 'not_json') return undefined;
  throw new UnreadableResponse('too_large', { detail: `more than ${MAX_VALUES} members and items` });
}

function decodeText(body: string | Uint8Array): string {
  return (typeof body === 'string' ? body : decodeBytes(body)).replace(/^\uFEFF/, '').trim();
}

/**
 * Bytes to text: UTF-8, where what is invalid becomes U+FFFD, or UTF-16 where a byte order mark or the
 * zeros of ASCII say so. Bytes that are still compressed are no text.
 */
function decodeBytes(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0x1f && second === 0x8b) {
    throw new UnreadableResponse('decode_error', { detail: 'the body is still compressed' });
  }
  return new TextDecoder(detectEncoding(first, second)).decode(bytes);
}

function detectEncoding(first: number | undefined, second: number | undefined): string {
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined && second !== 0)) {
    return 'utf-16be';
  }
  return 'utf-8';
}
