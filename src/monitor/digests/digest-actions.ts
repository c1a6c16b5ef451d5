/**
 * What a person can do about a digest, as paths of pages with a button: programs that scan mail open every link, so a link changes
 * nothing. Pure.
 */
import type { DigestItem } from './digest-shapes.ts';

export type DigestAction = { words: string; path: string };

/** Never list a thing for its topic again. */
export function dismissAction({ topic, kind, id }: Pick<DigestItem, 'topic' | 'kind' | 'id'>): DigestAction {
  return { words: 'Not relevant', path: `/topics/${topic}/dismissed?${kind}=${id}` };
}

/** Mute the rule that sent a digest, or a topic of it; and get its digests less often. */
export function listRuleActions(rule: string): DigestAction[] {
  return [
    { words: 'Mute', path: `/alerts/mute?rule=${rule}` },
    { words: 'Fewer', path: `/alerts/rules/${rule}/fewer` },
  ];
}
