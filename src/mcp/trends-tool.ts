/** How much is posted, compared with what is usual. */
import { formatCount, formatPercent, formatTenths, formatWhole } from '../lib/display-format.ts';
import { findScope, findSearches } from '../monitor/topics/find-by-slug.ts';
import { LEARNING_HOURS } from '../monitor/trends/rules/spike-detection.ts';
import { composeReason } from '../monitor/trends/rules/reason-sentence.ts';
import { composeSpikeSentence } from '../monitor/trends/rules/spike-sentence.ts';
import { composeStateSentence } from '../monitor/trends/rules/state-sentence.ts';
import { estimateVolume } from '../monitor/trends/rules/volume-comparison.ts';
import { readTrends, type SearchTrend, type VolumeBucket } from '../monitor/trends/search-trends.ts';
import { isBehind } from '../model/figures-lag.ts';
import { findOldest, readDerivedUntil } from '../store/derive/pending-derivations.ts';
import { declareTool } from './tool.ts';
import { search, topic } from './tool-inputs.ts';
import { createTimeWriter, MAX_WHY, quote, QUOTED_NOTICE } from './tool-text.ts';
import { z } from 'zod';

const MAX_SEARCHES = 20;
const MAX_DAYS_LISTED = 31;
const MAX_SPIKES = 3;

export const trendsTool = declareTool({
  name: 'trends',
  title: 'Trends',
  description:
    'Posts over time of each search: volume of each 24 hours, what is usual, spikes, and states such as rising or silent. What was not observed is "-", which is not zero.',
  scope: 'read',
  input: z.strictObject({
    topic,
    search,
    days: z.int().min(1).max(90).default(7).describe('How many days back.'),
  }),
  run: async ({ ctx, base }, { days, ...named }) => {
    const now = ctx.clock.now();
    const scope = await findScope(ctx.db, named);
    const searches = await findSearches(ctx.db, scope);
    // Searches that only answer have no volume.
    const counted = searches.filter(({ operation }) => operation === 'microblog');
    const asOf = findOldest(await readDerivedUntil(ctx.db, scope));
    const trends = await readTrends(ctx, counted.slice(0, MAX_SEARCHES), { days, hoursEach: 24 });
    const [first] = trends;
    if (first === undefined) return 'No search of posts here, so there is no volume; see overview.';
    return [
      `${formatCount(days, 'day')} up to ${createTimeWriter('UTC', now)(first.until)}, UTC. Each list has the posts of 24 hours, oldest first; "-" was not observed.`,
      ...(asOf !== null && isBehind(asOf, now)
        ? [`Figures as of ${asOf.toISOString()}; later runs are being counted.`]
        : []),
      ...(trends.some(({ spikes }) => spikes.some(({ reason }) => reason !== null)) ? [QUOTED_NOTICE] : []),
      ...trends.flatMap((trend) => describeTrend(trend, now, base)),
      ...(counted.length > MAX_SEARCHES
        ? [`and ${counted.length - MAX_SEARCHES} more searches; name a topic or search`]
        : []),
    ].join('\n');
  },
});

function describeTrend(trend: SearchTrend, now: Date, base: string): string[] {
  const { search: slug, topic: of, posts, coverage, lower_bound, usual_per_day, ratio, learning } = trend;
  const facts = [
    `${lower_bound ? 'at least ' : ''}${formatCount(posts, 'post')}`,
    `${formatPercent(coverage)} of the time observed`,
    ...(usual_per_day === null ? [] : [`usual ${formatTenths(usual_per_day)} a day`]),
    ...(ratio === null ? [] : [`${formatTenths(ratio)}x the time before of the same length`]),
  ];
  const reader = { zone: 'UTC', now };
  const spikes = trend.spikes.toSorted((a, b) => b.score - a.score).slice(0, MAX_SPIKES);
  return [
    `${slug} (${of}): ${facts.join('; ')}. ${base}/searches/${slug}`,
    ...(learning
      ? [
          `  Too little was observed to detect spikes: ${Math.floor(trend.observed_hours)} of ${LEARNING_HOURS} hours.`,
        ]
      : []),
    ...(trend.buckets.length <= MAX_DAYS_LISTED ? [`  ${trend.buckets.map(writeVolume).join(', ')}`] : []),
    ...trend.states.map((state) => `  ${composeStateSentence(state, reader)}`),
    ...spikes.map((spike) => {
      const why = composeReason(spike, reader);
      return `  Spike: ${composeSpikeSentence(spike, reader)}${why === null ? '' : ` ${quote(why, MAX_WHY)}`}`;
    }),
    ...(trend.spikes.length > spikes.length ? [`  The strongest of ${trend.spikes.length} spikes.`] : []),
  ];
}

function writeVolume({ posts, observed_posts, coverage, lower_bound }: VolumeBucket): string {
  const n = estimateVolume({ posts, observedPosts: observed_posts, coverage, lowerBound: lower_bound });
  return n === null ? '-' : `${lower_bound ? '>=' : ''}${formatWhole(Math.round(n))}`;
}
