/**
 * What distinguishes posts from earlier posts: names (words, hashtags, domains) that more authors use than before. Pure.
 *
 * Names are counted by distinct authors, so that one loud author makes no trend, and compared by the logarithm of the odds ratio. Of
 * hundreds of names some differ by chance: the rate of false discoveries is limited as by Benjamini and Hochberg.
 * https://doi.org/10.1111/j.2517-6161.1995.tb02031.x
 */
import { splitFoldedWords } from '../../../lib/folded-words.ts';
import { normalCdf } from '../../../lib/normal-distribution.ts';
import { UNSPACED_SCRIPTS } from '../../../lib/text.ts';
import type { DistinctName } from '../../../model/closed-lists.ts';

/** A post, as far as its names are compared. Null is unknown. */
type WrittenPost = {
  id: bigint;
  author: bigint | null;
  text: string;
  hashtags: readonly string[];
  domains: readonly string[];
};

type Kind = DistinctName['kind'];

/** A name with its kind, as one string. */
export type NameKey<K extends string = Kind> = `${K} ${string}`;

/** What is counted of a post. */
export type NamedPost<K extends string = Kind> = {
  id: bigint;
  author: bigint | null;
  names: ReadonlySet<NameKey<K>>;
};

export type CountedName<K extends string = Kind> = Omit<DistinctName, 'kind'> & { kind: K };

/** Fewer posts or authors are no pattern. */
export const MIN_COUNT = 3;
/** Expected share of false discoveries among distinguishing names. */
const FALSE_DISCOVERIES = 0.05;
/** Added to each count, so that a name that was never there has finite odds. */
const PRIOR = 0.5;

/** Shorter words are mostly grammar; in scripts without spaces, single characters and words of hiragana alone are. */
const MIN_WORD_LENGTH = 3;
const UNSPACED_WORD = new RegExp(String.raw`^(?!\p{Script=Hiragana}+$)[${UNSPACED_SCRIPTS}]{2,}$`, 'u');
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
/** A character of it is a syllable. */
const HANGUL = /\p{Script=Hangul}/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
const ADDRESS_OR_MENTION = /https?:\/\/\S+|[#@][\p{L}\p{N}_.]+/gu;

export const nameKey = <K extends string>(kind: K, name: string): NameKey<K> => `${kind} ${name}`;

function readKey<K extends string>(key: NameKey<K>): { kind: K; name: string } {
  const at = key.indexOf(' ');
  return { kind: key.slice(0, at) as K, name: key.slice(at + 1) }; // as `nameKey` wrote it
}

/** The words, hashtags and domains of a post. */
export function readNames({ text, hashtags, domains }: WrittenPost): Set<NameKey> {
  const names = new Set<NameKey>();
  for (const tag of hashtags) names.add(nameKey('hashtag', tag));
  for (const domain of domains) names.add(nameKey('domain', domain));
  for (const word of splitWords(withoutAddresses(text))) names.add(nameKey('word', word));
  return names;
}

/** A text without addresses, hashtags and mentions. */
export const withoutAddresses = (text: string): string => text.replace(ADDRESS_OR_MENTION, ' ');

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

/** Authors with each name; a post without a known author is by somebody of its own. */
export class NameCounts<K extends string = Kind> {
  readonly authors = new Map<NameKey<K>, Set<string>>();
  readonly everybody = new Set<string>();

  add({ id, author, names }: NamedPost<K>): void {
    const who = author === null ? `post ${id}` : String(author);
    this.everybody.add(who);
    for (const key of names) {
      const known = this.authors.get(key);
      if (known === undefined) this.authors.set(key, new Set([who]));
      else known.add(who);
    }
  }
}

/**
 * Names that are more frequent than before, the largest difference of shares first.
 * @param before counts of one or more earlier times; an author of several of these counts once
 */
export function findDistinctNames<K extends string>(
  now: NameCounts<K>,
  before: readonly NameCounts<K>[],
): CountedName<K>[] {
  const all = now.everybody.size;
  const allBefore = countTogether(before.map(({ everybody }) => everybody));
  const judged = [...now.authors]
    .filter(([, { size }]) => size >= MIN_COUNT)
    .map(([key, { size }]) => {
      const past = countTogether(before.map(({ authors }) => authors.get(key)));
      return { key, size, past, p: 1 - normalCdf(compareOdds([size, all], [past, allBefore])) };
    })
    .toSorted((a, b) => a.p - b.p);
  // The last rank whose probability is below its part of the allowed share: all up to it are discoveries.
  const last = judged.findLastIndex(({ p }, i) => p <= ((i + 1) / now.authors.size) * FALSE_DISCOVERIES);
  return judged
    .slice(0, last + 1)
    .map(({ key, size, past }): CountedName<K> => {
      const { kind, name } = readKey(key);
      const share_before = allBefore === 0 ? 0 : past / allBefore;
      return { kind, name, authors: size, share: size / all, share_before };
    })
    .toSorted(
      (a, b) =>
        b.share - b.share_before - (a.share - a.share_before) ||
        b.name.length - a.name.length ||
        (a.name < b.name ? -1 : 1),
    )
    .filter(
      ({ kind, name }, _, found) =>
        kind !== 'word' || !found.some((other) => other.kind === 'hashtag' && other.name === name),
    );
}

/** The number of different authors in some sets. */
function countTogether(sets: readonly (ReadonlySet<string> | undefined)[]): number {
  const [first, ...others] = sets.filter((set) => set !== undefined);
  if (first === undefined || others.length === 0) return first?.size ?? 0;
  const together = new Set(first);
  for (const set of others) for (const author of set) together.add(author);
  return together.size;
}

/** Logarithm of the odds ratio, in standard deviations. @param now number of authors with the name, and of all; @param past before */
function compareOdds([a, all]: readonly [number, number], [b, allBefore]: readonly [number, number]): number {
  const odds = (n: number, of: number) => Math.log((n + PRIOR) / (of - n + PRIOR));
  const variance = [a, all - a, b, allBefore - b].reduce((sum, n) => sum + 1 / (n + PRIOR), 0);
  return (odds(a, all) - odds(b, allBefore)) / Math.sqrt(variance);
}
