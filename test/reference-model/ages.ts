/** Posts at equal age, what is typical at that age, and posts that rise faster. */
import type { Coverage } from './coverage.ts';
import { type Facts, knownCounts, mapCounters, type Post, type Result, type Sighting } from './facts.ts';
import { listSteps, readSight } from './growth.ts';
import { COUNTERS, type Figures, HOUR, sumEngagement, sumKnown, timeText } from './responses.ts';

const AGES = [1, 3, 8, 24, 72];
const LAST_POSTS = 500;
const FEWEST = 5;

type Aged = {
  key: string;
  hours: number;
  reachedAt: number;
  beforeAt: number;
  afterAt: number;
  /** Of each counter, and of the engagement. */
  values: Readonly<Record<string, number | null>>;
};
type Typical = { posts: number; values: Readonly<Record<string, number | null>> };

export function stateAges(facts: Facts, coverage: ReadonlyMap<string, readonly Coverage[]>): Figures {
  const [ages, typical, rising] = [
    new Map<string, unknown>(),
    new Map<string, unknown>(),
    new Map<string, unknown>(),
  ];
  for (const [slug, results] of facts.results) {
    const covered = coverage.get(slug) ?? [];
    const aged = [...(facts.sightings.get(slug)?.values() ?? [])].flatMap((sighting) =>
      AGES.flatMap((hours) => reachAge(sighting, hours, results, covered) ?? []),
    );
    for (const { key, hours, reachedAt, beforeAt, afterAt, values } of aged)
      ages.set(`${key} of ${slug} at ${hours} h`, {
        reached_at: timeText(reachedAt),
        observed_before_at: timeText(beforeAt),
        observed_after_at: timeText(afterAt),
        ...values,
      });
    const typicals = new Map(
      AGES.flatMap((hours) => {
        const found = findTypical(aged.filter((one) => one.hours === hours));
        return found === null ? [] : [[hours, found] as const];
      }),
    );
    for (const [hours, { posts, values }] of typicals)
      typical.set(`${slug} at ${hours} h`, { posts, ...values });
    for (const [key, row] of findRising(facts, slug, { results, covered, typicals })) rising.set(key, row);
  }
  return { post_at_age: ages, typical_at_age: typical, rising_posts: rising };
}

/**
 * Counters at an age, interpolated between the last result with the post before it and the first one after it, each at
 * most half the age away; null if there are none.
 */
function reachAge(
  { post, at: seenAt }: Sighting,
  hours: number,
  results: readonly Result[],
  covered: readonly Coverage[],
): Aged | null {
  if (post.createdAt === null) return null;
  const reachedAt = post.createdAt + hours * HOUR;
  const near = (hours * HOUR) / 2;
  const after = results.find(({ at, posts }) => at >= reachedAt && posts.includes(post.key));
  const before = covered.findLast(
    ({ until, result }) => until < reachedAt && result.posts.includes(post.key),
  );
  if (after === undefined || before === undefined || seenAt >= reachedAt) return null;
  const [beforeAt, afterAt] = [before.until, after.at];
  if (reachedAt - beforeAt > near || afterAt - reachedAt > near) return null;
  const [from, to] = [knownCounts(post, beforeAt), knownCounts(post, afterAt)];
  const part = (reachedAt - beforeAt) / (afterAt - beforeAt);
  const counts = mapCounters((counter) => {
    const [a, b] = [from[counter], to[counter]];
    return a === null || b === null ? null : a + (b - a) * part;
  });
  return {
    key: post.key,
    hours,
    reachedAt,
    beforeAt,
    afterAt,
    values: { ...counts, engagement: sumEngagement(counts) },
  };
}

function findTypical(aged: readonly Aged[]): Typical | null {
  if (aged.length === 0) return null;
  const last = aged.toSorted((a, b) => b.reachedAt - a.reachedAt).slice(0, LAST_POSTS);
  const values = Object.fromEntries(
    [...COUNTERS, 'engagement'].map((name) => [
      name,
      findMedian(last.flatMap((one) => one.values[name] ?? [])),
    ]),
  );
  return { posts: last.length, values };
}

function findMedian(values: readonly number[]): number | null {
  if (values.length < FEWEST) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

const LATELY = 6 * HOUR;
const FEWEST_GAINED = 5;
const SHORTEST = HOUR / 4;

/** Posts that gained at least five in the last six hours, and more per hour than is typical at their age. */
function findRising(
  facts: Facts,
  slug: string,
  {
    results,
    covered,
    typicals,
  }: { results: readonly Result[]; covered: readonly Coverage[]; typicals: ReadonlyMap<number, Typical> },
): [string, unknown][] {
  const now = results.at(-1)?.at;
  if (now === undefined) return [];
  const lately = now - LATELY;
  // Gains are not counted across a gap of more than two intervals.
  const base = covered.findLast(
    ({ until, everySeconds }) => until <= lately && until >= lately - 2 * everySeconds * 1_000,
  );
  return [...readSight(facts, slug)].flatMap(([key, { at: lastSeenAt }]) => {
    const sighting = facts.sightings.get(slug)?.get(key);
    if (sighting === undefined || lastSeenAt <= lately) return [];
    const { post } = sighting;
    const isYoung = post.createdAt !== null && post.createdAt > lately;
    const from = base?.until ?? lately;
    const first = covered.find(
      ({ until, result }) => until > from && until <= now && result.posts.includes(key),
    );
    const known =
      sighting.at >= from ? sighting.at : base?.result.posts.includes(key) === true ? from : first?.until;
    if (known === undefined) return [];
    const since = isYoung ? (post.createdAt ?? known) : known;
    const gained = isYoung ? sumEngagement(knownCounts(post, now)) : sumGains(post, since, now);
    const observed = now - since;
    if (gained === null || gained < FEWEST_GAINED || observed < SHORTEST) return [];
    const age = post.createdAt === null ? null : (now - post.createdAt) / HOUR;
    const typical = age === null ? null : findSlope(typicals, age);
    const perHour = gained / (observed / HOUR);
    if (typical !== null && perHour <= typical.perHour) return [];
    return [
      [
        `${key} of ${slug}`,
        {
          as_of: timeText(now),
          gained_engagement: gained,
          observed_hours: observed / HOUR,
          typical_per_hour: typical?.perHour ?? null,
          compared_with: typical?.posts ?? null,
        },
      ] as [string, unknown],
    ];
  });
}

function sumGains(post: Post, since: number, until: number): number | null {
  const steps = listSteps(post).filter(({ at }) => at > since && at <= until);
  return sumKnown(steps.map(({ up }) => sumEngagement(up)));
}

/** What the median post gains per hour between the two ages around this one; beyond the last, between the last two. */
function findSlope(
  typicals: ReadonlyMap<number, Typical>,
  age: number,
): { perHour: number; posts: number } | null {
  const end = AGES.findIndex((hours) => age < hours);
  const i = end === -1 ? AGES.length - 1 : end;
  const [hours, before] = [AGES[i] ?? 0, AGES[i - 1]];
  const to = typicals.get(hours);
  const from = before === undefined ? undefined : typicals.get(before);
  const [a, b] = [
    before === undefined ? 0 : (from?.values['engagement'] ?? null),
    to?.values['engagement'] ?? null,
  ];
  if (a === null || b === null || to === undefined) return null;
  return {
    perHour: Math.max(b - a, 0) / (hours - (before ?? 0)),
    posts: Math.min(to.posts, from?.posts ?? to.posts),
  };
}
