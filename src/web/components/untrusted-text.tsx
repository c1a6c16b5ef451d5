/** Text and addresses from outside. */

import { markText } from '../../model/excerpt.ts';
import { DIRECTIONS } from '../../lib/text.ts';
import { parseUrl } from '../../model/links/link.ts';
import { isHashtag } from '../../model/query-fields.ts';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** UTF-16 code units of a text. */
const MAX_SHOWN = 400;

/** Direction controls can reorder the rest of a line, so each is replaced by a visible mark. Other controls are invisible. */
const DIRECTION = new RegExp(`[${DIRECTIONS}]`, 'gu');

const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** Text where each character is one code point, so that it need not be segmented. */
const SINGLE_POINT_TEXT = /^[\0-\u02ff\u2010-\u205f\u20ac]*$/;
/**
 * Maximum code points of one visible character. The longest in ordinary use, a family of four with skin tones, has 11. If
 * no font combines them, this many side by side still fit a heading on the narrowest phone.
 */
const MAX_CHARACTER_POINTS = 16;
/** A letter with combining marks: readable with fewer marks. */
const MARKED_LETTER = /^\P{M}\p{M}+$/su;

/** The form of a language tag, which may be from outside. */
const LANGUAGE_TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i;

/** @param props.lang its language, if it is known */
export function UntrustedText({
  text,
  most = MAX_SHOWN,
  lang: tag,
}: {
  text: string | null;
  most?: number;
  lang?: string | null | undefined;
}) {
  const isMatch = useContext(Matches);
  if (text === null || text === '') return <span class="unknown">no text</span>;
  const shown = shortenText(text, most);
  const lang = LANGUAGE_TAG.test(tag ?? '') && tag !== 'und' ? (tag ?? undefined) : undefined;
  if (isMatch === undefined)
    return (
      <bdi dir="auto" lang={lang}>
        {shown}
      </bdi>
    );
  return (
    <bdi dir="auto" lang={lang}>
      {markText(shown, isMatch).map((piece) => (piece.match ? <mark>{piece.text}</mark> : piece.text))}
    </bdi>
  );
}

/** Words to highlight in all texts of an item; undefined: none. */
export const Matches = createContext<((word: string) => boolean) | undefined>(undefined);

/** A link to what has the hashtag; only text if Explore could not ask for it. @param tag without `#` */
export function Hashtag({ tag, most = 60 }: { tag: string; most?: number }) {
  const text = <UntrustedText text={`#${tag}`} most={most} />;
  return isHashtag(tag) ? <a href={`/explore?q=${encodeURIComponent(`#${tag}`)}`}>{text}</a> : text;
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

/** `German`; unknown codes are shown as they are. */
export function LanguageName({ code }: { code: string }) {
  try {
    return <UntrustedText text={LANGUAGES.of(code) ?? code} most={30} />;
  } catch {
    return <UntrustedText text={code} most={30} />;
  }
}

/** The same as plain text, for window titles. @param most maximum UTF-16 units */
export function shortenText(text: string, most = MAX_SHOWN): string {
  const cut = clampCharacters(text.slice(0, most)).toWellFormed().replaceAll(DIRECTION, '\u2423');
  return text.length > most && !cut.endsWith('…') ? `${cut}…` : cut;
}

/**
 * Limits the code points of each visible character. A browser breaks lines only between characters, and one letter can
 * carry hundreds of combining marks, which some fonts draw side by side. Anything dropped other than marks is shown as an
 * ellipsis.
 */
function clampCharacters(text: string): string {
  if (SINGLE_POINT_TEXT.test(text)) return text;
  return Array.from(GRAPHEMES.segment(text), ({ segment }) => {
    const points = Array.from(segment);
    if (points.length <= MAX_CHARACTER_POINTS) return segment;
    const cut = points.slice(0, MAX_CHARACTER_POINTS).join('');
    return MARKED_LETTER.test(segment) ? cut : `${cut}…`;
  }).join('');
}

/** Only http and https without credentials may be linked; undefined otherwise. */
function parseExternalUrl(address: string | null): URL | undefined {
  const url = address === null ? undefined : parseUrl(address);
  if (url === undefined) return undefined;
  const plain = url.username === '' && url.password === '';
  return plain && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined;
}

/** An external link, or only its text if the address may not be linked. */
export function ExternalLink({
  href,
  text,
  most = MAX_SHOWN,
}: {
  href: string | null;
  text: string | null;
  /** As for {@link UntrustedText}. */
  most?: number;
}) {
  const url = parseExternalUrl(href);
  if (url === undefined) return <UntrustedText text={text ?? href} most={most} />;
  return (
    <a href={url.href} rel="noopener noreferrer nofollow" class="out">
      <UntrustedText text={text ?? url.href} most={most} />
    </a>
  );
}

/** Quotes a word for a shell. */
export function quoteShell(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Quotes a word for a shell only if needed. */
export function quoteShellWord(word: string): string {
  return /^[\w.:@/-]+$/.test(word) && !word.startsWith('-') ? word : quoteShell(word);
}
