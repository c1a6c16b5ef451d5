/** Hashtags as networks read them from a text, in all scripts. Pure, and linear in the length of the text. */

/** Maximum hashtags of a post, from its `entities` or its text. */
const MAX_HASHTAGS = 200;
/** In UTF-16 code units; longer words are no names. */
const MAX_LENGTH = 256;

/** Addresses, whose fragments are no hashtags. In scripts without spaces, text may follow them at once. */
const ADDRESS = /\b(?:https?:\/\/|www\.)[!-~]+/gi;
/**
 * Letters, marks, digits and underscores; between them also joiners, which Persian and Indian scripts need, and middle
 * dots of Catalan and Japanese.
 */
const NAME = '[\\p{L}\\p{N}_](?:[\\u200c\\u200d\\u00b7\\u30fb]?[\\p{L}\\p{M}\\p{N}_])*';
/** Behind the start or a character of no word; not in an address, an escaped character or a name that was cut. */
const OPEN = `(?<![\\p{L}\\p{M}\\p{N}_&/])[#＃](${NAME})(?:[#＃]|(?![\\p{L}\\p{M}\\p{N}_…]))`;
const UNSPACED = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}]';
/** Where words are not separated, a second mark ends the name: `今天#东京#很热`. */
const CLOSED = `(?<=${UNSPACED})[#＃](${NAME})[#＃]`;
const HASHTAG = new RegExp(`${OPEN}|${CLOSED}`, 'gu');
const HAS_LETTER = /\p{L}/u;

/** Names without `#`, as written, in the order of the text; the same letters in other case are one. */
export function readTextHashtags(text: string): string[] {
  if (!/[#＃]/.test(text)) return [];
  const names = Array.from(
    text.replace(ADDRESS, ' ').matchAll(HASHTAG),
    ([, open, closed = '']) => open ?? closed,
  );
  return mergeHashtags(
    [],
    names.filter((name) => name.length <= MAX_LENGTH && HAS_LETTER.test(name)),
  );
}

/** Hashtags that a post names, and those of its text that are not among them: the same letters in other case are one. */
export function mergeHashtags(named: readonly string[], textTags: readonly string[]): string[] {
  const known = new Set(named.map(foldTag));
  const merged = [...named];
  for (const tag of textTags) {
    const folded = foldTag(tag);
    if (known.has(folded) || merged.length >= MAX_HASHTAGS) continue;
    known.add(folded);
    merged.push(tag);
  }
  return merged;
}

/** Hashtags in the `entities` of a post (null if it has none), with the hashtags of its text; null if there are neither. */
export function completeHashtags(named: readonly string[] | null, text: string): string[] | null {
  const textTags = readTextHashtags(text);
  return named === null && textTags.length === 0 ? null : mergeHashtags(named ?? [], textTags);
}

/** Services write names with or without `#`. */
function foldTag(tag: string): string {
  return tag
    .replace(/^[#＃]/, '')
    .normalize('NFKC')
    .toLowerCase();
}
