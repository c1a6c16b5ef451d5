/**
 * Faults on demand, so that a client can be tried against what real services do: below `/sandbox`, the
 * header `X-Sandbox-Fault` names one or more, separated by commas.
 */
import {
  internalErrorBody,
  tooManyRequestsBody,
  unauthorizedBody,
  validationBody,
} from '../../contract/error-bodies.ts';
import type { ServedAiAnswer } from '../../contract/extras.ts';
import type { MicroblogPost } from '../../contract/post.ts';
import { GROUPS } from '../assemble.ts';

/** The longest wait that can be asked for: two minutes. */
const SLOW_MOST_MS = 120_000;

export type Faults = {
  /** An error instead of an answer. */
  status: { code: number; body: unknown } | undefined;
  /** A wait before the answer. */
  slowMs: number;
  /** The answer stops in the middle. */
  truncate: boolean;
  /** Whether the answer's content is changed, by {@link distortAnswer} or {@link distortPosts}. */
  content: ReadonlySet<ContentFault>;
};
type ContentFault = (typeof CONTENT_FAULTS)[number];

const CONTENT_FAULTS = ['empty', 'null-strings', 'missing-group', 'duplicates', 'counters-down'] as const;
const STATUSES: Readonly<Record<string, () => unknown>> = {
  401: unauthorizedBody,
  422: () =>
    validationBody([{ loc: ['body', 'prompt'], msg: 'A fault that was asked for', type: 'value_error' }]),
  429: () => tooManyRequestsBody(60),
  500: internalErrorBody,
};

/** The members that can hold a reference, and hold the text "null" under the fault `null-strings`. */
const REFERENCES = [
  'in_reply_to_screen_name',
  'in_reply_to_status_id',
  'in_reply_to_user_id',
  'quoted_status_id',
  'quote',
] as const;

/** Reads the header. Words that name no fault are ignored. */
export function readFaults(header: string | string[] | undefined): Faults {
  const words = String(header ?? '')
    .split(',')
    .map((word) => word.trim().toLowerCase());
  const code = words.find((word) => Object.hasOwn(STATUSES, word));
  const slow = words.map((word) => /^slow=(\d{1,6})$/.exec(word)?.[1]).find((ms) => ms !== undefined);
  return {
    status: code === undefined ? undefined : { code: Number(code), body: STATUSES[code]?.() },
    slowMs: Math.min(Number(slow ?? 0), SLOW_MOST_MS),
    truncate: words.includes('truncate'),
    content: new Set(CONTENT_FAULTS.filter((fault) => words.includes(fault))),
  };
}

/** An answer of operation A under its content faults. */
export function distortAnswer(answer: ServedAiAnswer, { content }: Faults): ServedAiAnswer {
  const distorted: ServedAiAnswer = { ...answer };
  const names = Object.values(GROUPS).filter((name) => answer[name] !== undefined);
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

/** The posts of operation B under their content faults. */
export function distortPosts(posts: readonly MicroblogPost[], { content }: Faults): unknown[] {
  if (content.has('empty')) return [];
  const repeated = content.has('duplicates') ? posts.flatMap((post) => [post, post]) : posts;
  return repeated.map((post) => {
    const fallen = content.has('counters-down') ? { ...post, ...halved(post) } : post;
    return content.has('null-strings') ? { ...fallen, ...nullStrings(fallen) } : fallen;
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
