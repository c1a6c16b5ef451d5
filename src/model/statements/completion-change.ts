/**
 * How much a completion changed: which of its statements are new, revised, kept or gone against another completion of its
 * search. Wording varies from completion to completion, so statements are compared by their words, figures and names, and
 * by what they assert or deny.
 */
import { getOrMake } from '../../lib/get-or-make.ts';
import { addToGroup, type Groups } from '../../lib/group-by.ts';
import { areOpposite } from './opposites.ts';
import {
  type Figure,
  hasFigure,
  hasFigures,
  readStatementWords,
  type StatementWords,
} from './statement-words.ts';

/**
 * Share of words that two wordings of a statement have in common at least. Chosen by `npm run -s bench:changes`; see
 * docs/internals/links-and-completions.md.
 */
export const MIN_SHARED_WORDS = 0.4;

/** `isCited`: it cites a link, or a number that the response does not resolve. */
export type Statement = { text: string; isCited: boolean };

/** A statement and its copies: the same in other sections, or in almost the same words. */
export type FoldedStatement<T> = { statement: T; copies: readonly T[] };

/** A statement of which only figures changed: `figures` are pairs such as `25` and `28`, in the order of the text. */
type RevisedStatement<T> = {
  before: FoldedStatement<T>;
  after: FoldedStatement<T>;
  figures: readonly { from: string; to: string }[];
};

export type CompletionChange<T> = {
  added: FoldedStatement<T>[];
  revised: RevisedStatement<T>[];
  gone: FoldedStatement<T>[];
  /** `before`: the most similar statement of the earlier completion. */
  kept: { before: FoldedStatement<T>; after: FoldedStatement<T> }[];
  /** Share of the statements of both that the other completion contains as well, from 0 to 1; 1 if both are empty. */
  similarity: number;
};

/**
 * Compares the statements of two completions. A statement is kept if the other completion has its words, figures and
 * names, in one statement or in several that were merged, and does not say the opposite. Linear in the lengths, times the
 * statements that share a word.
 * @param before statements in order; likewise `after`
 */
export function compareStatements<T extends Statement>(
  before: readonly T[],
  after: readonly T[],
  minShared: number = MIN_SHARED_WORDS,
): CompletionChange<T> {
  const [earlier, later] = [readCompletion(before), readCompletion(after)];
  const news: Compared<T>[] = [];
  const kept: CompletionChange<T>['kept'] = [];
  for (const statement of later.statements) {
    const match = findSupport(statement, earlier, minShared);
    if (match === null) news.push(statement);
    else kept.push({ before: match.folded, after: statement.folded });
  }
  const missing = earlier.statements.filter((statement) => findSupport(statement, later, minShared) === null);
  const revised = pairRevised(missing, news);
  const isPaired = new Set(revised.flatMap((pair) => [pair.before, pair.after]));
  const all = earlier.statements.length + later.statements.length;
  return {
    added: news.flatMap(({ folded }) => (isPaired.has(folded) ? [] : [folded])),
    revised,
    gone: missing.flatMap(({ folded }) => (isPaired.has(folded) ? [] : [folded])),
    kept,
    similarity: all === 0 ? 1 : (all - news.length - missing.length) / all,
  };
}

/**
 * The statements of a completion that none before it made: no statement that comes and goes, no figure that goes up and
 * down, and, where statements have citations, no introduction without one.
 * @param after the statements of the completion
 * @param before those of the completions before it, the newest first
 * @returns in the order of `after`; empty if it is the first one
 */
export function findNews<T extends Statement>(
  after: readonly T[],
  before: Iterable<readonly T[]>,
  minShared: number = MIN_SHARED_WORDS,
): T[] {
  const hasCitations = after.some(({ isCited }) => isCited);
  // Most statements occur in several completions.
  const known = new Map<string, StatementWords>();
  const readWords = (text: string) => getOrMake(known, text, () => readStatementWords(text));
  const candidates = readCompletion(after, readWords)
    .statements.filter(({ folded: { statement } }) => statement.isCited || !hasCitations)
    .map((statement) => ({ statement, former: new Map<string, number[]>() }));
  let news = candidates;
  let isFirst = true;
  for (const each of before) {
    isFirst = false;
    const earlier = readCompletion(each, readWords);
    news = news.filter(({ statement }) => findSupport(statement, earlier, minShared) === null);
    if (news.length === 0) break;
    for (const { statement, former } of news) collectFormer(statement, earlier, former);
  }
  if (isFirst) return [];
  return news.flatMap(({ statement, former }) =>
    statement.figures.some(({ text, value }) => goesUpAndDown([value, ...(former.get(text) ?? [])]))
      ? []
      : [statement.folded.statement],
  );
}

type Compared<T> = StatementWords & { folded: { statement: T; copies: T[] } };
type WordIndex<T> = ReadonlyMap<string, readonly Compared<T>[]>;
type ReadCompletion<T> = {
  statements: readonly Compared<T>[];
  index: WordIndex<T>;
  /** All words that it contains. */
  words: ReadonlySet<string>;
};

/** Share of common words from which a statement is a copy of another one of its completion. */
const MIN_COPY_WORDS = 0.7;

function readCompletion<T extends Statement>(
  completion: readonly T[],
  readWords: (text: string) => StatementWords = readStatementWords,
): ReadCompletion<T> {
  const statements: Compared<T>[] = [];
  const index: Groups<string, Compared<T>> = new Map();
  const words = new Set<string>();
  for (const statement of completion) {
    const own = readWords(statement.text);
    for (const word of own.all) words.add(word);
    const [nearest] = countShared(own.words, index)
      .filter(([other, shared]) => isCopy(own, other, shared))
      .toSorted((a, b) => b[1] - a[1]);
    if (nearest !== undefined) {
      nearest[0].folded.copies.push(statement);
      continue;
    }
    const compared = { folded: { statement, copies: [] }, ...own };
    statements.push(compared);
    for (const word of compared.words) addToGroup(index, word, compared);
  }
  return { statements, index, words };
}

function isCopy(own: StatementWords, other: StatementWords, shared: number): boolean {
  return (
    shared >= MIN_COPY_WORDS * Math.max(own.words.size, other.words.size) &&
    hasFigures(own.figures, other.figures) &&
    hasFigures(other.figures, own.figures) &&
    hasNames(own, other.all) &&
    hasNames(other, own.all) &&
    !areOpposite(own.polarity, other.polarity)
  );
}

function hasNames({ names }: StatementWords, words: ReadonlySet<string>): boolean {
  return names.every((name) => words.has(name));
}

/** The statements that share words with these, and how many. */
function countShared<T>(words: ReadonlySet<string>, index: WordIndex<T>): [Compared<T>, number][] {
  const shared = new Map<Compared<T>, number>();
  for (const word of words)
    for (const other of index.get(word) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
  return [...shared];
}

/** "The port is closed" and "The port is open" have one. */
const MIN_COMMON_WORDS = 2;
/** Share of common words from which a statement can be the opposite of another, or the same with other figures. */
const MIN_CLOSE_WORDS = 0.5;

/** The statement that is most like this one, if those that resemble it together say what it says. */
function findSupport<T>(
  statement: Compared<T>,
  earlier: ReadCompletion<T>,
  minShared: number,
): Compared<T> | null {
  const { words, figures, polarity } = statement;
  const similar = countShared(words, earlier.index)
    .filter(([other, shared]) => {
      const least = Math.min(words.size, other.words.size);
      return shared >= Math.max(minShared * least, Math.min(MIN_COMMON_WORDS, least));
    })
    .toSorted((a, b) => b[1] - a[1]);
  const [best] = similar;
  if (best === undefined) return null;
  const together = new Set(similar.map(([other]) => other));
  let covered = 0;
  for (const word of words)
    if (earlier.index.get(word)?.some((other) => together.has(other)) === true) covered++;
  if (covered < minShared * words.size) return null;
  if (!figures.every((figure) => similar.some(([other]) => hasFigure(figure, other.figures)))) return null;
  if (!hasNames(statement, earlier.words)) return null;
  const close = similar.filter(([other, shared]) => isClose(statement, other, shared));
  const isDenied = close.length > 0 && close.every(([other]) => areOpposite(polarity, other.polarity));
  return isDenied ? null : best[0];
}

function isClose(left: StatementWords, right: StatementWords, shared: number): boolean {
  return shared >= MIN_CLOSE_WORDS * Math.max(left.words.size, right.words.size);
}

/** Pairs what is gone with what is new where only figures differ: the most similar first, each once. */
function pairRevised<T>(gone: readonly Compared<T>[], added: readonly Compared<T>[]): RevisedStatement<T>[] {
  const index: Groups<string, Compared<T>> = new Map();
  for (const statement of gone) for (const word of statement.words) addToGroup(index, word, statement);
  const places = new Map([...gone, ...added].map((statement, place) => [statement, place]));
  const place = (statement: Compared<T>) => places.get(statement) ?? 0;
  const pairs = added
    .flatMap((after) =>
      countShared(after.words, index).flatMap(([before, shared]) => {
        const figures = isClose(before, after, shared) ? pairFigures(before, after) : [];
        return figures.length === 0 ? [] : [{ before, after, figures, shared }];
      }),
    )
    // By a rule that does not depend on which of the two completions is the later one.
    .toSorted(
      (a, b) =>
        b.shared - a.shared ||
        place(a.before) + place(a.after) - place(b.before) - place(b.after) ||
        place(a.before) - place(b.before),
    );
  const used = new Set<Compared<T>>();
  return pairs.flatMap(({ before, after, figures }) => {
    if (used.has(before) || used.has(after)) return [];
    used.add(before).add(after);
    return [{ before: before.folded, after: after.folded, figures }];
  });
}

/** The figures in which two statements differ; empty if they also differ in something else. */
function pairFigures(before: StatementWords, after: StatementWords): RevisedStatement<never>['figures'] {
  const from = listMissing(before.figures, after.figures);
  const to = listMissing(after.figures, before.figures);
  if (from.length !== to.length || areOpposite(before.polarity, after.polarity)) return [];
  if (!hasNames(before, after.all) || !hasNames(after, before.all)) return [];
  return from.map(({ text }, i) => ({ from: text, to: to[i]?.text ?? '' }));
}

function listMissing(figures: readonly Figure[], others: readonly Figure[]): Figure[] {
  return figures.filter((figure) => !hasFigure(figure, others));
}

/**
 * Adds the values that a completion had for the only figure in which a statement differs from it, by that figure. Several
 * at once, as where sources disagree, go up and down.
 */
function collectFormer<T>(
  statement: Compared<T>,
  earlier: ReadCompletion<T>,
  former: Map<string, number[]>,
): void {
  const formerValues: Groups<string, number> = new Map();
  for (const [other, shared] of countShared(statement.words, earlier.index)) {
    const [changed, further] = isClose(statement, other, shared) ? pairFigures(other, statement) : [];
    const figure = other.figures.find(({ text }) => text === changed?.from);
    if (changed !== undefined && further === undefined && figure !== undefined)
      addToGroup(formerValues, changed.to, figure.value);
  }
  for (const [figure, values] of formerValues)
    former.set(figure, [
      ...(former.get(figure) ?? []),
      ...(values.length === 1 ? values : [...values, values[0]]),
    ]);
}

function goesUpAndDown(values: readonly number[]): boolean {
  const steps = new Set(values.slice(1).map((value, i) => Math.sign(value - (values[i] ?? value))));
  return steps.has(1) && steps.has(-1);
}
