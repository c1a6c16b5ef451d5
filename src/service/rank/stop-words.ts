/** Words that say little, in the language that a prompt seems to be in. */
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

/** Forms of "to be" and words that ask, which the lists leave out. */
const SPANISH = [...spa, ...'es son está están qué cuál cuáles cómo quién'.split(' ')];
const PORTUGUESE = [...por, ...'é são está estão qual quais quem'.split(' ')];
const ITALIAN = [...ita, ...'è sono quale quali chi'.split(' ')];
const FRENCH = [...fra, ...'est sont quel quelle quels quelles'.split(' ')];

/** In this order where a prompt could be in several. */
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
/** Words of scripts that are nobody else's. */
const ASIAN = new Set([...jpn, ...zho]);
const LITTLE_KANA = /^\p{Script=Hiragana}$/u;

/** Little words of one language that say much in another: they do not tell which one a prompt is in. */
const TWO_FACED = new Set(
  'war die man hat art son car van men den era fin sin gift pour main sale fast not bad rest gut real ai us it'.split(
    ' ',
  ),
);

/**
 * Only the words of one language are little: of "war in ukraine" German would leave nothing but the country.
 * @param words in lower case
 */
export function stopWordsOf(words: readonly string[]): (word: string) => boolean {
  const telling = words.filter((word) => !TWO_FACED.has(word));
  const hits = LANGUAGES.map((language) => telling.filter((word) => language.has(word)).length);
  const language = LANGUAGES[hits.indexOf(Math.max(...hits))];
  return (word) => language?.has(word) === true || ASIAN.has(word) || LITTLE_KANA.test(word);
}
