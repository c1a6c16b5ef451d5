/**
 * Parses a raw response into results. Pure: no clock, no I/O, and the same bytes, received at the same time, always give the
 * same results, so that a stored response can be parsed again by a later version.
 */

import { formatCount } from '../../lib/display-format.ts';
import { type Cooperative, runToEnd } from '../../lib/cooperative.ts';
import type { Operation } from '../../model/enumerations.ts';
import type { LinkRef, ParsedCompletion, ParsedResults } from '../../model/parsed-results.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import { readErrorValue } from '../../protocol/error-body.ts';
import { isPlain, own, type Plain } from '../../lib/json-values.ts';
import { MAX_VALUES, type ParsedJson, parseJsonCooperatively } from '../../protocol/json.ts';
import { createStreamReader, isEventStream, isEventStreamType } from '../../protocol/stream.ts';
import { parseCompletion } from './parse-completion.ts';
import { createLinkCollector, distinctLinks, indexMentions, listKeyItemSources } from './parse-links.ts';
import { parseOpenedPages, parsePlan } from './parse-plan.ts';
import { createPostCollector } from './parse-posts.ts';
import { type CitationResolver, createCitationResolver, parseStatements } from './parse-statements.ts';
import { parseSourceReports } from './parse-source-reports.ts';
import { reportTools } from './parse-tools.ts';
import { createRejects, parseWarnings, type Rejects, UnreadableResponse } from './rejects-and-warnings.ts';
import {
  isResponseObject,
  type Item,
  type ItemList,
  type ItemOutcome,
  locateParts,
  countItemsBySource,
  namePostsMember,
} from './response-generations.ts';

type ResponseInput = {
  operation: Operation;
  /** The body, decompressed. */
  body: string | Uint8Array;
  /** Only used to explain why a body cannot be parsed. */
  contentType: string | null;
  dialect: Dialect;
  /** When the response was received, for times such as "17 hours ago"; without it, these are unknown. */
  receivedAt?: Date;
};

/**
 * Parses a response. An invalid item becomes a reject and does not affect the others.
 * @throws UnreadableResponse (a RunError) if the response cannot be used: `bad_json`, `bad_content_type`, `decode_error`,
 *   `stream_incomplete`, `too_large`, or `schema_mismatch`, also if more than half of the items are invalid; the error has the
 *   rejects
 */
export function parseResponse(input: ResponseInput): ParsedResults {
  return runToEnd(parseResponseInSteps(input));
}

/** {@link parseResponse} as cooperative work: no step between two pauses takes long, whatever the response contains. */
export function* parseResponseInSteps({
  operation,
  body,
  contentType,
  dialect,
  receivedAt,
}: ResponseInput): Cooperative<ParsedResults> {
  const answer = yield* decodeResponse(yield* parseBody(body, contentType), operation, dialect);
  yield;
  const parts = locateParts(answer, operation, dialect);
  const rejects = createRejects();
  const posts = createPostCollector(dialect, rejects);
  const links = createLinkCollector(rejects, receivedAt);
  const count = { read: 0, refused: 0, unreadable: 0, beyond: 0 };

  for (const list of parts.posts) {
    yield* collectItems(list, (item) => posts.add(item), rejects, count);
  }
  for (const group of parts.groups) {
    yield* collectItems(group, (item) => links.addResult(item, group.source), rejects, count);
  }
  const collected = posts.take();
  const read = collected.posts.length + links.size;
  if (count.unreadable > read) {
    throw new UnreadableResponse('schema_mismatch', {
      detail: `${count.unreadable} of ${formatCount(count.unreadable + read, 'item')} cannot be parsed`,
      rejects: rejects.list,
    });
  }
  yield;
  const written = operation === 'ai' ? yield* parseCompletion(answer, dialect, rejects) : null;
  if (written !== null) {
    const findMention = yield* indexMentions(collected.posts, written.key_items);
    for (const link of written.search_completion_links) links.addAddress(link, findMention(link));
  }
  const itemsSeen = collected.posts.length + links.size + count.refused + count.unreadable + count.beyond;
  const warnings = parseWarnings(answer.warnings);
  const results = { ...collected, links: links.take() };
  const toCitation = yield* createCitationResolver(results);
  const claims = written && (yield* parseStatements(written, toCitation));
  const completion = written &&
    claims && { ...(yield* spellAsReturned(written, claims, toCitation)), claims };
  const groups = countItemsBySource(answer, operation, dialect, parts);
  const mentioned = listKeyItemSources(written?.key_items ?? []);
  const tools = reportTools({ answer, operation, dialect, groups, mentioned, warnings });
  const plan = parsePlan(answer.plan);
  const pages = parseOpenedPages(answer.plan);
  const ownSources = parseSourceReports(own(answer, 'own_sources'));
  return {
    ...results,
    completion,
    warnings,
    tools,
    plan,
    pages,
    ownSources,
    rejects: [...rejects.list],
    itemsSeen,
  };
}

/**
 * The links of a completion that is a text come from its citations, where services escape some characters. What a statement cites is
 * among them, also where a number stands for one address in the statement and for another in the whole text.
 */
function* spellAsReturned<T extends Pick<ParsedCompletion, 'completion_links'>>(
  written: T,
  claims: ParsedCompletion['claims'],
  toCitation: CitationResolver,
): Cooperative<T> {
  const links: LinkRef[] = [];
  for (const link of written.completion_links) {
    const { canonical, address, site } = toCitation(link);
    links.push({ canonical, address, site });
    yield;
  }
  for (const { citations } of claims)
    for (const { canonical, address, site } of citations) links.push({ canonical, address, site });
  return { ...written, completion_links: distinctLinks(links) };
}

/** Adds every item of a list, and counts outcomes and items beyond the limit. */
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
    rejects.add(`${path}[${items.length}]`, 'too_many', formatCount(beyond, 'more item'));
    count.beyond += beyond;
  }
}

/** The response as one object with wire names, from JSON or a stream. */
function* decodeResponse(body: ParsedBody, operation: Operation, dialect: Dialect): Cooperative<Plain> {
  const value = body.stream === undefined ? body.value : yield* readStream(body.stream, dialect);
  const answer =
    operation === 'microblog' && Array.isArray(value) ? { [namePostsMember(dialect)]: value } : value;
  if (isPlain(answer) && isResponseObject(answer, operation, dialect)) return answer;
  const said = isPlain(answer) ? readErrorValue(answer).message : null;
  throw new UnreadableResponse('schema_mismatch', { detail: said ?? undefined });
}

/** Characters of a stream parsed per step. */
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
 * Decodes a body. The body itself decides what it is; the content type only helps to explain failures: services have sent JSON as
 * text/html, and event streams without a type.
 * @throws UnreadableResponse `decode_error`, `bad_content_type`, `bad_json`, `schema_mismatch` or `too_large`
 */
function* parseBody(body: string | Uint8Array, contentType: string | null): Cooperative<ParsedBody> {
  const text = decodeText(body);
  yield;
  if (text === '') throw new UnreadableResponse('bad_json', { detail: 'the body is empty' });
  if (isEventStream(text)) return { stream: text };
  const parsed = checkParsed(yield* parseJsonCooperatively(text));
  if (parsed !== undefined) return yield* unwrapText(parsed.value);
  if (isEventStreamType(contentType)) return { stream: text };
  // Never quote the body: it may echo the request, including the key.
  if (text.startsWith('<'))
    throw new UnreadableResponse('bad_content_type', { detail: 'the body is an HTML page' });
  const isJson = /^\s*$|json|text\/plain|octet-stream/i.test(contentType ?? '');
  throw new UnreadableResponse(isJson ? 'bad_json' : 'bad_content_type', { detail: 'the body is not JSON' });
}

/** The response may be a JSON string that contains the actual response: JSON again, or an event stream. */
function* unwrapText(value: unknown): Cooperative<ParsedBody> {
  if (typeof value !== 'string') return { value };
  const text = value.trim();
  yield;
  if (isEventStream(text)) return { stream: text };
  const parsed = checkParsed(yield* parseJsonCooperatively(text));
  if (parsed !== undefined) return { value: parsed.value };
  throw new UnreadableResponse('schema_mismatch', { detail: 'a JSON string that contains no response' });
}

/** The parsed value; undefined if it is not JSON. @throws UnreadableResponse if it has too many values */
function checkParsed(parsed: ParsedJson): { value: unknown } | undefined {
  if (parsed.problem === undefined) return parsed;
  if (parsed.problem === 'not_json') return undefined;
  throw new UnreadableResponse('too_large', { detail: `more than ${MAX_VALUES} members and items` });
}

function decodeText(body: string | Uint8Array): string {
  return (typeof body === 'string' ? body : decodeBytes(body)).replace(/^\uFEFF/, '').trim();
}

/**
 * Decodes bytes: as UTF-16 if a byte order mark or zero bytes indicate it, otherwise as UTF-8 with U+FFFD for invalid bytes.
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
