/** Gains and losses of posts and searches, and which posts are still returned. */
import { type Facts, knownCounts, mapCounters, type Post, type Result } from './facts.ts';
import {
  COUNTERS,
  type Counter,
  DAY,
  ENGAGEMENT,
  type History,
  HOUR,
  startOf,
  sumEngagement,
  sumKnown,
  timeText,
} from './responses.ts';

/** A change of a counter between two snapshots that know it; null where one of them does not. */
export type Step = {
  at: number;
  up: Readonly<Record<Counter, number | null>>;
  down: Readonly<Record<Counter, number | null>>;
};

/** One for each snapshot but the first. */
export function listSteps(post: Post): Step[] {
  const known: Partial<Record<Counter, number>> = {};
  return post.snapshots.flatMap(({ at, counts }, i) => {
    const change = mapCounters((counter) => {
      const [now, before] = [counts[counter], known[counter]];
      return now === null || before === undefined ? null : now - before;
    });
    for (const counter of COUNTERS) {
      const now = counts[counter];
      if (now !== null) known[counter] = now;
    }
    if (i === 0) return [];
    const up = mapCounters((counter) => (change[counter] === null ? null : Math.max(change[counter], 0)));
    const down = mapCounters((counter) => (change[counter] === null ? null : Math.max(-change[counter], 0)));
    return [{ at, up, down }];
  });
}

export function stateGrowth(facts: Facts, history: History) {
  const sight = new Map(history.searches.map(({ slug }) => [slug, readSight(facts, slug)]));
  return {
    post_growth: new Map([...facts.posts.values()].map((post) => [post.key, statePostGrowth(post, sight)])),
    posts_in_sight: stateInSight(facts),
    unseen_posts: stateUnseen(facts, sight),
    search_growth_hourly: stateSearchGrowth(facts, HOUR),
    search_growth_daily: stateSearchGrowth(facts, DAY),
  };
}

/** When a search last returned a post, and whether its newest result is without it. */
type Sight = ReadonlyMap<string, { at: number; isDropped: boolean }>;

export function readSight(facts: Facts, slug: string): Sight {
  const results = facts.results.get(slug) ?? [];
  const newest = results.at(-1);
  return new Map(
    [...(facts.sightings.get(slug) ?? [])].map(([key, { at }]) => {
      // A post that no result has, only a response beside it, was last returned when it was first seen.
      const last = results.findLast(({ posts }) => posts.includes(key));
      return [key, { at: last?.at ?? at, isDropped: last === undefined || last !== newest }];
    }),
  );
}

function statePostGrowth(post: Post, sight: ReadonlyMap<string, Sight>) {
  const steps = listSteps(post);
  const seen = [...sight].flatMap(([slug, posts]) => {
    const last = posts.get(post.key);
    return last === undefined ? [] : [{ slug, ...last }];
  });
  const last = seen.toSorted((a, b) => b.at - a.at)[0];
  const isSeenAgain = last !== undefined && last.at > (post.snapshots.at(-1)?.at ?? post.firstSeenAt);
  const counters = COUNTERS.map((counter) => {
    const known = post.seen.flatMap(({ copy }) => copy.counts[counter] ?? []);
    const unchanged = isSeenAgain && known.length > 0 ? 0 : null;
    const sum = (of: 'up' | 'down') => sumKnown(steps.map((step) => step[of][counter])) ?? unchanged;
    return { counter, first: known[0] ?? null, gained: sum('up'), lost: sum('down') };
  });
  return {
    first_seen_at: timeText(post.firstSeenAt),
    last_seen_at: last === undefined ? null : timeText(last.at),
    last_seen_by: last?.slug ?? null,
    not_seen_since: last !== undefined && seen.every(({ isDropped }) => isDropped) ? timeText(last.at) : null,
    changed_at: steps.length === 0 ? null : timeText(steps.at(-1)?.at ?? 0),
    ...statePace(post, last?.at, isSeenAgain),
    engagement: sumEngagement(post.counts),
    gained_engagement: sumEngagement(
      Object.fromEntries(counters.map(({ counter, gained }) => [counter, gained])),
    ),
    ...Object.fromEntries(
      counters.flatMap(({ counter, first, gained, lost }) => [
        [`first_${counter}`, first],
        [counter, post.counts[counter]],
        [`gained_${counter}`, gained],
        [`lost_${counter}`, lost],
      ]),
    ),
  };
}

/**
 * What the last change gained per hour, from the snapshot before it until the post was last seen: it falls with each run
 * that sees no change.
 */
function statePace(post: Post, lastSeenAt: number | undefined, isSeenAgain: boolean) {
  const [before, change] = [post.snapshots.at(-2), listSteps(post).at(-1)];
  if (before === undefined || change === undefined) {
    const isKnown = (counter: Counter) => isSeenAgain && post.counts[counter] !== null;
    return {
      likes_per_hour: isKnown('like_count') ? 0 : null,
      engagement_per_hour: ENGAGEMENT.some(isKnown) ? 0 : null,
    };
  }
  const hours = (Math.max(lastSeenAt ?? change.at, change.at) - before.at) / HOUR;
  const { like_count: likes } = change.up;
  const engagement = sumEngagement(change.up);
  return {
    likes_per_hour: likes === null ? null : likes / hours,
    engagement_per_hour: engagement === null ? null : engagement / hours,
  };
}

function stateInSight(facts: Facts): ReadonlyMap<string, unknown> {
  return new Map(
    [...facts.results].flatMap(([slug, results]) => {
      const newest = results.at(-1);
      return (newest?.posts ?? []).flatMap((key) => {
        const post = facts.posts.get(key);
        if (post === undefined || newest === undefined) return [];
        return [
          [
            `${key} of ${slug}`,
            { last_seen_at: timeText(newest.at), engagement: sumEngagement(post.counts) },
          ] as const,
        ];
      });
    }),
  );
}

function stateUnseen(facts: Facts, sight: ReadonlyMap<string, Sight>): ReadonlyMap<string, unknown> {
  return new Map(
    [...sight].flatMap(([slug, posts]) =>
      [...posts].flatMap(([key, { at, isDropped }]) => {
        const post = facts.posts.get(key);
        if (!isDropped || post === undefined) return [];
        const isElsewhere = [...sight].some(
          ([other, seen]) => other !== slug && seen.get(key)?.isDropped === false,
        );
        return [
          [
            `${key} of ${slug}`,
            {
              not_seen_since: timeText(at),
              seen_elsewhere: isElsewhere,
              engagement: sumEngagement(post.counts),
            },
          ] as const,
        ];
      }),
    ),
  );
}

type Growth = {
  looks: number;
  followed: number;
  changes: number;
  up: (Counts | null)[];
  down: (Counts | null)[];
};
type Counts = Readonly<Record<Counter, number | null>>;

/**
 * Growth of the posts of a search, in the span in which it was observed. A change counts for every search that had seen the
 * post before, whichever search observed it.
 */
function stateSearchGrowth(facts: Facts, span: number): ReadonlyMap<string, unknown> {
  const states = new Map<string, unknown>();
  for (const [slug, sightings] of facts.sightings) {
    const spans = new Map<number, Growth>();
    const at = (time: number): Growth => {
      const start = startOf(span, time);
      const growth = spans.get(start) ?? { looks: 0, followed: 0, changes: 0, up: [], down: [] };
      spans.set(start, growth);
      return growth;
    };
    for (const { post, at: seenAt } of sightings.values())
      for (const step of listSteps(post))
        if (step.at > seenAt) {
          const growth = at(step.at);
          growth.changes += 1;
          growth.up.push(step.up);
          growth.down.push(step.down);
        }
    for (const result of facts.results.get(slug) ?? []) {
      const growth = at(result.at);
      growth.looks += 1;
      const followed = result.posts.flatMap((key) => {
        const sighting = sightings.get(key);
        return sighting !== undefined && sighting.at < result.at ? [sighting.post] : [];
      });
      growth.followed += followed.length;
      const unchanged = followed.map((post) => countUnchanged(post, result));
      growth.up.push(...unchanged);
      growth.down.push(...unchanged);
    }
    for (const [start, { looks, followed, changes, up, down }] of spans) {
      const sum = (of: readonly (Counts | null)[]) =>
        mapCounters((counter) => sumKnown(of.map((counts) => counts?.[counter] ?? null)));
      const [gained, lost] = [sum(up), sum(down)];
      states.set(`${slug} at ${timeText(start)}`, {
        looks,
        followed,
        changes,
        gained_engagement: sumEngagement(gained),
        ...Object.fromEntries(
          COUNTERS.flatMap((counter) => [
            [`gained_${counter}`, gained[counter]],
            [`lost_${counter}`, lost[counter]],
          ]),
        ),
      });
    }
  }
  return states;
}

/** The gain of a known counter is 0, where a result has the post unchanged. What changed is in its steps. */
function countUnchanged(post: Post, { at }: Result): Counts | null {
  if (post.snapshots.some((snapshot) => snapshot.at === at)) return null;
  const known = knownCounts(post, at);
  return mapCounters((counter) => (known[counter] === null ? null : 0));
}
