/** Why a window has so many posts: what distinguishes its posts from those of the week before (`distinct-names.ts`). Pure. */
import type { DistinctName, SpikeReason } from '../../../model/closed-lists.ts';
import { type Cooperative, runToEnd } from '../../../lib/cooperative.ts';
import { addToGroup, type Groups } from '../../../lib/group-by.ts';
import {
  findDistinctNames,
  MIN_COUNT,
  NameCounts,
  nameKey,
  type NamedPost,
  readNames,
} from './distinct-names.ts';

/** A post, as far as it is compared. Null is unknown. */
export type ComparedPost = {
  id: bigint;
  /** When it counts (ms since 1970). */
  at: number;
  author: bigint | null;
  /** Equal for copies of one text (`hashFoldedText`); null: too short to tell. */
  textKey: bigint | null;
  text: string;
  hashtags: readonly string[];
  domains: readonly string[];
};

export type Reason = {
  reason: SpikeReason;
  /** The domain, hashtag or word; null for others. */
  reason_name: string | null;
  /** Share of the posts (text, author) or of the authors (domain, hashtag, word), 0 to 1; null for none. */
  reason_share: number | null;
  /** Share of the authors in the week before; null for others. */
  reason_share_before: number | null;
  /** The earliest post of the window with it; null for none. */
  reason_post_id: bigint | null;
  reason_post_at: Date | null;
  /** Share of the posts of the window that the reason does not explain; null if unknown. */
  rest: number | null;
  window_authors: number;
  /** What distinguishes the window, the largest difference first. */
  names: DistinctName[];
};

/** A smaller share of the posts, or of the authors, is no reason. */
const MIN_SHARE = 0.3;
const MIN_NAME_SHARE = 0.4;
/** A name that was that frequent before is no reason. */
const MIN_RISE = 0.25;
/** Names must say that much more than one text, author or domain, of which they are a part, to be the reason instead. */
const MIN_ADVANTAGE = 0.15;
const MAX_NAMES = 8;
/**
 * In steps of one post, so that the event loop is not blocked.
 * @param window its posts; at least one
 * @param before posts of the week before the window
 */
export function* findReasonInSteps(
  window: readonly ComparedPost[],
  before: readonly ComparedPost[],
): Cooperative<Reason> {
  const [now, then] = [new NameCounts(), new NameCounts()];
  const posts: WindowPost[] = [];
  for (const post of window) {
    const named = withNames(post);
    posts.push(named);
    now.add(named);
    yield;
  }
  for (const post of before) {
    then.add(withNames(post));
    yield;
  }
  const names = findDistinctNames(now, [then]);
  const leading = names.filter(
    ({ kind, share, share_before }) =>
      share >= (kind === 'domain' ? MIN_SHARE : MIN_NAME_SHARE) && share - share_before >= MIN_RISE,
  );
  const domain = leading.find(({ kind }) => kind === 'domain');
  const wide = leading.find(({ kind }) => kind !== 'domain');
  const text = findLargest(posts, ({ textKey }) => textKey);
  const author = findLargest(posts, (post) => post.author);
  const strong = [
    ...(text.share >= MIN_SHARE ? [{ reason: 'text' as const, ...text, rise: text.share }] : []),
    ...(author.share >= MIN_SHARE ? [{ reason: 'author' as const, ...author, rise: author.share }] : []),
    ...(domain === undefined ? [] : [describeName(domain, posts)]),
  ].toSorted((a, b) => b.rise - a.rise)[0];
  const weak = wide === undefined ? undefined : describeName(wide, posts);
  const best = strong !== undefined && strong.rise + MIN_ADVANTAGE >= (weak?.rise ?? 0) ? strong : weak;
  const common = { window_authors: now.everybody.size, names: names.slice(0, MAX_NAMES) };
  if (best === undefined)
    return {
      reason: 'none',
      reason_name: null,
      reason_share: null,
      reason_share_before: null,
      reason_post_id: null,
      reason_post_at: null,
      rest: null,
      ...common,
    };
  const first = best.with.reduce((a, b) => (b.at < a.at || (b.at === a.at && b.id < a.id) ? b : a));
  const { reason, share } = best;
  return {
    reason,
    reason_name: best.name ?? null,
    reason_share: share,
    reason_share_before: best.before ?? null,
    reason_post_id: first.id,
    reason_post_at: new Date(first.at),
    // The first copy of a text stays; without a word or hashtag, people might have written as much.
    rest: findRest(reason, best.with.length, posts.length),
    ...common,
  };
}

/** {@link findReasonInSteps} without pauses. */
export function findReason(window: readonly ComparedPost[], before: readonly ComparedPost[]): Reason {
  return runToEnd(findReasonInSteps(window, before));
}

/** A post of the window or of the week before, with its names. */
type WindowPost = ComparedPost & NamedPost;

const withNames = (post: ComparedPost): WindowPost => ({ ...post, names: readNames(post) });

/** Posts that have something in common, and how much of the window they are. */
type Part = { with: readonly WindowPost[]; share: number; rise: number; name?: string; before?: number };

function findRest(reason: SpikeReason, count: number, all: number): number | null {
  if (reason === 'word' || reason === 'hashtag') return null;
  return (all - count + (reason === 'text' ? 1 : 0)) / all;
}

/** The largest group of at least {@link MIN_COUNT} posts, with its share of all posts. */
function findLargest(
  posts: readonly WindowPost[],
  keyOf: (post: WindowPost) => bigint | null,
): Pick<Part, 'with' | 'share'> {
  const groups: Groups<bigint, WindowPost> = new Map();
  for (const post of posts) {
    const key = keyOf(post);
    if (key !== null) addToGroup(groups, key, post);
  }
  const largest = [...groups.values()].reduce<readonly WindowPost[]>(
    (most, group) => (group.length > most.length ? group : most),
    [],
  );
  return { with: largest, share: largest.length < MIN_COUNT ? 0 : largest.length / posts.length };
}

function describeName(
  { kind, name, share, share_before: before }: DistinctName,
  posts: readonly WindowPost[],
): Part & { reason: SpikeReason } {
  const key = nameKey(kind, name);
  const having = posts.filter((post) => post.names.has(key));
  return { reason: kind, name, with: having, share, before, rise: share - before };
}
