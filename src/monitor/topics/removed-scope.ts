import type { RuleScope } from './find-by-slug.ts';

/**
 * `The topic was removed on 2026-11-21. This rule finds nothing new until its scope is changed.`
 * @param removedAt as `findScopeRemoval` returns it @returns null unless the scope of the rule was removed
 */
export function describeRemovedScope(
  { search }: Pick<RuleScope, 'search'>,
  removedAt: Date | string | null,
): string | null {
  if (removedAt === null) return null;
  const kind = search === null ? 'topic' : 'search';
  const day = new Date(removedAt).toISOString().slice(0, 10);
  return `The ${kind} was removed on ${day}. This rule finds nothing new until its scope is changed.`;
}
