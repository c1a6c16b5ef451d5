/** What was there to be found against what was found: posts missed and late, links first seen. */
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { nextSlot } from '../../src/monitor/schedule/cadence.ts';
import { computePhase } from '../../src/monitor/schedule/schedule.ts';
import { canonicalizeLink } from '../../src/service/ranking/deduplication.ts';
import { matchTopic } from '../../src/service/sandbox/built-in-topics.ts';
import { computePostId } from '../../src/service/sandbox/simulated-posts.ts';
import { createSeedStore } from '../../src/service/sandbox/post-seeds.ts';
import { computeTruth } from '../../src/service/sandbox/ground-truth.ts';
import { type PlannedSearch, promptOf } from './plan.ts';
import { median } from './score.ts';
import type { Sighting } from './store.ts';

export type Span = { seed: string; from: number; to: number };

export type PostHarvest = {
  /** Posts that were there at a slot of the search after they had appeared. */
  there: number;
  missed: number;
  /** Found later than at the first slot after they appeared: an answer was full. */
  late: number;
};

/** Counts for one search. A post that is deleted before the next slot could not be shown, and is not counted. */
export function harvestPosts(
  { topic, slug, everyMinutes }: PlannedSearch,
  { seed, from, to }: Span,
  sightings: readonly Sighting[],
): PostHarvest {
  const seenAt = new Map(sightings.map((one) => [one.externalId, one.seenAt]));
  const schedule = {
    kind: 'every',
    seconds: everyMinutes * 60,
    phase: computePhase(slug, everyMinutes * 60),
  } as const;
  const inWorld = matchTopic(seed, promptOf(topic));
  const seeds = createSeedStore();
  const harvest = { there: 0, missed: 0, late: 0 };
  for (let day = from; day < to; day += DAY) {
    for (const one of seeds.within(inWorld, day, Math.min(day + DAY, to) - 1)) {
      const slot = nextSlot(schedule, one.at - 1);
      if (slot > to || one.goneAt <= slot) continue;
      harvest.there += 1;
      const seen = seenAt.get(computePostId(inWorld, one));
      if (seen === undefined) harvest.missed += 1;
      else if (seen > slot + MINUTE) harvest.late += 1;
    }
  }
  return harvest;
}

export type LinkHarvest = { there: number; found: number; medianDelayHours: number };

/** Relevant links of the span that appeared early enough to be seen, and when they were. */
export function harvestLinks(
  { topic }: PlannedSearch,
  { seed, from, to }: Span,
  seen: ReadonlyMap<string, number>,
): LinkHarvest {
  const { links } = computeTruth(seed, promptOf(topic), new Date(from), new Date(to - DAY));
  const dated = links.flatMap(({ link, first_at, relevant }) =>
    relevant && first_at !== null ? [{ link: canonicalizeLink(link), at: Date.parse(first_at) }] : [],
  );
  const delays = dated.flatMap(({ link, at }) => {
    const first = seen.get(link);
    return first === undefined ? [] : [(first - at) / (60 * MINUTE)];
  });
  return { there: dated.length, found: delays.length, medianDelayHours: median(delays) };
}
