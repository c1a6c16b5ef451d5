/**
 * How much a completion changed: which of its statements are new, kept or gone against another completion of its search.
 * Wording varies from completion to completion, so statements are compared by their words and their figures.
 */
import { formatPercent, formatCount } from './display-format.ts';
import { addToGroup, type Groups } from './group-by.ts';
import { splitIndexWords } from './relevance.ts';

/**
 * Share of words that two wordings of a statement have in common at least. Chosen by `npm run -s bench:changes`; see
 * docs/internals/links-and-completions.md.
 */
export const MIN_SHARED_WORDS = 0.4;

/** `isCited`: it cites a link, or a number that the response does not resolve. */
type Statement = { text: string; isCited: boolean };

/** A statement and its copies: the same in other sections, or in almost the same words. */
export type FoldedStatement<T> = { statement: T; copies: readonly T[] };

export type CompletionChange<T> = {
  added: FoldedStatement<T>[];
  gone: FoldedStatement<T>[];
  /** `before`: the most similar statement of the earlier completion. */
  kept: { before: FoldedStatement<T>; after: FoldedStatement<T> }[];
  /** Share of the statements of both that the other completion contains as well, from 0 to 1; 1 if both are empty. */
  similarity: number;
  /**
   * Whether a statement is new. In a completion with citations, statements without one are introductions or conclusions,
   * and are no news.
   */
  isChanged: boolean;
};

/**
 * Compares the statements of two completions. A statement is kept if the other completion has its words and figures,
 * in one statement or in several that were merged. Linear in the lengths, times the statements that share a word.
 * @param before statements in order; likewise `after`
 */
export function compareStatements<T extends Statement>(
  before: readonly T[],
  after: readonly T[],
  minShared: number = MIN_SHARED_WORDS,
): CompletionChange<T> {
  const earlier = foldCopies(before);
  const later = foldCopies(after);
  const known = indexWords(earlier);
  const current = indexWords(later);
  const added: FoldedStatement<T>[] = [];
  const kept: CompletionChange<T>['kept'] = [];
  for (const statement of later) {
    const match = findSupport(statement, known, minShared);
    if (match === null) added.push(statement.folded);
    else kept.push({ before: match.folded, after: statement.folded });
  }
  const gone = earlier
    .filter((statement) => findSupport(statement, current, minShared) === null)
    .map(({ folded }) => folded);
  const all = earlier.length + later.length;
  const hasCitations = after.some(({ isCited }) => isCited);
  return {
    added,
    gone,
    kept,
    similarity: all === 0 ? 1 : (all - added.length - gone.length) / all,
    isChanged: added.some(({ statement }) => statement.isCited || !hasCitations),
  };
}

/** The stored figures of a completion against the previous one. */
type ChangeFigures = {
  statements_new: number | null;
  statements_gone: number | null;
  statements_kept: number | null;
  citations_added: number | null;
  citations_removed: number | null;
  similarity: number | null;
};

/** `3 statements new, 2 removed, 9 unchanged; 4 sources added, 1 removed; 75 % similar`; null if not compared. */
export function describeCompletionChange(figures: ChangeFigures): string | null {
  const { statements_new, statements_gone, statements_kept, citations_added, citations_removed, similarity } =
    figures;
  if (similarity === null) return null;
  const statements = `${formatCount(statements_new ?? 0, 'statement')} new, ${statements_gone ?? 0} removed, ${statements_kept ?? 0} unchanged`;
  const sources = `${formatCount(citations_added ?? 0, 'source')} added, ${citations_removed ?? 0} removed`;
  return `${statements}; ${sources}; ${formatPercent(similarity)} similar`;
}

/** A number as written, and its value, which is not a number in digits other than ASCII's. */
type Figure = { text: string; value: number; isYear: boolean };
type Words = { words: ReadonlySet<string>; figures: readonly Figure[] };
type Compared<T> = Words & { folded: { statement: T; copies: T[] } };

/** Share of common words from which a statement is a copy of another one of its completion. */
const MIN_COPY_WORDS = 0.7;

function foldCopies<T extends Statement>(statements: readonly T[]): Compared<T>[] {
  const folded: Compared<T>[] = [];
  const index: Groups<string, Compared<T>> = new Map();
  for (const statement of statements) {
    const own = readWords(statement.text);
    const [nearest] = countShared(own.words, index)
      .filter(
        ([other, shared]) =>
          shared >= MIN_COPY_WORDS * Math.max(own.words.size, other.words.size) &&
          hasFigures(own.figures, other.figures) &&
          hasFigures(other.figures, own.figures),
      )
      .toSorted((a, b) => b[1] - a[1]);
    if (nearest !== undefined) {
      nearest[0].folded.copies.push(statement);
      continue;
    }
    const compared = { folded: { statement, copies: [] }, ...own };
    folded.push(compared);
    addToIndex(index, compared);
  }
  return folded;
}

function addToIndex<T>(index: Groups<string, Compared<T>>, compared: Compared<T>): void {
  for (const word of compared.words) addToGroup(index, word, compared);
}

function indexWords<T>(statements: readonly Compared<T>[]): Groups<string, Compared<T>> {
  const index: Groups<string, Compared<T>> = new Map();
  for (const statement of statements) addToIndex(index, statement);
  return index;
}

/** The statements that share words with these, and how many. */
function countShared<T>(
  words: ReadonlySet<string>,
  index: ReadonlyMap<string, readonly Compared<T>[]>,
): [Compared<T>, number][] {
  const shared = new Map<Compared<T>, number>();
  for (const word of words)
    for (const other of index.get(word) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
  return [...shared];
}

/** "The port is closed" and "The port is open" have one. */
const MIN_COMMON_WORDS = 2;

/** The statement that is most like this one, if those that resemble it together have its words and figures. */
function findSupport<T>(
  { words, figures }: Compared<T>,
  index: ReadonlyMap<string, readonly Compared<T>[]>,
  minShared: number,
): Compared<T> | null {
  const similar = countShared(words, index)
    .filter(([other, shared]) => {
      const least = Math.min(words.size, other.words.size);
      return shared >= Math.max(minShared * least, Math.min(MIN_COMMON_WORDS, least));
    })
    .toSorted((a, b) => b[1] - a[1]);
  const [best] = similar;
  if (best === undefined) return null;
  const together = new Set(similar.map(([other]) => other));
  let covered = 0;
  for (const word of words) if (index.get(word)?.some((other) => together.has(other)) === true) covered++;
  const hasAll = figures.every((figure) => similar.some(([other]) => hasFigures([figure], other.figures)));
  return covered >= minShared * words.size && hasAll ? best[0] : null;
}

/** Only so many letters of a word are compared, because endings vary. */
const STEM_LETTERS = 5;
/** Shorter words of an alphabet are mostly grammar. */
const GRAMMAR_WORD = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,3}$/u;
const ADDRESS = /https?:\/\/\S+/giu;
const FIGURE = /\p{Nd}+(?:[.,:’]\p{Nd}+)*/gu;
/** What follows a figure that always moves (engagement, ages, times of day), in the writer's languages and a few more. */
const MOVING_UNIT =
  /^[\s\u00a0]?(?:(?:repl|comment|coment|commentaire|kommentar|point|punkt|punto|like|view|vue|vista|visual|aufruf|antwort|répons|respuest|rispost|respost|reactie|share|vote|voto|stimm|repost|retweet|upvote|follower|subscriber|abonn|times|mal\b|me gusta|curtid|мне нрав|лайк|коммент|просмотр|ответ|репост|подписчик|минут|час|секунд|sec|sek|min|hour|hr|stund|heure|hora|ora\b|ore\b|uur)|[分時秒回件])/iu;

/** Of a statement, no more figures are compared: some sentences are tables. */
const MAX_FIGURES = 30;

/** The words and figures by which a statement is compared. Figures that always move are left out. */
function readWords(text: string): Words {
  const whole = text.normalize('NFKC').replace(ADDRESS, ' ');
  const written = new Set<string>();
  for (const { 0: figure, index } of whole.matchAll(FIGURE)) {
    const end = index + figure.length;
    if (!figure.includes(':') && !MOVING_UNIT.test(whole.slice(end, end + 16))) written.add(figure);
  }
  const figures = [...written].slice(0, MAX_FIGURES).map(readFigure);
  const words = splitIndexWords(whole.replace(FIGURE, ' ')).map((word) => word.slice(0, STEM_LETTERS));
  const content = words.filter((word) => !GRAMMAR_WORD.test(word));
  if (content.length > 0) return { words: new Set(content), figures };
  return { words: new Set(words.length > 0 ? words : [text]), figures };
}

/** From here on, figures that differ by less than {@link MAX_ROUNDING} are one figure, rounded. */
const MIN_ROUNDED = 1_000;
const MAX_ROUNDING = 0.05;

function hasFigures(figures: readonly Figure[], others: readonly Figure[]): boolean {
  return figures.every((figure) => others.some((other) => isSameFigure(figure, other)));
}

function isSameFigure(one: Figure, other: Figure): boolean {
  const [a, b] = [one.value, other.value];
  if (a === b || one.text === other.text) return true;
  if (one.isYear || other.isYear || Math.min(a, b) < MIN_ROUNDED) return false;
  return Math.abs(a - b) <= MAX_ROUNDING * Math.max(a, b);
}

/** `1,240` and `1.240` are thousands. */
function readFigure(text: string): Figure {
  const isThousands = /^\d{1,3}(?:[.,’]\d{3})+$/.test(text);
  const digits = isThousands ? text.replace(/[.,’]/g, '') : text.replace(',', '.').replaceAll('’', '');
  return { text, value: Number(digits), isYear: /^(?:19|20)\d\d$/.test(text) };
}
