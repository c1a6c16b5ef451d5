import { loadDialect } from '../../src/protocol/dialect.ts';
import { isPlain } from '../../src/lib/json-values.ts';

const named = loadDialect('named');
const neutral = loadDialect('neutral');

/** Objects that a member holds, alone or in a list. What is kept as given (`entities`, `media`) is not walked. */
const HOLDS: Readonly<Record<string, string>> = {
  'ai_answer.text_chunks': 'text_chunks',
  'ai_answer.completion': 'completion',
  'ai_answer.warnings': 'warning',
  'group.organic_results': 'result',
  'completion.key_posts': 'key_item',
  'completion.key_microblog_posts': 'key_item',
  'completion.key_news': 'key_item',
  'completion.key_sources': 'key_item',
  'microblog_answer.miner_microblog_posts': 'post',
  'post.user': 'user',
  'post.quote': 'post',
  'post.repost': 'post',
  'post.replies': 'post',
};

/** Members of recorded answers, as `post.like_count`, in the words of the specification. */
export function membersOf(answers: readonly unknown[]): Set<string> {
  const members = new Set<string>();
  const walk = (object: string, value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(object, item);
    if (!isPlain(value)) return;
    for (const [wire, held] of Object.entries(value)) {
      const source = object === 'ai_answer' ? named.sourceOf.get(wire) : undefined;
      const flat = source === undefined ? undefined : neutral.groupOf.get(source);
      const member = `${object}.${flat ?? named.neutralOf.get(wire) ?? wire}`;
      members.add(member);
      const inside = source === undefined ? HOLDS[member] : source === 'microblog' ? 'post' : 'result';
      if (inside !== undefined) walk(inside, held);
      else if (member.endsWith('_search_results')) walk('group', held);
    }
  };
  for (const answer of answers)
    walk(isPlain(answer) && 'miner_tweets' in answer ? 'microblog_answer' : 'ai_answer', answer);
  return members;
}
