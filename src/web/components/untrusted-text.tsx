/** Text and addresses that came from outside: shown, never trusted. */

import { DIRECTIONS } from '../../domain/text.ts';
import { parseUrl } from '../../domain/link.ts';

/** These alone can change what else a line says, and a reader sees where they were; a browser draws nothing for the rest. */
const DIRECTION = new RegExp(`[${DIRECTIONS}]`, 'gu');

const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** Text in which no character is made of several, so that it need not be segmented. */
const SINGLE_POINT_TEXT = /^[\0-\u02ff\u2010-\u205f\u20ac]*$/;
/**
 * Code points of one visible character: the longest in ordinary use, a family of four with its tones of skin, has 11. Where
 * no font draws them as one, so many side by side fit the narrowest phone, in a heading too.
 */
const MAX_CHARACTER_POINTS = 16;
/** A letter with its marks: it reads the same with fewer. */
const MARKED_LETTER = /^\P{M}\p{M}+$/su;

/** Text of somebody else, as text. */
export function UntrustedText({ text, most = 400 }: { text: string | null; most?: number }) {
  if (text === null || text === '') return <span class="unknown">no text</span>;
  return <bdi dir="auto">{shortenText(text, most)}</bdi>;
}

/**
 * The same where no element may stand: in the title of a window.
 * @param most UTF-16 units that are shown
 */
export function shortenText(text: string, most = 400): string {
  const cut = clampCharacters(text.slice(0, most)).toWellFormed().replaceAll(DIRECTION, '\u2423');
  return text.length > most && !cut.endsWith('…') ? `${cut}…` : cut;
}

/**
 * The text with every character shortened to what fits a line. A browser breaks a line only between characters, and one
 * letter may carry hundreds of combining marks, which some fonts draw side by side. What is left out of anything but
 * marks is shown as left out.
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

/** An address of the web that may be followed, or undefined: only http and https, and no name or password in it. */
function parseExternalUrl(address: string | null): URL | undefined {
  const url = address === null ? undefined : parseUrl(address);
  if (url === undefined) return undefined;
  const plain = url.username === '' && url.password === '';
  return plain && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined;
}

/** A link out of the program, where its address may be followed; otherwise its text alone. */
export function ExternalLink({ href, text }: { href: string | null; text: string | null }) {
  const url = parseExternalUrl(href);
  if (url === undefined) return <UntrustedText text={text ?? href} />;
  return (
    <a href={url.href} rel="noopener noreferrer nofollow" class="out">
      <UntrustedText text={text ?? url.href} />
    </a>
  );
}

/** A word for a shell, in quotes. */
export function quoteShell(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A word for a shell, in quotes only where it needs them. */
export function quoteShellWord(word: string): string {
  return /^[\w.:@/-]+$/.test(word) && !word.startsWith('-') ? word : quoteShell(word);
}

/** `[3](https://...)`, as completions cite. */
const CITATION = /\[(\d{1,3})\]\((https?:\/\/[^\s()]{1,2000})\)/g;

/** A text without its citations, one that was cut off among them: where it stands in a line. */
export function removeCitations(text: string): string {
  return text.replaceAll(/ ?\[\d{1,3}\]\([^\s()]*(?:\)|$)/g, '');
}

/** A text with its citations as numbers that lead to what they cite. */
export function CitedText({ text, most }: { text: string | null; most: number }) {
  if (text === null || text.trim() === '') return <UntrustedText text={null} />;
  const parts = [];
  let from = 0;
  let shown = 0;
  for (const found of text.matchAll(CITATION)) {
    const [whole, number = '', address = ''] = found;
    const before = text.slice(from, found.index);
    if (shown + before.length > most) break;
    parts.push(<UntrustedText text={before === '' ? ' ' : before} most={most} />);
    parts.push(
      <sup>
        <ExternalLink href={address} text={number} />
      </sup>,
    );
    shown += before.length;
    from = found.index + whole.length;
  }
  const rest = text.slice(from);
  return (
    <>
      {parts}
      {rest === '' ? null : <UntrustedText text={rest} most={Math.max(1, most - shown)} />}
    </>
  );
}
