/** By which rules the words of a language are brought to their stems: a text search configuration of Postgres. */

/** Configurations that every Postgres from 15 on has, by the language's code. */
const CONFIGS: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  in: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  ne: 'nepali',
  nl: 'dutch',
  no: 'norwegian',
  nb: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
};
/** Only as it stands: no stems, no little words. */
const PLAIN = 'simple';
const LATIN = /\p{Script=Latin}/u;

/**
 * @param lang as the post says it (`en`, `pt-BR`); null where it is not known: then text in Latin letters is
 *   taken for English, whose stems do others no harm as long as a question gets the same
 */
export function configOf(lang: string | null, text: string): string {
  const known = lang === null ? undefined : CONFIGS[lang.toLowerCase().split(/[-_]/u)[0] ?? ''];
  if (known !== undefined) return known;
  const unsaid = lang === null || lang === '' || lang === 'und';
  return unsaid && LATIN.test(text) ? 'english' : PLAIN;
}
