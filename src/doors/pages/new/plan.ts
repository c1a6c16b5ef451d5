/** The form of a new topic, read into a topic with its searches, and what is wrong with it told by field. */
import type { Problem } from '../../../errors.ts';
import type { NewTopic, TopicSearch } from '../../../monitor/topic/create-topic.ts';
import { one, many } from '../actions/given.ts';
import { atField, requestIn, whenIn } from '../edit/written.ts';
import type { Given } from '../kit/form.tsx';

/** The searches that the form offers, by the names that their fields begin with. */
export const PARTS = {
  posts: { operation: 'microblog', name: 'Posts', every: '15m' },
  ai: { operation: 'ai', name: 'AI search', every: '1h' },
} as const;
export type PartName = keyof typeof PARTS;
export const PART_NAMES = ['posts', 'ai'] as const;

export type Part = { part: PartName; written: TopicSearch };

/** What nobody has typed yet: both searches, over everything. */
export const UNTOUCHED: Given = { searches: PART_NAMES };

/** The searches that are ticked. */
export function partsIn(given: Given): Part[] {
  const chosen = many(given, 'searches');
  return PART_NAMES.filter((part) => chosen.includes(part)).map((part) => ({
    part,
    written: partIn(given, part),
  }));
}

/** One of them, ticked or not. Fields that were not sent say what the form first shows. */
export function partIn(given: Given, part: PartName): TopicSearch {
  const { operation, every } = PARTS[part];
  const request = requestIn(given, `${part}_`, operation);
  const when = whenIn({ [`${part}_every`]: every, ...given }, `${part}_`);
  const tools = given['sent'] === undefined ? undefined : request.tools;
  return {
    ...request,
    ...(operation === 'ai' ? { tools } : {}),
    prompt: request.prompt ?? one(given, 'text'),
    ...when,
  };
}

export function topicIn(given: Given, parts: readonly Part[]): NewTopic {
  return {
    name: one(given, 'name') ?? one(given, 'text') ?? '',
    slug: one(given, 'slug'),
    service: one(given, 'service'),
    searches: parts.map(({ written }) => written),
  };
}

/** What is wrong, each once and at the field where it can be put right. */
export function atFields(
  problems: readonly Problem[],
  given: Given,
  parts: readonly Pick<Part, 'part'>[],
): Problem[] {
  const placed = problems.map((problem) => {
    const [, i, path] = /^searches\[(\d+)\]\.(.+)$/.exec(problem.path) ?? [];
    const part = i === undefined ? undefined : parts[Number(i)]?.part;
    return part === undefined || path === undefined
      ? problem
      : partProblem({ ...problem, path }, given, part);
  });
  // A topic without a name of its own is called by its text.
  const named = one(given, 'name') !== undefined;
  const text = placed.some(({ path }) => path === 'text');
  const moved = placed.flatMap((problem) => {
    if (problem.path !== 'name' || named) return [problem];
    return text ? [] : [{ ...problem, path: 'text' }];
  });
  return [...new Map(moved.map((problem) => [`${problem.path} ${problem.expected}`, problem])).values()];
}

/** The same of one search. */
export function partProblem(problem: Problem, given: Given, part: PartName): Problem {
  if (problem.path === 'service') return problem;
  const placed = atField(problem, `${part}_`);
  return placed.path === `${part}_prompt` && one(given, placed.path) === undefined
    ? { ...placed, path: 'text' }
    : placed;
}
