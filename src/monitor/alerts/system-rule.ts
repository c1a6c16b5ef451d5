/** The rule `system`: it reports problems of strandline itself, exists from the start, and stays. */
import { InvalidInput, type Problem, Refused } from '../../model/errors.ts';
import { SYSTEM_RULE } from '../../model/alerts.ts';
import { hasRuleChannels, lockRule, setRuleChannels } from '../../store/alerts/rule-rows.ts';
import type { Id, Transaction } from '../../store/db/database.ts';

/** @throws Refused `conflict` for the name of the rule `system` */
export function assertNewName(slug: string): void {
  if (slug === SYSTEM_RULE)
    throw new Refused('conflict', `the rule "${slug}" exists from the start; choose another slug`);
}

/** @throws Refused `conflict` for the rule `system` */
export function assertRemovable(slug: string): void {
  if (slug === SYSTEM_RULE)
    throw new Refused(
      'conflict',
      `the rule "${slug}" reports problems of strandline itself and cannot be removed; to stop its messages: strandline rules pause ${slug}`,
    );
}

/** @throws InvalidInput for the rule `system`, which is not about discoveries */
export function assertPreviewable(slug: string): void {
  if (slug !== SYSTEM_RULE) return;
  const expected =
    'another rule: "system" has no preview; the problems that it reported are listed by GET /api/v1/system-events and on the page /alerts';
  throw new InvalidInput([{ path: 'rule', given: slug, expected }]);
}

const FIXED = ['on', 'topic', 'search', 'filter', 'preset', 'digest'] as const;

/**
 * Of the rule `system`, name, channels and times can be changed, and nothing else.
 * @throws InvalidInput
 */
export function assertSystemScope(
  slug: string,
  written: Partial<Record<(typeof FIXED)[number], unknown>>,
): void {
  if (slug !== SYSTEM_RULE) return;
  const expected = 'nothing: the rule "system" reports problems of strandline itself';
  const problems = FIXED.flatMap((path): Problem[] => {
    const value = written[path];
    return value === undefined || value === null || value === '' ? [] : [{ path, given: value, expected }];
  });
  if (problems.length > 0) throw new InvalidInput(problems);
}

/**
 * Gives a new channel to the rule `system` if the rule has none: problems are reported from the first channel on.
 * @returns whether it did
 */
export async function reportProblemsTo(tx: Transaction, channelId: Id): Promise<boolean> {
  const rule = await lockRule(tx, SYSTEM_RULE);
  if (rule === null || (await hasRuleChannels(tx, rule.id))) return false;
  await setRuleChannels(tx, rule.id, [channelId], rule.after);
  return true;
}
