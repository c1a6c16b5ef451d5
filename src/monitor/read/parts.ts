import { wireName, type Dialect } from '../../contract/dialect.ts';
import type { Operation } from '../../contract/enumerations.ts';
import type { Plain } from '../../contract/plain.ts';
import { first } from './generation/first.ts';
import { isPost, type Parts } from './generation/generation.ts';
import { flatMembers, groupMembers } from './generation/groups.ts';
import { second } from './generation/second.ts';
import { third } from './generation/third.ts';
import { itemsOf } from './items.ts';

const GENERATIONS = [third, second, first];

/** Members of operation A's answer besides its groups; `warnings` alone would be no answer. */
const WRITTEN = [
  'completion',
  'text_chunks',
  'search_completion_links',
  'completion_links',
  'miner_link_scores',
];

/** Operation B's one member, in the wire's name. */
export function postsName(dialect: Dialect): string {
  return wireName(dialect, 'miner_microblog_posts');
}

/** Whether an object has any member that an answer of the operation is made of: `{}` and `{detail}` have none. */
export function isAnswer(answer: Plain, operation: Operation, dialect: Dialect): boolean {
  const flat = flatMembers(answer, dialect);
  if (postsMembers(answer, dialect).length > 0) return true;
  if (operation === 'microblog') return flat.some(([, source]) => source === 'microblog');
  return (
    flat.length > 0 ||
    groupMembers(answer, dialect).length > 0 ||
    WRITTEN.some((member) => Object.hasOwn(answer, member))
  );
}

/** Where the items of an answer stand: by its generation, and in operation B's member wherever it appears. */
export function partsOf(answer: Plain, operation: Operation, dialect: Dialect): Parts {
  const generation = GENERATIONS.find((candidate) => candidate.detect(answer, dialect)) ?? first;
  const { groups, posts } = generation.parts(answer, dialect);
  const own = postsMembers(answer, dialect).map((member) => itemsOf(member, answer[member], isPost));
  return { groups: operation === 'ai' ? groups : [], posts: [...own, ...posts] };
}

function postsMembers(answer: Plain, dialect: Dialect): string[] {
  return Object.keys(answer).filter(
    (member) => (dialect.neutralOf.get(member) ?? member) === 'miner_microblog_posts',
  );
}
