/** What stopped when the posts of a search became fewer: who, or links to what, usually carried it and is gone. Pure. */
import { addToGroup, type Groups } from '../../../lib/group-by.ts';
import { formatMinute, formatPercent, nameZone } from '../../../lib/display-format.ts';
import type { ComparedPost } from './spike-reason.ts';

export type Stopped =
  | { reason: 'author' | 'domain'; name: string | null; share: number; last: Pick<ComparedPost, 'id' | 'at'> }
  | { reason: 'none'; authors: number };

/** A part that explains less of the decline is no reason. */
const MIN_EXPLAINED = 0.5;
/** Fewer posts are no habit. */
const MIN_COUNT = 3;

type Span = { posts: readonly ComparedPost[]; ms: number };

/**
 * @param before posts of the week before the change, and the length of the time that they are of
 * @param after posts since then; none in a silence
 */
export function findStopped(before: Span, after: Span): Stopped {
  const decline = rateOf(before.posts.length, before) - rateOf(after.posts.length, after);
  const parts = [
    ...listParts('author', before, after, ({ author }) => (author === null ? [] : [String(author)])),
    ...listParts('domain', before, after, ({ domains }) => domains),
  ].filter(({ fall, posts }) => posts.length >= MIN_COUNT && fall >= MIN_EXPLAINED * decline);
  const [first, ...others] = parts;
  if (first === undefined || decline <= 0)
    return {
      reason: 'none',
      authors: new Set(before.posts.map(({ author, id }) => author ?? `post ${id}`)).size,
    };
  const { kind, name, posts } = others.reduce((most, part) => (part.fall > most.fall ? part : most), first);
  const last = posts.reduce((a, b) => (b.at > a.at ? b : a));
  return {
    reason: kind,
    name: kind === 'domain' ? name : null,
    share: posts.length / before.posts.length,
    last: { id: last.id, at: last.at },
  };
}

const rateOf = (count: number, { ms }: Span) => (ms > 0 ? count / ms : 0);

/** Parts of the posts before, each with how much fewer of it are posted in a millisecond. */
function listParts(
  kind: 'author' | 'domain',
  before: Span,
  after: Span,
  namesOf: (post: ComparedPost) => readonly string[],
) {
  const group = (posts: readonly ComparedPost[]) => {
    const groups: Groups<string, ComparedPost> = new Map();
    for (const post of posts) for (const name of namesOf(post)) addToGroup(groups, name, post);
    return groups;
  };
  const since = group(after.posts);
  return [...group(before.posts)].map(([name, posts]) => ({
    kind,
    name,
    posts,
    fall: rateOf(posts.length, before) - rateOf(since.get(name)?.length ?? 0, after),
  }));
}

/** `62 % of the posts of the week before were by one author, whose last one was on 20 Nov 2026, 00:47 UTC.` */
export function composeStopped(stopped: Stopped, zone: string): string {
  if (stopped.reason === 'none')
    return `No single cause: no author and no domain accounts for half of the decline; ${stopped.authors} ${stopped.authors === 1 ? 'author' : 'authors'} wrote the posts of the week before.`;
  const { share, name, last } = stopped;
  const time = `${formatMinute(new Date(last.at), { zone, now: null })} ${nameZone(zone)}`;
  const part = share >= 0.995 ? 'All' : formatPercent(share);
  return stopped.reason === 'author'
    ? `${part} of the posts of the week before were by one author, whose last one was on ${time}.`
    : `${part} of the posts of the week before linked to ${name}, last on ${time}.`;
}
