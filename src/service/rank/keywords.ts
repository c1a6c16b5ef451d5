/** The words of a prompt that say what is looked for. */
import { isUnspaced } from '../../relevance/words.ts';
import { stopWordsOf } from './stop-words.ts';

const MOST = 12;
const LONGEST = 64;

const PHRASE = /["“”„«»「」『』]([^"“”„«»「」『』]{2,80})["“”„«»「」『』]/gu;
/** What search engines read as an order: `site:x`, `-word`, `AND`, `NOT word`. */
const OPERATOR =
  /(?<![\p{L}\p{N}_])(?:(?:site|from|to|lang|language|since|until|before|after|filter|intitle|inurl|filetype|has|type):\S+|NOT\s+\S+|AND|OR|NOT)(?![\p{L}\p{N}_])|(?<=^|\s)-(?=[\p{L}\p{N}])\S+/gu;
/** A tag, or a word with what may stand inside one: `covid-19`, `node.js`, `at&t`, `c++`. */
const WORD =
  /[#@]?[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*(?:[-'’.&][\p{L}\p{N}][\p{L}\p{M}\p{N}_]*)*(?:\+\+|#(?![\p{L}\p{N}]))?/gu;
const SCHEME = /https?:\/\/(?:www\.)?/giu;

/** Words with which one asks, whatever one asks for: they come last. */
const ASKING = new Set(
  `news new latest recent today current update updates information info tell find show give explain search summary
   summarize summarise best top people say saying think thoughts opinion opinions discussion discussions posts tweets
   aktuell aktuelle neueste nachrichten noticias últimas actualités dernières notizie ultime nieuws laatste
   ニュース 最新 新闻`.split(/\s+/u),
);

/** Characters of scripts without spaces that are looked at: the segmenter takes a millisecond for a thousand. */
const SEGMENTED_MOST = 500;
const HAN = /^\p{Script=Han}$/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

type Word = { text: string; weight: number };

/**
 * The words of a prompt that say most, best first, in lower case, each once, at most 12: quoted phrases
 * whole, then what looks rare (tags, names, numbers, long words), in the order of the prompt where that
 * says nothing. Words that say little are left out, unless there are no others.
 */
export function keywordsOf(prompt: string): readonly string[] {
  const text = prompt.normalize('NFC').replace(SCHEME, ' ');
  const phrases = Array.from(text.matchAll(PHRASE), ([, inside = '']) =>
    lowered(inside.match(WORD)?.join(' ') ?? ''),
  ).filter((phrase) => phrase !== '');
  const plain = text.replace(PHRASE, ' ');
  const ranked = rankedWords(plain.replace(OPERATOR, ' '));
  const found = [...phrases, ...ranked];
  // Nothing but orders: their words are all there is.
  const all = found.length > 0 ? found : rankedWords(text);
  return [...new Set(all)].slice(0, MOST);
}

function rankedWords(text: string): string[] {
  const words = weighed(text);
  const isLittle = stopWordsOf(words.map((word) => word.text));
  const telling = words.filter((word) => !isLittle(word.text));
  return (telling.length > 0 ? telling : words).sort((a, b) => b.weight - a.weight).map((word) => word.text);
}

function weighed(text: string): Word[] {
  const tokens = Array.from(text.matchAll(WORD), ({ 0: token, index }) => ({
    token,
    // The first word of a sentence has a capital in any case.
    named: /^\p{Lu}/u.test(token) && !/(?:^|[.!?:]\s+)$/u.test(text.slice(Math.max(0, index - 3), index)),
    shouted: /^\p{Lu}{2,}$/u.test(token),
  }));
  // Where most words have a capital it says nothing.
  const capitals = tokens.filter(({ named, shouted }) => named || shouted).length;
  const telling = capitals <= tokens.length * 0.6;
  let left = SEGMENTED_MOST;
  return tokens.flatMap(({ token, named, shouted }) => {
    const tag = /^[#@]/u.test(token);
    const coded = /\p{N}/u.test(token) && /\p{L}/u.test(token);
    const weight = (tag ? 4 : 0) + (telling && (named || shouted) ? 3 : 0) + (coded ? 2 : 0);
    const word = token.replace(/^[#@]/u, '');
    if (!isUnspaced(word)) {
      const longest = longestPart(word);
      return [{ text: longest, weight: weight + weightOf(longest) }];
    }
    const segments = segmentsOf(word.slice(0, Math.max(2, left)));
    left -= word.length;
    return segments.map((part) => ({ text: part, weight: weight + weightOf(part) }));
  });
}

function weightOf(word: string): number {
  if (ASKING.has(word)) return -8;
  return Math.min(12, word.length * (isUnspaced(word) ? 3 : 1)) / 4;
}

/** `l'énergie`, `Europe's`: the longest part is the word. */
function longestPart(word: string): string {
  return lowered(word.split(/['’]/u).reduce((a, b) => (b.length > a.length ? b : a)));
}

/** The dictionary cuts a compound it does not know into single characters: these are put together again. */
function segmentsOf(run: string): string[] {
  const segments: string[] = [];
  let single = false;
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    const alone = HAN.test(segment);
    const last = segments.length - 1;
    if (alone && single) segments[last] = `${segments[last]}${segment}`;
    else if (isWordLike === true) segments.push(lowered(segment));
    single = alone;
  }
  return segments.length === 0 ? [lowered(run)] : segments;
}

/** In lower case and not endless; never half a character. */
function lowered(word: string): string {
  const lower = word.toLowerCase();
  return lower.length <= LONGEST ? lower : Array.from(lower).slice(0, LONGEST).join('');
}
