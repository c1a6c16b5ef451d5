/** The language of a question, and its words that are no subject: stop words, words of asking, and words for how things relate. */

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
import { findRarity, MAX_RARITY } from './word-rarity.ts';

const split = (words: string) => words.trim().split(/\s+/u);

/** Forms of "to be" and question words, which the lists of stop words lack. */
const SPANISH = [...spa, ...split('es son está están qué cuál cuáles cómo quién')];
const PORTUGUESE = [...por, ...split('é são está estão qual quais quem')];
const ITALIAN = [...ita, ...split('è sono quale quali chi')];
const FRENCH = [...fra, ...split('est sont quel quelle quels quelles')];

/** Auxiliaries, and verbs and adverbs of questions: they say nothing about what is searched. */
const QUESTION_WORDS: Readonly<Record<string, readonly string[]>> = {
  en: split(`does did doing done happen happens happened happening work works worked working use uses used using take takes
    took taking taken stop stops stopped get gets got getting go goes going went gone need needs needed want wants know known
    mean means meant make makes made become becomes became come comes coming came say says said tell let give given keep
    affect affects affecting affected help helps compare compared cause caused really actually still currently ever already
    better much many more most less long often far big whether able vs versus per anyone someone why when where who
    whom which what how will would shall so just even right not without except excluding within under over until lately again yet soon`),
  de: split(`funktioniert funktionieren gibt gab passiert passierte geschah geschieht wirkt wirken macht machen gemacht bedeutet
    bedeuten hilft helfen braucht brauche brauchen nutzt benutzt geht gehen steht kommt kommen besteht besser viel viele
    mehr oft lange wirklich eigentlich derzeit gerade noch ohne außer sollte sollten kann können darf dürfen lässt welche welcher
    welches wieso weshalb wie warum wann wer wo was`),
  fr: split(`comment fonctionne fonctionnent fonctionner passe passé signifie existe existent faut faire fait peut peuvent doit
    doivent combien pourquoi quand arrive arrivé arriver sert est sont quel quelle quels quelles mieux plus beaucoup souvent
    vraiment encore rend sans sauf est-ce a-t-il y-a-t-il`),
  es: split(`es son está están qué cuál cuáles cómo quién quiénes cuándo dónde cuánto cuánta cuántos por funciona funcionan
    funcionar pasa pasó pasado ocurre ocurrió significa hay puede pueden debe deben sirve existe existen hacer hace hizo
    mejor más mucho muchos realmente todavía sin excepto salvo`),
  it: split(`è sono quale quali chi come cosa quando dove quanto quanta perché funziona funzionano funzionare succede successo
    significa può possono deve devono serve esiste esistono fare fa meglio più molto davvero ancora senza tranne eccetto`),
  pt: split(`é são está estão qual quais quem como quando onde quanto quanta quantos funciona funcionam funcionar acontece
    aconteceu acontecendo significa existe existem pode podem deve devem serve fazer faz melhor mais muito realmente ainda sem
    exceto`),
  ru: split('сколько как почему зачем когда где куда кто что какой какая какие чей можно нужно'),
  tr: split('nasıl neden niçin niye kaç hangi hangisi nerede'),
  nl: split(
    'werkt werken gebeurt gebeurde betekent bestaat bestaan kan kunnen moet moeten welke waarom wanneer hoe beter meer',
  ),
};

const STOP_WORDS: readonly (readonly [language: string, words: readonly string[]])[] = [
  // In order of precedence if several languages match.
  ['en', eng],
  ['de', deu],
  ['fr', FRENCH],
  ['es', SPANISH],
  ['it', ITALIAN],
  ['pt', PORTUGUESE],
  ['nl', nld],
  ['pl', pol],
  ['ru', rus],
  ['uk', ukr],
  ['sv', swe],
  ['da', dan],
  ['no', nob],
  ['fi', fin],
  ['tr', tur],
  ['ar', ara],
  ['ko', kor],
];
const LANGUAGES = STOP_WORDS.map(([language, words]) => ({ language, words: new Set(words) }));
const QUESTION_SETS = new Map(
  Object.entries(QUESTION_WORDS).map(([language, words]) => [language, new Set(words)]),
);
/** Words in scripts that only one language uses. */
const EAST_ASIAN_WORDS = new Set([
  ...jpn,
  ...zho,
  ...split(
    'なぜ どう どこ いつ 誰 何 どの どんな いくら って なる 上がっ 教え 为什么 什么 怎么 如何 哪里 谁 多少 吗',
  ),
]);
const LITTLE_KANA = /^\p{Script=Hiragana}$/u;

/** Stop words of one language that are significant in another; ignored for language detection. */
const AMBIGUOUS_WORDS = new Set(
  split(
    'war die man hat art son car van men den era fin sin gift pour main sale fast not bad rest gut real ai us it passe come chi door',
  ),
);

type Language = (typeof LANGUAGES)[number];

/** The language with the most hits among these words; null without any. */
function findLanguage(
  words: readonly string[],
  isHit: (word: string, language: Language) => boolean,
): Language | null {
  const unambiguous = words.filter((word) => !AMBIGUOUS_WORDS.has(word));
  const hits = LANGUAGES.map((language) => ({
    language,
    count: unambiguous.filter((word) => isHit(word, language)).length,
  }));
  const most = Math.max(...hits.map(({ count }) => count));
  if (most === 0) return null;
  const [first, ...others] = hits.filter(({ count }) => count === most).map(({ language }) => language);
  if (first === undefined || others.length === 0) return first ?? null;
  // "tortilla de patatas": the list of frequent words decides between the languages that have "de".
  const countFrequent = ({ language }: Language) =>
    words.filter((word) => (findRarity(word, language) ?? MAX_RARITY) < MAX_RARITY).length;
  return [first, ...others].toSorted((a, b) => countFrequent(b) - countFrequent(a))[0] ?? null;
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HAN = /\p{Script=Han}/u;
const HANGUL = /\p{Script=Hangul}/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;

/** The language of a question, ISO 639-1; null if its words do not tell. @param words in lower case */
export function detectLanguage(words: readonly string[]): string | null {
  const text = words.join(' ');
  if (KANA.test(text)) return 'ja';
  if (HANGUL.test(text)) return 'ko';
  if (HAN.test(text)) return 'zh';
  const known = findLanguage(
    words,
    (word, { language, words: stop }) =>
      stop.has(word) || isQuestionWord(word, language) || hasLetterOf(word, language),
  );
  // Of the languages in Cyrillic script, the one with most readers, unless a word tells.
  return known?.language ?? (CYRILLIC.test(text) ? 'ru' : null);
}

/** Letters that only one of the languages has. */
const OWN_LETTERS: Readonly<Record<string, RegExp>> = {
  de: /ß/u,
  es: /ñ/u,
  pt: /[ãõ]/u,
  pl: /[łżśź]/u,
  tr: /[ğış]/u,
  uk: /[іїєґ]/u,
};

function hasLetterOf(word: string, language: string): boolean {
  return OWN_LETTERS[language]?.test(word) === true;
}

/** Stop words of one language only: German ones would reduce "war in ukraine" to the country. @param words in lower case */
export function createStopWordFilter(words: readonly string[]): (word: string) => boolean {
  const language = findLanguage(words, (word, { words: stop }) => stop.has(word)) ?? LANGUAGES[0];
  return (word) => language?.words.has(word) === true || isEastAsianFiller(word);
}

function isEastAsianFiller(word: string): boolean {
  return EAST_ASIAN_WORDS.has(word) || LITTLE_KANA.test(word);
}

/** Whether a word says nothing about what is searched: a stop word of the language, or of English if none is known. */
export function isStopWord(word: string, language: string | null): boolean {
  const known = LANGUAGES.find((each) => each.language === language) ?? LANGUAGES[0];
  return known?.words.has(word) === true || isEastAsianFiller(word);
}

/** Whether a word only asks, in a language; in English, if none is known. @param word in lower case */
export function isQuestionWord(word: string, language: string | null): boolean {
  return QUESTION_SETS.get(language ?? 'en')?.has(word) === true;
}

/** Words of the question itself, and of its time; they rank last. */
export const ASKING_WORDS: ReadonlySet<string> = new Set(
  split(`news new latest recent today yesterday tonight now week month year current update updates information info tell find show
    give explain search summary summarize summarise best top people say saying think thoughts opinion opinions discussion
    discussions posts tweets aktuell aktuelle heute gestern woche monat jahr neueste neues nachrichten noticias últimas hoy ayer
    semana actualités aujourd'hui hier semaine dernières dernier notizie ultime oggi ieri settimana notícias hoje ontem nieuws
    laatste vandaag ニュース 最新 新闻 今日 今天`),
);

/** What somebody does with a subject, or it does; such words rank after the subjects, and are no part of a pair. */
export const PREDICATES: ReadonlySet<string> = new Set(
  split(`remove removed linked perform performs buy find fix learn build start starts started begin begins end
  choose lose lost win wins won ban bans banned decide decided rise rises rising rose fall falls falling fell increase
  increases increasing grow grows growing drop drops dropping spread spreads die died dies eat play pay paid save improve
  improves reduce reduces prevent prevents treat treats protect replace replaces survive reach reached announced
  announce launch launched released release releases recover heal install installs installed own owns owned live lives run runs
  write writes wrote written paint painted invent invented discover discovered freeze frozen expensive cheaper safe unsafe
  dangerous healthier legal illegal viable`),
);

/** Words that say how subjects relate, and predicates; they rank after the subjects. */
export const RELATION_WORDS: ReadonlySet<string> = new Set([
  ...PREDICATES,
  ...split(`effect effects impact impacts cause causes reason reasons difference differences benefit benefits advantage advantages
    disadvantages risk risks role way ways method methods type types kind kinds example examples list history meaning definition
    overview guide review reviews tips result results cost costs problem problems solution solutions alternative alternatives
    comparison folgen auswirkungen ursache ursachen gründe grund unterschied vorteile nachteile kosten kostet lohnt sinnvoll
    beispiele bedeutung effets effet conséquences causes raisons différence avantages inconvénients coût coûte efectos
    consecuencias causas razones diferencia ventajas desventajas cuesta costo effetti conseguenze ragioni differenza vantaggi
    costa efeitos consequências razões diferença vantagens custa gevolgen oorzaken verschil voordelen kost`),
]);
