/**
 * Simulates faults of real services, to test clients. Below `/sandbox`, the header `X-Sandbox-Fault` names one or more,
 * comma-separated. See docs/internals/sandbox.md for the list.
 */

import type { ServedMicroblogResponse } from '../../protocol/extensions.ts';
import type { AiResponse, MicroblogPost, ResultGroup } from '../../protocol/specification.ts';
import {
  forbiddenBody,
  internalErrorBody,
  tooManyRequestsBody,
  unauthorizedBody,
  validationBody,
} from '../../protocol/error-body.ts';
import { type GroupedSource, RESULT_GROUPS } from '../ai-search.ts';
import { findWholeQuote } from '../microblog-search.ts';
import { findQuotedPost } from './simulated-posts.ts';

/** Two minutes. */
const MAX_DELAY_MS = 120_000;

export type Faults = {
  /** An error response. A text body is sent as HTML. */
  status: { code: number; body: unknown } | undefined;
  /** Delay before the response. */
  slowMs: number;
  /** Stop halfway through the response. */
  truncate: boolean;
  /** Changes to the content, by {@link distortResponse} or {@link distortPosts}. */
  content: ReadonlySet<ContentFault>;
  /** Which of the three formats of operation A to use. */
  generation: Generation;
  /** Format of an empty group, if not `{organic_results: []}`. */
  emptyGroup: EmptyForm | undefined;
};
type ContentFault = (typeof CONTENT_FAULTS)[number];

const CONTENT_FAULTS = [
  'empty',
  'null-strings',
  'missing-group',
  'duplicates',
  'counters-down',
  'nested-quotes',
] as const;
const STATUS_BODIES: Readonly<Record<string, () => unknown>> = {
  401: unauthorizedBody,
  402: () => ({ detail: { error_code: 402, message: 'Payment Required', reason: 'Insufficient balance' } }),
  403: () => forbiddenBody('Forbidden API key'),
  422: () =>
    validationBody([{ loc: ['body', 'prompt'], msg: 'Simulated validation error', type: 'value_error' }]),
  429: () => tooManyRequestsBody(60),
  500: internalErrorBody,
  '503-html': () =>
    '<html><head><title>503 Service Temporarily Unavailable</title></head><body><center><h1>503 Service Temporarily Unavailable</h1></center></body></html>\n',
};

/** Members that can contain a reference; the fault `null-strings` sets them to the text "null". */
const REFERENCES = [
  'in_reply_to_screen_name',
  'in_reply_to_status_id',
  'in_reply_to_user_id',
  'quoted_status_id',
  'quote',
] as const;

/** Parses the header. Ignores unknown names. */
export function readFaults(header: string | string[]): Faults {
  const words = String(header)
    .split(',')
    .map((word) => word.trim().toLowerCase());
  const valueOf = (name: string) =>
    words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  const status = words.find((word) => Object.hasOwn(STATUS_BODIES, word));
  const slow = /^\d{1,6}$/.test(valueOf('slow')) ? Number(valueOf('slow')) : 0;
  const generation = valueOf('generation') === '2' ? 2 : valueOf('generation') === '3' ? 3 : 1;
  const emptyGroup = EMPTY_FORMS.find((form) => form === valueOf('empty-group'));

  return {
    status:
      status === undefined
        ? undefined
        : { code: Number.parseInt(status, 10), body: STATUS_BODIES[status]?.() },
    slowMs: Math.min(slow, MAX_DELAY_MS),
    truncate: words.includes('truncate'),
    content: new Set(CONTENT_FAULTS.filter((fault) => words.includes(fault))),
    generation,
    emptyGroup,
  };
}

/** Applies content faults to a response of operation A. */
export function distortResponse<T extends AiResponse>(answer: T, { content }: Faults): T {
  const distorted: T = { ...answer };
  const names = listGroups(answer).map(([name]) => name);
  const [first] = names;
  if (content.has('missing-group') && first !== undefined) delete distorted[first];
  for (const name of names) {
    const items = distorted[name]?.organic_results;
    if (items === undefined) continue;
    if (content.has('empty')) distorted[name] = { organic_results: [] };
    else if (content.has('duplicates')) distorted[name] = { organic_results: [...items, ...items] };
  }
  return distorted;
}

/** Converts the response to the requested format. Streams have only one. */
export function shapeResponse(answer: AiResponse, { generation, emptyGroup }: Faults): object {
  return generation === 1 && emptyGroup === undefined ? answer : toGeneration(answer, generation, emptyGroup);
}

/** Applies content faults to a response of operation B. */
export function distortPosts(answer: ServedMicroblogResponse, { content }: Faults): object {
  const posts = content.has('empty') ? [] : answer.miner_microblog_posts;
  const repeated = content.has('duplicates') ? posts.flatMap((post) => [post, post]) : posts;
  const distorted = repeated.map((post) => {
    const fallen = content.has('counters-down') ? { ...post, ...halveCounters(post) } : post;
    const nested = content.has('nested-quotes') ? nestQuote(fallen, post) : fallen;
    return content.has('null-strings') ? { ...nested, ...writeNullStrings(fallen) } : nested;
  });
  return { ...answer, miner_microblog_posts: distorted };
}

function halveCount(count: number | null): number | null {
  return count === null ? null : Math.floor(count / 2);
}

function halveCounters(post: MicroblogPost) {
  return {
    like_count: halveCount(post.like_count),
    view_count: halveCount(post.view_count),
    impression_count: halveCount(post.impression_count),
    repost_count: halveCount(post.repost_count),
  };
}

function writeNullStrings(post: MicroblogPost): Record<string, string> {
  return Object.fromEntries(REFERENCES.filter((name) => post[name] === null).map((name) => [name, 'null']));
}

/**
 * Formats that responses of operation A have had: 1 is the specification's; 2 has a list of groups in place of each
 * group; 3 is flat, with a text completion that cites by bare numbers.
 */
type Generation = 1 | 2 | 3;

/** How services have sent a group without results; undefined: not at all. */
const EMPTY_GROUPS = { list: [], object: {}, null: null, absent: undefined } as const;
type EmptyForm = keyof typeof EMPTY_GROUPS;
const EMPTY_FORMS = Object.keys(EMPTY_GROUPS) as EmptyForm[]; // Object.keys loses the key type

type GroupName = (typeof RESULT_GROUPS)[GroupedSource] & keyof AiResponse;

/** The groups of a response, in the order of the sources. */
export function listGroups(answer: AiResponse): [GroupName, GroupedSource][] {
  const all = Object.entries(RESULT_GROUPS) as [GroupedSource, GroupName][]; // Object.entries loses the key type
  return all.flatMap(([source, name]) => (answer[name] === undefined ? [] : [[name, source]]));
}

/** Converts a response to a format. */
function toGeneration(
  answer: AiResponse,
  generation: Generation,
  empty: EmptyForm | undefined,
): Record<string, unknown> {
  const { completion, text_chunks, search_completion_links, completion_links, ...rest } = answer;
  const isGroup = new Set<string>(Object.values(RESULT_GROUPS));
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !isGroup.has(name)));
  const groups = listGroups(answer).flatMap(([name, source]): [string, unknown][] => {
    const member = generation === 3 ? source : name;
    const group = answer[name];
    if (group === undefined) return [];
    const isShaped = group.organic_results.length > 0 || empty === undefined;
    return [[member, isShaped ? shapeGroup(group, generation) : EMPTY_GROUPS[empty]]];
  });
  const shapes = Object.fromEntries(groups);
  if (generation !== 3) {
    return { ...others, ...shapes, text_chunks, search_completion_links, completion_links, completion };
  }
  const relevance = ['HIGH', 'MEDIUM', 'LOW'];
  return {
    ...others,
    ...shapes,
    // Links that are in no group count as web results.
    web: collectWebResults(answer),
    completion: completion.summary,
    miner_link_scores: Object.fromEntries(
      search_completion_links.map((link, i) => [link, relevance[Math.min(2, Math.floor(i / 5))]]),
    ),
  };
}

function shapeGroup(group: ResultGroup, generation: Generation): unknown {
  if (generation === 1) return group;
  return generation === 2 ? [group] : group.organic_results;
}

function collectWebResults(answer: AiResponse): { title: string; url: string; snippet: string }[] {
  const grouped = new Set(
    listGroups(answer).flatMap(([name]) => answer[name]?.organic_results.map(({ link }) => link) ?? []),
  );
  return answer.search_completion_links
    .filter((link) => !grouped.has(link))
    .map((link) => ({ title: new URL(link).hostname, url: link, snippet: '' }));
}

/** In twentieths of all quotes. */
const NULL_OF_20 = 9;
const MAX_QUOTE_DEPTH = 3;

/**
 * Nests quotes as later servers do: the whole quoted post replaces its text, or null even though `quoted_status_id` is
 * set, which is the case for nearly half of all quotes.
 * @param sent the post after content faults
 * @param original the same post before them
 */
function nestQuote(sent: MicroblogPost, original: MicroblogPost, depth = 1): object {
  if (!original.is_quote_post) return sent;
  const isNull = Number(BigInt(original.id) % 20n) < NULL_OF_20;
  const quoted =
    isNull || depth > MAX_QUOTE_DEPTH ? undefined : (findWholeQuote(original) ?? findQuotedPost(original));
  return { ...sent, quote: quoted === undefined ? null : nestQuote(quoted, quoted, depth + 1) };
}
