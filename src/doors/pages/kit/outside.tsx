/** Text and addresses that came from outside: shown, never believed. */
import { urlOf } from '../../../contract/url.ts';

/** Signs that turn the direction of a line or hide in it, shown as what they are. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of somebody else, as text. */
export function Outside({ text, most = 400 }: { text: string | null; most?: number }) {
  if (text === null || text === '') return <span class="unknown">no text</span>;
  const cut = text.slice(0, most).toWellFormed().replaceAll(TURNING, '\u2423');
  return <bdi dir="auto">{text.length > most ? `${cut}…` : cut}</bdi>;
}

/** An address of the web that may be followed, or undefined: only http and https, and no name or password in it. */
export function followable(address: string | null): URL | undefined {
  const url = address === null ? undefined : urlOf(address);
  if (url === undefined) return undefined;
  const plain = url.username === '' && url.password === '';
  return plain && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined;
}

/** A link out of the program, where its address may be followed; otherwise its text alone. */
export function OutLink({ href, text }: { href: string | null; text: string | null }) {
  const url = followable(href);
  if (url === undefined) return <Outside text={text ?? href} />;
  return (
    <a href={url.href} rel="noopener noreferrer nofollow" class="out">
      <Outside text={text ?? url.href} />
    </a>
  );
}
