/** Whether a rule tells of a discovery. Pure. */
import type { Found } from '../../store/tell/feed.ts';
import type { Rule } from '../../store/tell/rules.ts';
import { type Filter, parseFilter, passes } from './filter.ts';

/** A rule with its filter read. */
export type ReadyRule = Rule & { words: Filter };

export function ready(rule: Rule): ReadyRule {
  return { ...rule, words: parseFilter(rule.filter) };
}

/**
 * A first look is no news, and neither is what was found before the rule was there. A paused rule tells nothing.
 * Spikes are sentences of ours: words filter them as they filter posts and links.
 */
export function tells(rule: ReadyRule, found: Found): boolean {
  if (found.baseline || rule.state !== 'active' || found.id <= rule.after) return false;
  if (rule.topic_id !== null && rule.topic_id !== found.topic_id) return false;
  if (rule.search_id !== null && rule.search_id !== found.search_id) return false;
  return rule.kinds.some((kind) => kind === found.kind) && passes(rule.words, textsOf(found));
}

/** What the words of a filter are looked for in. */
function textsOf(found: Found): (string | null)[] {
  switch (found.kind) {
    case 'post': {
      const { text, author_username, author_name, hashtags } = found.post;
      return [text, author_username, author_name, ...hashtags];
    }
    case 'link':
      return [found.link.title, found.link.snippet, found.link.site];
    case 'spike':
      return [found.spike.sentence];
    case 'completion':
      return [];
  }
}
