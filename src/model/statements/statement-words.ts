/** What statements are compared by: their words, figures, names, and what they assert or deny. */
import { type Polarity, readPolarity } from './opposites.ts';
import { splitIndexWords } from '../relevance.ts';

/** A number as written, and its value, which is not a number in digits other than ASCII's. */
export type Figure = { text: string; value: number; isYear: boolean };

export type StatementWords = {
  /** The words by which it is compared, without grammar and figures, shortened by {@link shortenWord}. */
  words: ReadonlySet<string>;
  /** All its words, shortened. */
  all: ReadonlySet<string>;
  /** In the order of the text, each once. Figures that always move are left out. */
  figures: readonly Figure[];
  /** Words that are names by their capital letter, shortened. */
  names: readonly string[];
  polarity: Polarity;
};

/** Only so many letters of a word are compared, because endings vary. */
const STEM_LETTERS = 5;
/** Shorter words of an alphabet are mostly grammar. */
const GRAMMAR_WORD = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,3}$/u;
const ADDRESS = /https?:\/\/\S+/giu;
/** Numbers in words that mean nothing else in these languages. */
const SPELLED_FIGURES: ReadonlyMap<string, string> = new Map(
  [
    ['2', 'two zwei deux twee dois duas'],
    ['3', 'three drei trois tres drie três'],
    ['4', 'four vier quatre cuatro quattro quatro'],
    ['5', 'five fünf cinq cinco cinque vijf'],
    ['6', 'six sechs seis zes'],
    ['7', 'seven sieben siete sette zeven sete'],
    ['8', 'eight acht huit ocho otto oito'],
    ['9', 'nine neun nueve nove negen'],
    ['10', 'ten zehn dix diez dieci tien dez'],
    ['11', 'eleven elf onze undici'],
    ['12', 'twelve zwölf douze doce dodici twaalf doze'],
  ].flatMap(([figure = '', words = '']) => words.split(' ').map((word): [string, string] => [word, figure])),
);
const DIGITS = /\p{Nd}+(?:[.,:’]\p{Nd}+)*/gu;
const FIGURE = new RegExp(`${DIGITS.source}|(?<![\\p{L}\\p{N}])\\p{L}{2,7}(?![\\p{L}\\p{N}])`, 'gu');
/** What follows a figure that always moves (engagement, ages, times of day), in the writer's languages and a few more. */
const MOVING_UNIT =
  /^[\s\u00a0]?(?:(?:repl|comment|coment|commentaire|kommentar|point|punkt|punto|like|view|vue|vista|visual|aufruf|antwort|répons|respuest|rispost|respost|reactie|share|vote|voto|stimm|repost|retweet|upvote|follower|subscriber|abonn|times|mal\b|me gusta|curtid|мне нрав|лайк|коммент|просмотр|ответ|репост|подписчик|минут|час|секунд|sec|sek|min|hour|hr|stund|heure|hora|ora\b|ore\b|uur)|[分時秒回件])/iu;

/** Of a statement, no more figures are compared: some sentences are tables. */
const MAX_FIGURES = 30;

/** The words and figures by which a statement is compared. */
export function readStatementWords(text: string): StatementWords {
  const whole = text.normalize('NFKC').replace(ADDRESS, ' ');
  const written = new Set<string>();
  for (const { 0: match, index } of whole.matchAll(FIGURE)) {
    const figure = /^\p{L}/u.test(match) ? SPELLED_FIGURES.get(match.toLowerCase()) : match;
    if (figure === undefined || figure.includes(':')) continue;
    const end = index + match.length;
    if (!MOVING_UNIT.test(whole.slice(end, end + 16))) written.add(figure);
  }
  const spoken = splitIndexWords(separateNegations(whole.replace(DIGITS, ' ')));
  const words = spoken.map(shortenWord);
  const content = words.filter((word) => !GRAMMAR_WORD.test(word));
  const compared = content.length > 0 ? content : words.length > 0 ? words : [text];
  return {
    words: new Set(compared),
    all: new Set(words),
    figures: [...written].slice(0, MAX_FIGURES).map(readFigure),
    names: readNames(whole),
    polarity: readPolarity(spoken, whole),
  };
}

function shortenWord(word: string): string {
  return word.slice(0, STEM_LETTERS);
}

/** `isn't` as `is not`, `n'est` as `ne est`, `can't` and `cannot` as `can not`. */
function separateNegations(text: string): string {
  return text
    .replace(/n['’]t(?!\p{L})/giu, ' not')
    .replace(/(?<!\p{L})n['’](?=\p{L})/giu, 'ne ')
    .replace(/(?<!\p{L})cannot(?!\p{L})/giu, 'can not');
}

const CASED_WORD = /(?<![@#\p{L}\p{N}_])[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}]{2,}/gu;
/** Behind these, a sentence, a quotation or a list item begins, where every word may have a capital letter. */
const OPENING_CHARACTERS = new Set('.!?:;"“„«‹\'‘([–—…*_>-');
const MAX_SPACES = 8;
/** Many of a sentence's words have a capital letter in titles, and in German, where nouns have one. */
const MAX_CAPITAL_SHARE = 0.5;
const GERMAN_WORD =
  /(?<!\p{L})(?:der|das|und|ist|nicht|eine[mnrs]?|im|dem|für|von|mit|auf|wird|werden|wurden?|sich|zum|zur|bei|nach|wegen|vor)(?!\p{L})/gu;
const MIN_GERMAN_WORDS = 2;

/** Names of people, places, days and organizations; none where capital letters mean something else. */
function readNames(text: string): string[] {
  const places = [...text.matchAll(CASED_WORD)].map(({ 0: word, index }) => ({
    word,
    isFirst: isOpening(text, index),
    isCapital: /^\p{Lu}/u.test(word),
  }));
  const inside = places.filter(({ isFirst }) => !isFirst);
  const capital = inside.filter(({ isCapital }) => isCapital);
  if (capital.length === 0) return [];
  if (capital.length > 2 && capital.length > MAX_CAPITAL_SHARE * inside.length) return [];
  if ((text.match(GERMAN_WORD)?.length ?? 0) >= MIN_GERMAN_WORDS) return [];
  const names = capital.filter(({ word }) => word.length > 2 || word === word.toUpperCase());
  return [...new Set(names.map(({ word }) => shortenWord(word.toLowerCase())))];
}

function isOpening(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - MAX_SPACES), index).trimEnd();
  return before === '' || OPENING_CHARACTERS.has(before.at(-1) ?? '');
}

/** From here on, figures that differ by less than {@link MAX_ROUNDING} are one figure, rounded. */
const MIN_ROUNDED = 1_000;
const MAX_ROUNDING = 0.05;

export function hasFigures(figures: readonly Figure[], others: readonly Figure[]): boolean {
  return figures.every((figure) => hasFigure(figure, others));
}

export function hasFigure(figure: Figure, others: readonly Figure[]): boolean {
  return others.some((other) => isSameFigure(figure, other));
}

function isSameFigure(left: Figure, right: Figure): boolean {
  const [a, b] = [left.value, right.value];
  if (a === b || left.text === right.text) return true;
  if (left.isYear || right.isYear || Math.min(a, b) < MIN_ROUNDED) return false;
  return Math.abs(a - b) <= MAX_ROUNDING * Math.max(a, b);
}

/** `1,240` and `1.240` are thousands. */
function readFigure(text: string): Figure {
  const isThousands = /^\d{1,3}(?:[.,’]\d{3})+$/.test(text);
  const digits = isThousands ? text.replace(/[.,’]/g, '') : text.replace(',', '.').replaceAll('’', '');
  return { text, value: Number(digits), isYear: /^(?:19|20)\d\d$/.test(text) };
}
