/** Whether stored links were identified by other rules than the current ones. */

import { BUILT_IN_RULES } from '../../model/links/link-identity.ts';
import { describeOutdatedRules } from '../../store/maintenance/link-rules.ts';
import type { Context } from '../context.ts';

export const currentLinkRules = ({ config }: Pick<Context, 'config'>) => ({
  ...BUILT_IN_RULES,
  own: config.linkRules,
});

/** In words, without what to do; null if they were identified by the current rules. */
export function describeOutdatedLinks(ctx: Context): Promise<string | null> {
  return describeOutdatedRules(ctx.db, currentLinkRules(ctx), ctx.clock.now());
}
