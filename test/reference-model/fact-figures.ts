/** Facts as the views state them: rows by key, with the columns that are compared. */
import type { Facts, Post } from './facts.ts';
import { COUNTERS, type Figures, type History, timeText } from './responses.ts';

export function stateFacts(facts: Facts, history: History): Figures {
  const posts = [...facts.posts.values()];
  return {
    posts: new Map(posts.map((post) => [post.key, statePost(facts, post)])),
    post_engagement: new Map(
      posts.flatMap(({ key, snapshots }) =>
        snapshots.map(({ at, counts }) => [`${key} at ${timeText(at)}`, counts]),
      ),
    ),
    post_versions: new Map(
      posts.flatMap(({ key, versions }) =>
        versions.map(({ from, until, run, text }) => [
          `${key} from ${timeText(from)}`,
          { text, run, valid_until: until === null ? null : timeText(until) },
        ]),
      ),
    ),
    authors: new Map(
      [...facts.authors].map(([key, { username, followers }]) => [
        key,
        { username, followers_count: followers },
      ]),
    ),
    post_sightings: new Map(
      [...facts.sightings].flatMap(([slug, sightings]) =>
        [...sightings.values()].map(({ post, at, run }) => [
          `${post.key} by ${slug}`,
          { first_seen_at: timeText(at), first_run: run, post_created_at: textOrNull(post.createdAt) },
        ]),
      ),
    ),
    discoveries: new Map(
      // P4: each exactly once, whenever it was saved.
      [...facts.sightings].flatMap(([slug, sightings]) =>
        [...sightings.values()].map(({ post }) => [`${post.key} by ${slug}`, { times: 1 }]),
      ),
    ),
    results: new Map(
      [...facts.results].flatMap(([slug, results]) =>
        results.map(({ run, response: { returned } }) => [`run ${run} of ${slug}`, { posts_seen: returned }]),
      ),
    ),
    link_ranks: new Map(
      [...facts.results].flatMap(([slug, results]) =>
        results.flatMap(({ run, response: { links } }) =>
          links.map(({ url }, i) => [`${url} in run ${run} of ${slug}`, { rank: i + 1 }]),
        ),
      ),
    ),
    link_sightings: stateLinkSightings(history),
  };
}

function statePost(facts: Facts, post: Post) {
  const { text, createdAt, lang, isRepost, hashtags, urls, firstSeenAt, counts } = post;
  return {
    text,
    created_at: textOrNull(createdAt),
    lang,
    is_repost: isRepost,
    hashtags,
    urls,
    first_seen_at: timeText(firstSeenAt),
    author_username: facts.authors.get(`${post.service}/${post.authorId}`)?.username,
    ...Object.fromEntries(COUNTERS.map((counter) => [counter, counts[counter]])),
  };
}

function stateLinkSightings(history: History): ReadonlyMap<string, unknown> {
  const first = new Map<string, unknown>();
  const left = new Set(history.searches.map(({ slug }) => slug));
  for (const { search, run, at, links } of history.responses.toSorted((a, b) => a.at - b.at))
    for (const { url } of links) {
      const key = `${url} by ${search}`;
      if (left.has(search) && !first.has(key))
        first.set(key, { first_seen_at: timeText(at), first_run: run });
    }
  return first;
}

const textOrNull = (at: number | null) => (at === null ? null : timeText(at));
