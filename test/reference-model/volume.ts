/** Volume, days, tops and share of voice: posts counted at their own time, and how much of that time was observed. */
import { type Coverage, exposureOf, type Quarter, readQuarters } from './coverage.ts';
import type { Facts, Sighting } from './facts.ts';
import {
  DAY,
  type Figures,
  type History,
  HOUR,
  QUARTER,
  startOf,
  timeText,
  type WatchedSearch,
} from './responses.ts';

/** A sighting with what volume needs: when it counts, and whether its search was the first of the topic. */
type Counted = Sighting & { countedAt: number; isFirst: boolean; isMeasurable: boolean };

/** What a quarter, an hour or a day of a search adds up to. */
type Sum = {
  posts: number;
  topicPosts: number;
  reposts: number;
  exposureMs: number;
  observedPosts: number;
  isCut: boolean;
};

export function stateVolume(
  facts: Facts,
  history: History,
  coverage: ReadonlyMap<string, readonly Coverage[]>,
): Figures {
  const counted = new Map(
    history.searches.map((search) => [search.slug, countSightings(facts, history, search)]),
  );
  const quarters = new Map([...coverage].map(([slug, covered]) => [slug, readQuarters(covered)]));
  const sums = (span: number) =>
    new Map(
      history.searches.map(({ slug }) => [
        slug,
        sumUp(counted.get(slug) ?? [], quarters.get(slug) ?? new Map(), span),
      ]),
    );
  const days = sums(DAY);
  return {
    coverage: stateCoverage(coverage),
    volume_hourly: stateSums(sums(HOUR), HOUR),
    volume_daily: stateSums(days, DAY),
    share_of_voice: stateShares(history, days, sums(HOUR)),
    ...stateTops(history, counted),
  };
}

function stateCoverage(coverage: ReadonlyMap<string, readonly Coverage[]>): ReadonlyMap<string, unknown> {
  return new Map(
    [...coverage].flatMap(([slug, covered]) =>
      covered.map(({ result, from, until, reached, everySeconds }) => [
        `run ${result.run} of ${slug}`,
        {
          observed_from: timeText(from),
          observed_until: timeText(until),
          reached_from: timeText(reached),
          cut: from > reached,
          every_seconds: everySeconds,
          posts: result.posts.length,
        },
      ]),
    ),
  );
}

function countSightings(facts: Facts, history: History, search: WatchedSearch): Counted[] {
  const others = history.searches.filter(({ topic, slug }) => topic === search.topic && slug !== search.slug);
  return [...(facts.sightings.get(search.slug)?.values() ?? [])].map((sighting) => {
    const { post, at } = sighting;
    const isFirst = others.every(({ slug }) => (facts.sightings.get(slug)?.get(post.key)?.at ?? at) >= at);
    return {
      ...sighting,
      countedAt: Math.min(post.createdAt ?? at, at),
      isFirst,
      // One without a time, or dated an hour ahead, does not measure the rate.
      isMeasurable: post.createdAt !== null && post.createdAt < at + HOUR,
    };
  });
}

function sumUp(
  counted: readonly Counted[],
  quarters: ReadonlyMap<number, Quarter>,
  span: number,
): ReadonlyMap<number, Sum> {
  const sums = new Map<number, Sum>();
  const add = (at: number, more: Partial<Sum>) => {
    const sum = sums.get(startOf(span, at)) ?? {
      posts: 0,
      topicPosts: 0,
      reposts: 0,
      exposureMs: 0,
      observedPosts: 0,
      isCut: false,
    };
    sums.set(startOf(span, at), {
      posts: sum.posts + (more.posts ?? 0),
      topicPosts: sum.topicPosts + (more.topicPosts ?? 0),
      reposts: sum.reposts + (more.reposts ?? 0),
      exposureMs: sum.exposureMs + (more.exposureMs ?? 0),
      observedPosts: sum.observedPosts + (more.observedPosts ?? 0),
      isCut: sum.isCut || more.isCut === true,
    });
  };
  for (const { countedAt, isFirst, isMeasurable, post } of counted) {
    const observed = quarters.get(startOf(QUARTER, countedAt))?.observed ?? [];
    const isObserved =
      isMeasurable && observed.some(([from, until]) => from <= countedAt && countedAt < until);
    const first = isFirst ? 1 : 0;
    add(countedAt, {
      posts: 1,
      topicPosts: first,
      reposts: post.isRepost ? first : 0,
      observedPosts: isObserved ? 1 : 0,
    });
  }
  for (const [at, quarter] of quarters) {
    const exposureMs = exposureOf(quarter);
    add(at, { exposureMs, isCut: quarter.isCut && exposureMs < QUARTER });
  }
  return sums;
}

function stateSums(
  sums: ReadonlyMap<string, ReadonlyMap<number, Sum>>,
  span: number,
): ReadonlyMap<string, unknown> {
  return new Map(
    [...sums].flatMap(([slug, spans]) =>
      [...spans].map(([at, { posts, topicPosts, exposureMs, observedPosts, isCut }]) => [
        `${slug} at ${timeText(at)}`,
        {
          posts,
          coverage: exposureMs / span,
          lower_bound: isCut,
          observed_posts: observedPosts,
          per_hour: exposureMs === 0 ? null : (observedPosts * HOUR) / exposureMs,
          topic_posts: topicPosts,
        },
      ]),
    ),
  );
}

/** Topics compared per day, separately for each kind of service. */
function stateShares(
  history: History,
  days: ReadonlyMap<string, ReadonlyMap<number, Sum>>,
  hours: ReadonlyMap<string, ReadonlyMap<number, Sum>>,
): ReadonlyMap<string, unknown> {
  const rows: {
    kind: string;
    topic: string;
    day: number;
    normalised: number | null;
    row: Record<string, unknown>;
  }[] = [];
  const groups = new Set(history.searches.map(({ topic, kind }) => `${topic} ${kind}`));
  for (const group of groups) {
    const searches = history.searches.filter(({ topic, kind }) => `${topic} ${kind}` === group);
    const sumsOf = (slug: string) => days.get(slug) ?? new Map<number, Sum>();
    for (const day of new Set(searches.flatMap(({ slug }) => [...sumsOf(slug).keys()]))) {
      const began = (slug: string) =>
        [...sumsOf(slug)].some(([at, { exposureMs }]) => at < day && exposureMs > 0);
      const inUse = searches.filter(({ slug }) => sumsOf(slug).has(day) || began(slug)).length;
      const sums = searches.flatMap(({ slug }) => sumsOf(slug).get(day) ?? []);
      const total = (read: (sum: Sum) => number) => sums.reduce((sum, one) => sum + read(one), 0);
      const coverage = Math.min(total(({ exposureMs }) => exposureMs) / (DAY * inUse), 1);
      const observedHours = searches.reduce(
        (sum, { slug }) =>
          sum +
          [...(hours.get(slug) ?? [])].filter(
            ([at, { exposureMs }]) => startOf(DAY, at) === day && exposureMs > 0,
          ).length,
        0,
      );
      const [posts, observed, all] = [
        total(({ topicPosts }) => topicPosts),
        total(({ observedPosts }) => observedPosts),
        total((sum) => sum.posts),
      ];
      const isMeasured = coverage >= 0.5 || (observedHours >= 12 * inUse && observed >= 20);
      const normalised = isMeasured ? (all === 0 ? 0 : (posts * observed) / all) / coverage : null;
      const [{ topic, kind }] = searches as [WatchedSearch, ...WatchedSearch[]]; // a group has one
      rows.push({
        kind,
        topic,
        day,
        normalised,
        row: {
          posts,
          reposts: total(({ reposts }) => reposts),
          searches: inUse,
          coverage,
          lower_bound: sums.some(({ isCut }) => isCut),
          normalised_posts: normalised,
        },
      });
    }
  }
  return new Map(
    rows.map(({ kind, topic, day, normalised, row }) => {
      const compared = rows.filter(
        (other) => other.kind === kind && other.day === day && other.normalised !== null,
      );
      const all = compared.reduce((sum, other) => sum + (other.normalised ?? 0), 0);
      const share = normalised === null || all === 0 ? null : normalised / all;
      return [`${topic} of ${kind} on ${timeText(day)}`, { ...row, share, topics: compared.length }];
    }),
  );
}

/** Who and what posts name, by the day of the post. */
function stateTops(history: History, counted: ReadonlyMap<string, readonly Counted[]>): Figures {
  const top = (name: string, read: (counted: Counted) => readonly string[]) => {
    const tops = new Map<string, Record<string, number>>();
    for (const [slug, sightings] of counted)
      for (const sighting of sightings)
        for (const value of new Set(read(sighting))) {
          const key = `${value} of ${slug} on ${timeText(startOf(DAY, sighting.countedAt))}`;
          const { posts = 0, topic_posts = 0 } = tops.get(key) ?? {};
          tops.set(key, { posts: posts + 1, topic_posts: topic_posts + (sighting.isFirst ? 1 : 0) });
        }
    return [name, tops] as const;
  };
  const domains = top('top_domains', ({ post }) => post.urls.map((url) => new URL(url).host));
  return Object.fromEntries([
    top('top_authors', ({ post }) => [post.authorId]),
    top('top_hashtags', ({ post }) => post.hashtags.map((tag) => tag.toLowerCase())),
    top('top_languages', ({ post }) => (post.lang === null ? [] : [post.lang])),
    [domains[0], addLinks(history, domains[1])] as const,
  ]);
}

/** A link counts on the day on which it was found; it is first in its topic where no search found it earlier. */
function addLinks(
  history: History,
  domains: ReadonlyMap<string, Record<string, number>>,
): ReadonlyMap<string, unknown> {
  const all = new Map<string, Record<string, number>>(
    [...domains].map(([key, counts]) => [key, { ...counts, links: 0, topic_links: 0 }]),
  );
  const topics = new Map(history.searches.map(({ slug, topic }) => [slug, topic]));
  const [seen, known] = [new Set<string>(), new Set<string>()];
  for (const { search, at, links } of history.responses.toSorted((a, b) => a.at - b.at))
    for (const { url } of links) {
      const inTopic = `${url} ${topics.get(search)}`;
      if (!topics.has(search) || seen.has(`${url} ${search}`)) continue;
      seen.add(`${url} ${search}`);
      const key = `${new URL(url).host} of ${search} on ${timeText(startOf(DAY, at))}`;
      const { posts = 0, topic_posts = 0, links: found = 0, topic_links = 0 } = all.get(key) ?? {};
      const first = known.has(inTopic) ? 0 : 1;
      known.add(inTopic);
      all.set(key, { posts, topic_posts, links: found + 1, topic_links: topic_links + first });
    }
  return all;
}
