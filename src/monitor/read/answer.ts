/**
 * From an answer as it came to what was found in it. Pure: no clock, no I/O, and the same bytes always
 * give the same findings, so that a kept answer can be read again by a later reader.
 */
import type { Dialect } from '../../contract/dialect.ts';
import type { Operation } from '../../contract/enumerations.ts';
import { readErrorValue } from '../../contract/errors.ts';
import { isPlain, type Plain } from '../../contract/plain.ts';
import { createStreamReader } from '../../contract/stream.ts';
import { atOnce, type Turns } from '../../contract/turns.ts';
import { readBody, type Body } from './body.ts';
import { readClaims } from './claims.ts';
import { readCompletion } from './completion.ts';
import { saidElsewhere } from './elsewhere.ts';
import type { Findings } from './findings.ts';
import type { Item, Items, Taken } from './items.ts';
import { createLinkShelf } from './links.ts';
import { isAnswer, partsOf, postsName } from './parts.ts';
import { createPostShelf } from './posts.ts';
import { createRejects, UnreadableAnswer, type Rejects } from './reject.ts';
import { readWarnings } from './warnings.ts';

export type AnswerInput = {
  operation: Operation;
  /** The body, decompressed. */
  body: string | Uint8Array;
  /** Of the response; only used to say what is wrong with a body that cannot be read. */
  contentType: string | null;
  dialect: Dialect;
};

/**
 * Reads a whole answer. An item that cannot be read becomes a reject, and the rest lives.
 * @throws UnreadableAnswer (a RunError) when the answer as a whole is of no use: `bad_json`,
 *   `bad_content_type`, `decode_error`, `stream_incomplete`, `too_large` or `schema_mismatch`. The last is
 *   also said where more than half of the items cannot be read; the error carries the rejects.
 */
export function readAnswer(input: AnswerInput): Findings {
  return atOnce(readingAnswer(input));
}

/** {@link readAnswer} as work that pauses: no step between two pauses takes long, whatever the answer holds. */
export function* readingAnswer({ operation, body, contentType, dialect }: AnswerInput): Turns<Findings> {
  const answer = yield* answerOf(yield* readBody(body, contentType), operation, dialect);
  yield;
  const parts = partsOf(answer, operation, dialect);
  const rejects = createRejects();
  const posts = createPostShelf(dialect, rejects);
  const links = createLinkShelf(rejects);
  const count = { read: 0, refused: 0, unreadable: 0, beyond: 0 };

  for (const list of parts.posts) {
    yield* take(list, (item) => posts.add(item), rejects, count);
  }
  for (const group of parts.groups) {
    yield* take(group, (item) => links.addResult(item, group.source), rejects, count);
  }
  const found = posts.take();
  const read = found.posts.length + links.size;
  if (count.unreadable > read) {
    throw new UnreadableAnswer('schema_mismatch', {
      detail: `${count.unreadable} of ${count.unreadable + read} items cannot be read`,
      rejects: rejects.list,
    });
  }
  yield;
  const written = operation === 'ai' ? readCompletion(answer, dialect, rejects) : null;
  if (written !== null) {
    const saidOf = saidElsewhere(found.posts, written.key_items);
    for (const link of written.search_completion_links) links.addAddress(link, saidOf(link));
  }
  const itemsSeen = found.posts.length + links.size + count.refused + count.unreadable + count.beyond;
  const warnings = readWarnings(answer.warnings);
  const results = { ...found, links: links.take() };
  const claims = written && (yield* readClaims(written, results));
  const completion = written && claims && { ...written, claims };
  return { ...results, completion, warnings, rejects: [...rejects.list], itemsSeen };
}

/** Adds every item of a list, and counts what became of them and how many lay beyond the most we read. */
function* take(
  { path, items, beyond, wrong }: Items,
  add: (item: Item) => Taken,
  rejects: Rejects,
  count: Record<Taken | 'beyond', number>,
): Turns<void> {
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
function* answerOf(body: Body, operation: Operation, dialect: Dialect): Turns<Plain> {
  const value = body.stream === undefined ? body.value : yield* readStream(body.stream, dialect);
  const answer = operation === 'microblog' && Array.isArray(value) ? { [postsName(dialect)]: value } : value;
  if (isPlain(answer) && isAnswer(answer, operation, dialect)) return answer;
  const said = isPlain(answer) ? readErrorValue(answer).message : null;
  throw new UnreadableAnswer('schema_mismatch', { detail: said ?? undefined });
}

/** Characters of a stream that are read in one go. */
const PIECE = 65_536;

function* readStream(text: string, dialect: Dialect): Turns<Plain> {
  const reader = createStreamReader(dialect);
  for (let at = 0; at < text.length; at += PIECE) {
    reader.push(text.slice(at, at + PIECE));
    yield;
  }
  reader.end();
  if (reader.complete) return reader.wireAnswer();
  throw new UnreadableAnswer('stream_incomplete', { detail: reader.error ?? undefined });
}
