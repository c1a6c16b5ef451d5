/**
 * Faults on demand, so that a client can be tried against what real services do: below `/sandbox`, the
 * header `X-Sandbox-Fault` names one or more, separated by commas. docs/sandbox.md lists them.
 */
import {
  forbiddenBody,
  internalErrorBody,
  tooManyRequestsBody,
  unauthorizedBody,
  validationBody,
} from '../../contract/error-bodies.ts';
import type { AiAnswer } from '../../contract/ai-answer.ts';
import type { MicroblogPost } from '../../contract/post.ts';
import { EMPTY_FORMS, type EmptyForm, type Generation, groupNames, inGeneration } from './generations.ts';
import { withNestedQuote } from './nested.ts';

/** The longest wait that can be asked for: two minutes. */
const SLOW_MOST_MS = 120_000;

export type Faults = {
  /** An error instead of an answer. A body that is a text is a page. */
  status: { code: number; body: unknown } | undefined;
  /** A wait before the answer. */
  slowMs: number;
  /** The answer stops in the middle. */
  truncate: boolean;
  /** Whether the answer's content is changed, by {@link distortAnswer} or {@link distortPosts}. */
  content: ReadonlySet<ContentFault>;
  /** In which of the three shapes that answers of operation A have had. */
  generation: Generation;
  /** How a group that found nothing looks, where not `{organic_results: []}`. */
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
const STATUSES: Readonly<Record<string, () => unknown>> = {
  401: unauthorizedBody,
  402: () => ({ detail: { error_code: 402, message: 'Payment Required', reason: 'Insufficient balance' } }),
  403: () => forbiddenBody('Forbidden API key'),
  422: () =>
    validationBody([{ loc: ['body', 'prompt'], msg: 'A fault that was asked for', type: 'value_error' }]),
  429: () => tooManyRequestsBody(60),
  500: internalErrorBody,
  '503-html': () =>
    '<html><head><title>503 Service Temporarily Unavailable</title></head><body><center><h1>503 Service Temporarily Unavailable</h1></center></body></html>\n',
};

/** The members that can hold a reference, and hold the text "null" under the fault `null-strings`. */
const REFERENCES = [
  'in_reply_to_screen_name',
  'in_reply_to_status_id',
  'in_reply_to_user_id',
  'quoted_status_id',
  'quote',
] as const;

const NO_FAULTS: Faults = {
  status: undefined,
  slowMs: 0,
  truncate: false,
  content: new Set(),
  generation: 1,
  emptyGroup: undefined,
};

/** Reads the header. Words that name no fault are ignored. */
export function readFaults(header: string | string[] | undefined): Faults {
  if (header === undefined) return NO_FAULTS;
  const words = String(header)
    .split(',')
    .map((word) => word.trim().toLowerCase());
  const valueOf = (name: string) =>
    words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  const status = words.find((word) => Object.hasOwn(STATUSES, word));
  const slow = /^\d{1,6}$/.test(valueOf('slow')) ? Number(valueOf('slow')) : 0;
  const generation = valueOf('generation') === '2' ? 2 : valueOf('generation') === '3' ? 3 : 1;
  const emptyGroup = EMPTY_FORMS.find((form) => form === valueOf('empty-group'));

  return {
    status:
      status === undefined ? undefined : { code: Number.parseInt(status, 10), body: STATUSES[status]?.() },
    slowMs: Math.min(slow, SLOW_MOST_MS),
    truncate: words.includes('truncate'),
    content: new Set(CONTENT_FAULTS.filter((fault) => words.includes(fault))),
    generation,
    emptyGroup,
  };
}

/** An answer of operation A under its content faults. */
export function distortAnswer<T extends AiAnswer>(answer: T, { content }: Faults): T {
  const distorted: T = { ...answer };
  const names = groupNames(answer);
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

/** The answer in the shape that was asked for. Streams have one shape only. */
export function shapeAnswer(answer: AiAnswer, { generation, emptyGroup }: Faults): object {
  return generation === 1 && emptyGroup === undefined ? answer : inGeneration(answer, generation, emptyGroup);
}

/** The posts of operation B under their content faults. */
export function distortPosts(posts: readonly MicroblogPost[], { content }: Faults): unknown[] {
  if (content.has('empty')) return [];
  const repeated = content.has('duplicates') ? posts.flatMap((post) => [post, post]) : posts;
  return repeated.map((post) => {
    const fallen = content.has('counters-down') ? { ...post, ...halved(post) } : post;
    const nested = content.has('nested-quotes') ? withNestedQuote(fallen, post) : fallen;
    return content.has('null-strings') ? { ...nested, ...nullStrings(fallen) } : nested;
  });
}

function half(count: number | null): number | null {
  return count === null ? null : Math.floor(count / 2);
}

function halved(post: MicroblogPost) {
  return {
    like_count: half(post.like_count),
    view_count: half(post.view_count),
    impression_count: half(post.impression_count),
    repost_count: half(post.repost_count),
  };
}

function nullStrings(post: MicroblogPost): Record<string, string> {
  return Object.fromEntries(REFERENCES.filter((name) => post[name] === null).map((name) => [name, 'null']));
}
