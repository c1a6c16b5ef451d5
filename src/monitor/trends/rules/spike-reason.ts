/**
 * Why a window has so many posts: what distinguishes its posts from those of the week before. Pure.
 *
 * Names (words, hashtags, domains) are counted by distinct authors, so that one loud author makes no trend, and compared by the
 * logarithm of the odds ratio. Of hundreds of names some differ by chance: the rate of false discoveries is limited as by
 * Benjamini and Hochberg. https://doi.org/10.1111/j.2517-6161.1995.tb02031.x
 */
import type { DistinctName, SpikeReason } from '../../../model/closed-lists.ts';
import { type Cooperative, runToEnd } from '../../../lib/cooperative.ts';
import { splitFoldedWords } from '../../../lib/folded-words.ts';
import { addToGroup, type Groups } from '../../../lib/group-by.ts';
import { normalCdf } from '../../../lib/normal-distribution.ts';
import { UNSPACED_SCRIPTS } from '../../../lib/text.ts';

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
/** Fewer posts or authors are no pattern. */
const MIN_COUNT = 3;
/** Expected share of false discoveries among distinguishing names. */
const FALSE_DISCOVERIES = 0.05;
const MAX_NAMES = 8;
/** Shorter words are mostly grammar; in scripts without spaces, single characters and words of hiragana alone are. */
const MIN_WORD_LENGTH = 3;
const UNSPACED_WORD = new RegExp(String.raw`^(?!\p{Script=Hiragana}+$)[${UNSPACED_SCRIPTS}]{2,}$`, 'u');
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
/** A character of it is a syllable. */
const HANGUL = /\p{Script=Hangul}/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
/** Added to each count, so that a name that was never there has finite odds. */
const PRIOR = 0.5;

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
  const posts: NamedPost[] = [];
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
  const names = findDistinctNames(now, then);
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
  const common = { window_authors: now.all, names: names.slice(0, MAX_NAMES) };
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

/** Posts that have something in common, and how much of the window they are. */
type Part = { with: readonly NamedPost[]; share: number; rise: number; name?: string; before?: number };

function findRest(reason: SpikeReason, count: number, all: number): number | null {
  if (reason === 'word' || reason === 'hashtag') return null;
  return (all - count + (reason === 'text' ? 1 : 0)) / all;
}

/** The largest group of at least {@link MIN_COUNT} posts, with its share of all posts. */
function findLargest(
  posts: readonly NamedPost[],
  keyOf: (post: NamedPost) => bigint | null,
): Pick<Part, 'with' | 'share'> {
  const groups: Groups<bigint, NamedPost> = new Map();
  for (const post of posts) {
    const key = keyOf(post);
    if (key !== null) addToGroup(groups, key, post);
  }
  const largest = [...groups.values()].reduce<readonly NamedPost[]>(
    (most, group) => (group.length > most.length ? group : most),
    [],
  );
  return { with: largest, share: largest.length < MIN_COUNT ? 0 : largest.length / posts.length };
}

function describeName(
  { kind, name, share, share_before: before }: DistinctName,
  posts: readonly NamedPost[],
): Part & { reason: SpikeReason } {
  const key = nameKey(kind, name);
  const having = posts.filter((post) => post.names.has(key));
  return { reason: kind, name, with: having, share, before, rise: share - before };
}

/** Names that are more frequent than before, the largest difference of shares first. */
function findDistinctNames(now: NameCounts, then: NameCounts): DistinctName[] {
  const judged = [...now.authors]
    .filter(([, { size }]) => size >= MIN_COUNT)
    .map(([key, { size }]) => {
      const past = then.authors.get(key)?.size ?? 0;
      return { key, size, past, p: 1 - normalCdf(compareOdds([size, now.all], [past, then.all])) };
    })
    .toSorted((a, b) => a.p - b.p);
  // The last rank whose probability is below its part of the allowed share: all up to it are discoveries.
  const last = judged.findLastIndex(({ p }, i) => p <= ((i + 1) / now.authors.size) * FALSE_DISCOVERIES);
  return judged
    .slice(0, last + 1)
    .map(({ key, size, past }): DistinctName => {
      const { kind, name } = readKey(key);
      const share_before = then.all === 0 ? 0 : past / then.all;
      return { kind, name, authors: size, share: size / now.all, share_before };
    })
    .toSorted(
      (a, b) =>
        b.share - b.share_before - (a.share - a.share_before) ||
        b.name.length - a.name.length ||
        (a.name < b.name ? -1 : 1),
    )
    .filter(
      ({ kind, name }, _, all) =>
        kind !== 'word' || !all.some((other) => other.kind === 'hashtag' && other.name === name),
    );
}

/** Logarithm of the odds ratio, in standard deviations. @param now number of authors with the name, and of all; @param past before */
function compareOdds([a, all]: readonly [number, number], [b, allBefore]: readonly [number, number]): number {
  const odds = (n: number, of: number) => Math.log((n + PRIOR) / (of - n + PRIOR));
  const variance = [a, all - a, b, allBefore - b].reduce((sum, n) => sum + 1 / (n + PRIOR), 0);
  return (odds(a, all) - odds(b, allBefore)) / Math.sqrt(variance);
}

/** Authors with each name; a post without a known author is by somebody of its own. */
class NameCounts {
  readonly authors = new Map<string, Set<string>>();
  readonly #everybody = new Set<string>();

  /** Number of all authors. */
  get all(): number {
    return this.#everybody.size;
  }

  add(post: NamedPost): void {
    const author = authorOf(post);
    this.#everybody.add(author);
    for (const key of post.names) {
      const known = this.authors.get(key);
      if (known === undefined) this.authors.set(key, new Set([author]));
      else known.add(author);
    }
  }
}

const authorOf = ({ author, id }: ComparedPost) => (author === null ? `post ${id}` : String(author));

const nameKey = (kind: DistinctName['kind'], name: string) => `${kind} ${name}`;

function readKey(key: string): Pick<DistinctName, 'kind' | 'name'> {
  const at = key.indexOf(' ');
  return { kind: key.slice(0, at) as DistinctName['kind'], name: key.slice(at + 1) }; // as `nameKey` wrote it
}

const ADDRESS_OR_MENTION = /https?:\/\/\S+|[#@][\p{L}\p{N}_.]+/gu;

function splitWords(text: string): string[] {
  const words = splitFoldedWords(text).filter(
    (word) => word.length >= (HANGUL.test(word) ? 2 : MIN_WORD_LENGTH),
  );
  if (!UNSPACED.test(text)) return words;
  const unspaced = [...segmenter.segment(text)].flatMap(({ segment }) =>
    UNSPACED_WORD.test(segment) ? [segment] : [],
  );
  return [...words, ...unspaced];
}

/** A post with the keys of its names. */
type NamedPost = ComparedPost & { names: ReadonlySet<string> };

function withNames(post: ComparedPost): NamedPost {
  const { text, hashtags, domains } = post;
  const names = new Set<string>();
  for (const tag of hashtags) names.add(nameKey('hashtag', tag));
  for (const domain of domains) names.add(nameKey('domain', domain));
  for (const word of splitWords(text.replace(ADDRESS_OR_MENTION, ' '))) names.add(nameKey('word', word));
  return { ...post, names };
}
