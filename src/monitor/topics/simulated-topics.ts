/** Topics that people created with simulated data, although real sources are reachable now. */

import { listRunningSimulated } from '../../store/topics.ts';
import type { Context } from '../context.ts';

/** Their slugs, without the sample, the demo and paused ones; none while no source is reachable, which is not checked without need. */
export async function listTopicsToRewatch(
  ctx: Pick<Context, 'config' | 'db' | 'ownSources'>,
): Promise<string[]> {
  const simulated = await listRunningSimulated(ctx.db.pool);
  if (simulated.length === 0) return [];
  const isReal = ctx.config.hosted !== undefined || (await ctx.ownSources()) === 'answering';
  return isReal ? simulated : [];
}

const MAX_NAMED = 5;

/** A sentence that names them, and the command for the first. */
export function describeTopicsToRewatch(slugs: readonly string[]): { words: string; advice: string } {
  const [first = ''] = slugs;
  const more = slugs.length - MAX_NAMED;
  const named = [...slugs.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])];
  return {
    words: `simulated although real sources are reachable: ${named.join(', ')}`,
    advice: `to start the same searches on real ones: strandline topic rewatch ${first}`,
  };
}
