/**
 * From an answer as it came to what was found in it. Pure: no clock, no I/O, and the same bytes always
 * give the same findings, so that a kept answer can be read again by a later reader.
 */
import { wireName, type Dialect } from '../../contract/dialect.ts';
import type { Operation } from '../../contract/enumerations.ts';
import { readErrorValue } from '../../contract/errors.ts';
import { isPlain, own, type Plain } from '../../contract/plain.ts';
import { createStreamReader } from '../../contract/stream.ts';
import { readBody } from './body.ts';
import { readCompletion } from './completion.ts';
import type { Findings } from './findings.ts';
import { first } from './generation/first.ts';
import { isPost, type Parts } from './generation/generation.ts';
import { second } from './generation/second.ts';
import { flatMembers, third } from './generation/third.ts';
import { itemsOf, type Items } from './items.ts';
import { createLinkShelf } from './links.ts';
import { createPostShelf } from './posts.ts';
import { createRejects, UnreadableAnswer } from './reject.ts';

const GENERATIONS = [third, second, first];

export type AnswerInput = {
  operation: Operation;
  /** The decoded body. */
  body: string | Uint8Array;
  contentType: string | null;
  dialect: Dialect;
};

/**
 * Reads a whole answer. An item that cannot be read is a reject and the rest lives.
 * @throws UnreadableAnswer (a RunError) when the answer as a whole is of no use: `bad_json`,
 *   `bad_content_type`, `decode_error`, `stream_incomplete`, or `schema_mismatch`, which is also said of an
 *   answer more than half of whose items cannot be read; it carries the rejects.
 */
export function readAnswer({ operation, body, contentType, dialect }: AnswerInput): Findings {
  const answer = answerOf(readBody(body, contentType), operation, dialect);
  const rejects = createRejects();
  const posts = createPostShelf(dialect, rejects);
  const links = createLinkShelf(rejects);
  const parts = partsOf(answer, dialect);
  let unread = 0;
  let unreadable = 0;

  function take(list: Items & { path: string }, addItem: (item: Items['items'][number]) => boolean): void {
    if (!list.readable) {
      rejects.add(list.path, 'bad_shape', answer[list.path]);
      unreadable++;
    }
    for (const item of list.items) {
      if (!addItem(item)) unreadable++;
    }
    if (list.beyond !== null) {
      rejects.add(list.beyond.path, 'bad_shape', `${list.beyond.count} more items`);
      unread += list.beyond.count;
    }
  }

  for (const list of parts.posts) take(list, posts.add);
  for (const group of parts.groups) take(group, (item) => links.addResult(item, group.source).readable);
  const results = links.size;
  const completion = operation === 'ai' ? readCompletion(answer, dialect, rejects) : null;
  for (const link of completion?.search_completion_links ?? []) links.addAddress(link);

  const found = posts.take();
  const readItems = found.posts.length + results;
  if (unreadable > readItems) {
    throw new UnreadableAnswer('schema_mismatch', {
      detail: `${unreadable} of ${unreadable + readItems} items cannot be read`,
      rejects: rejects.list,
    });
  }
  return {
    ...found,
    links: links.take(),
    completion,
    rejects: [...rejects.list],
    itemsSeen: readItems + unreadable + unread,
  };
}

/** The answer as one object in the wire's names, out of JSON or out of a stream. */
function answerOf(body: ReturnType<typeof readBody>, operation: Operation, dialect: Dialect): Plain {
  const value = body.stream === undefined ? body.value : fromStream(body.stream, dialect);
  const answer = operation === 'microblog' && Array.isArray(value) ? { [postsName(dialect)]: value } : value;
  if (isPlain(answer) && isAnswer(answer, operation, dialect)) return answer;
  const said = isPlain(answer) ? readErrorValue(answer).message : null;
  throw new UnreadableAnswer('schema_mismatch', { detail: said ?? undefined });
}

function fromStream(text: string, dialect: Dialect): Plain {
  const reader = createStreamReader(dialect);
  reader.push(new TextEncoder().encode(text));
  reader.end();
  if (!reader.complete)
    throw new UnreadableAnswer('stream_incomplete', { detail: reader.error ?? undefined });
  return reader.wireAnswer();
}

/** Whether an object has any member that an answer of this operation is made of. */
function isAnswer(answer: Plain, operation: Operation, dialect: Dialect): boolean {
  const has = (member: string) => own(answer, member) !== undefined;
  if (postsMembers(dialect).some(has)) return true;
  if (operation === 'microblog') {
    return flatMembers(answer, dialect).some(([, source]) => source === 'microblog');
  }
  return (
    AI_MEMBERS.some(has) ||
    flatMembers(answer, dialect).length > 0 ||
    GROUP_MEMBERS.some((member) => has(wireName(dialect, member)) || has(member))
  );
}

const AI_MEMBERS = [
  'completion',
  'text_chunks',
  'search_completion_links',
  'completion_links',
  'miner_link_scores',
];
const GROUP_MEMBERS = [
  'web_search_results',
  'video_search_results',
  'news_forum_search_results',
  'discussion_board_search_results',
  'preprint_search_results',
  'encyclopedia_search_results',
];

/** Where the items stand: by generation, and in operation B's own member wherever it appears. */
function partsOf(answer: Plain, dialect: Dialect): Parts {
  const generation = GENERATIONS.find(({ detect }) => detect(answer, dialect)) ?? first;
  const { groups, posts } = generation.parts(answer, dialect);
  const own_ = postsMembers(dialect)
    .filter((member) => own(answer, member) !== undefined)
    .map((member) => ({ path: member, ...itemsOf(member, answer[member], isPost) }));
  return { groups, posts: [...own_, ...posts] };
}

function postsName(dialect: Dialect): string {
  return wireName(dialect, 'miner_microblog_posts');
}

function postsMembers(dialect: Dialect): string[] {
  return [...new Set([postsName(dialect), 'miner_microblog_posts'])];
}
