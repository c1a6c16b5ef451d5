/** Keywords of a prompt, without the stop words of its language, and the wordings sent to sources. */

import { hasUnspacedScript } from '../../domain/relevance.ts';
import { hasLetterOrDigit, INVISIBLES } from '../../domain/text.ts';
import { pickBestWords } from '../sources/provider-query.ts';
import type { SourceQuery } from '../sources/search-source.ts';
import {
  ara,
  dan,
  deu,
  eng,
  fin,
  fra,
  ita,
  jpn,
  kor,
  nld,
  nob,
  pol,
  por,
  rus,
  spa,
  swe,
  tur,
  ukr,
  zho,
} from 'stopword';

const MAX_KEYWORDS = 12;
const MAX_KEYWORD_LENGTH = 64;

const QUOTED_PHRASE = /["“”„«»「」『』]([^"“”„«»「」『』]{2,80})["“”„«»「」『』]/gu;
/** Search operators: `site:x`, `-word`, `AND`, `NOT word`. */
const SEARCH_OPERATOR =
  /(?<![\p{L}\p{N}_])(?:(?:site|from|to|lang|language|since|until|before|after|filter|intitle|inurl|filetype|has|type):\S+|NOT\s+\S+|AND|OR|NOT)(?![\p{L}\p{N}_])|(?<=^|\s)-(?=[\p{L}\p{N}])\S+/gu;
/** A hashtag, or a word with inner punctuation: `covid-19`, `node.js`, `at&t`, `c++`. */
const WORD =
  /[#@]?[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*(?:[-'’.&][\p{L}\p{N}][\p{L}\p{M}\p{N}_]*)*(?:\+\+|#(?![\p{L}\p{N}]))?/gu;
/** Inside words: a soft hyphen, a zero-width space. */
const WITHOUT_WIDTH = new RegExp(String.raw`[\u00ad${INVISIBLES}]`, 'gu');
const URL_SCHEME = /https?:\/\/(?:www\.)?/giu;

/** Words of the question itself; they rank last. */
const ASKING_WORDS = new Set(
  `news new latest recent today current update updates information info tell find show give explain search summary
   summarize summarise best top people say saying think thoughts opinion opinions discussion discussions posts tweets
   aktuell aktuelle neueste nachrichten noticias últimas actualités dernières notizie ultime nieuws laatste
   ニュース 最新 新闻`.split(/\s+/u),
);

/** Maximum characters to segment in scripts without spaces: the segmenter takes 1 ms per thousand. */
const MAX_SEGMENTED_CHARACTERS = 500;
const HAN = /^\p{Script=Han}$/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

type WeightedWord = { text: string; weight: number };

/**
 * The most significant words of a prompt, best first, in lower case, distinct, at most 12: quoted phrases, then words
 * that look rare (tags, names, numbers, long words), otherwise in the order of the prompt. Excludes stop words unless
 * there is nothing else.
 */
export function extractKeywords(prompt: string): readonly string[] {
  const text = prompt.normalize('NFC').replace(WITHOUT_WIDTH, '').replace(URL_SCHEME, ' ');
  const phrases = Array.from(text.matchAll(QUOTED_PHRASE), ([, inside = '']) =>
    toBoundedLowerCase(inside.match(WORD)?.join(' ') ?? ''),
  ).filter((phrase) => phrase !== '');
  const plain = text.replace(QUOTED_PHRASE, ' ');
  const ranked = rankWords(plain.replace(SEARCH_OPERATOR, ' '));
  const found = [...phrases, ...ranked];
  // Only search operators: use their words.
  const all = found.length > 0 ? found : rankWords(text);
  return [...new Set(all)].slice(0, MAX_KEYWORDS);
}

/** The keywords that name the subject; without words of the question such as "latest news", unless there are no others. */
export function extractSubjectWords(prompt: string): readonly string[] {
  const keywords = extractKeywords(prompt);
  const subject = keywords.filter((word) => !ASKING_WORDS.has(word));
  return subject.length > 0 ? subject : keywords;
}

function rankWords(text: string): string[] {
  const words = weighWords(text);
  const isStopWord = createStopWordFilter(words.map((word) => word.text));
  const contentWords = words.filter((word) => !isStopWord(word.text));
  return (contentWords.length > 0 ? contentWords : words)
    .sort((a, b) => b.weight - a.weight)
    .map((word) => word.text);
}

function weighWords(text: string): WeightedWord[] {
  const tokens = Array.from(text.matchAll(WORD), ({ 0: token, index }) => ({
    token,
    // The first word of a sentence is always capitalized.
    named: /^\p{Lu}/u.test(token) && !/(?:^|[.!?:]\s+)$/u.test(text.slice(Math.max(0, index - 3), index)),
    shouted: /^\p{Lu}{2,}$/u.test(token),
  }));
  // If most words are capitalized, capitals mean nothing.
  const capitals = tokens.filter(({ named, shouted }) => named || shouted).length;
  const capitalsMatter = capitals <= tokens.length * 0.6;
  let left = MAX_SEGMENTED_CHARACTERS;
  return tokens.flatMap(({ token, named, shouted }) => {
    const tag = /^[#@]/u.test(token);
    const coded = /\p{N}/u.test(token) && /\p{L}/u.test(token);
    const weight = (tag ? 4 : 0) + (capitalsMatter && (named || shouted) ? 3 : 0) + (coded ? 2 : 0);
    const word = token.replace(/^[#@]/u, '');
    if (!hasUnspacedScript(word)) {
      const longest = pickLongestPart(word);
      return [{ text: longest, weight: weight + weighWord(longest) }];
    }
    const segments = segmentRun(word.slice(0, Math.max(2, left)));
    left -= word.length;
    return segments.map((part) => ({ text: part, weight: weight + weighWord(part) }));
  });
}

function weighWord(word: string): number {
  if (ASKING_WORDS.has(word)) return -8;
  return Math.min(12, word.length * (hasUnspacedScript(word) ? 3 : 1)) / 4;
}

/** The longest part of `l'énergie` or `Europe's` is the word. */
function pickLongestPart(word: string): string {
  return toBoundedLowerCase(word.split(/['’]/u).reduce((a, b) => (b.length > a.length ? b : a)));
}

/** Joins single characters, into which the segmenter splits unknown compounds. */
function segmentRun(run: string): string[] {
  const segments: string[] = [];
  let single = false;
  for (const { segment } of segmenter.segment(run)) {
    const alone = HAN.test(segment);
    const last = segments.length - 1;
    if (alone && single) segments[last] = `${segments[last]}${segment}`;
    // The segmenter also counts underscores as words.
    else if (hasLetterOrDigit(segment)) segments.push(toBoundedLowerCase(segment));
    single = alone;
  }
  return segments.length === 0 ? [toBoundedLowerCase(run)] : segments;
}

/** In lower case and truncated, never inside a surrogate pair. */
function toBoundedLowerCase(word: string): string {
  const lower = word.toLowerCase();
  return lower.length <= MAX_KEYWORD_LENGTH ? lower : Array.from(lower).slice(0, MAX_KEYWORD_LENGTH).join('');
}

// Stop words, in the detected language of the prompt.

/** Forms of "to be" and question words, which the lists lack. */
const SPANISH = [...spa, ...'es son está están qué cuál cuáles cómo quién'.split(' ')];
const PORTUGUESE = [...por, ...'é são está estão qual quais quem'.split(' ')];
const ITALIAN = [...ita, ...'è sono quale quali chi'.split(' ')];
const FRENCH = [...fra, ...'est sont quel quelle quels quelles'.split(' ')];

/** In order of precedence if several languages match. */
const LANGUAGES = [
  eng,
  deu,
  FRENCH,
  SPANISH,
  ITALIAN,
  PORTUGUESE,
  nld,
  pol,
  rus,
  ukr,
  swe,
  dan,
  nob,
  fin,
  tur,
  ara,
  kor,
].map((words) => new Set(words));
/** Words in scripts that only one language uses. */
const EAST_ASIAN_WORDS = new Set([...jpn, ...zho]);
const LITTLE_KANA = /^\p{Script=Hiragana}$/u;

/** Stop words of one language that are significant in another; ignored for language detection. */
const AMBIGUOUS_WORDS = new Set(
  'war die man hat art son car van men den era fin sin gift pour main sale fast not bad rest gut real ai us it'.split(
    ' ',
  ),
);

/** Stop words of one language only: German ones would reduce "war in ukraine" to the country. @param words in lower case */
export function createStopWordFilter(words: readonly string[]): (word: string) => boolean {
  const unambiguous = words.filter((word) => !AMBIGUOUS_WORDS.has(word));
  const hits = LANGUAGES.map((language) => unambiguous.filter((word) => language.has(word)).length);
  const language = LANGUAGES[hits.indexOf(Math.max(...hits))];
  return (word) => language?.has(word) === true || EAST_ASIAN_WORDS.has(word) || LITTLE_KANA.test(word);
}

/** A wording of a prompt: sources that require every word find more with fewer. */
export type Wording = Pick<SourceQuery, 'prompt' | 'keywords'>;

export type Wordings = {
  /** As the user wrote it. */
  own: Wording;
  /** Subsets of the best keywords, at least two each, all different; at most three. */
  narrower: readonly Wording[];
  /** The two best keywords, each alone: the last resort. */
  single: readonly Wording[];
};

const NARROWER_PLACES = [
  [0, 1, 2],
  [0, 1],
  [0, 2],
];

export function planWordings(prompt: string): Wordings {
  const keywords = extractKeywords(prompt);
  const of = (places: readonly number[]): Wording => {
    const chosen = places.flatMap((place) => keywords.slice(place, place + 1));
    const words = pickBestWords({ prompt, keywords: chosen }, chosen.length);
    return { prompt: words.join(' '), keywords: words };
  };
  const few = keywords.length;
  return {
    own: { prompt, keywords },
    narrower: NARROWER_PLACES.filter((places) => Math.max(...places) < few && places.length < few).map(of),
    single: few > 1 ? [of([0]), of([1])] : [],
  };
}
