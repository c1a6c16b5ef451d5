/**
 * The characters of a document, by all clues that it has: byte order mark, header, XML declaration, `<meta>`, and the
 * bytes themselves, which refute some clues and have to do where there is none.
 */

import { isAscii, isUtf8 } from 'node:buffer';
import { decodeBuffer, getEncoding } from 'encoding-sniffer';
import { detectAll } from 'jschardet';

const UTF_8 = 'utf-8';
/** Where documents declare their encoding; the declaration of XML may stand behind words. */
const MAX_HEAD_BYTES = 4_096;
/** Of the sample from which an encoding is detected; a title is usually enough. */
const MAX_SAMPLE_BYTES = 8_192;
/** Bytes of which a sample is taken. */
const MAX_SAMPLED_BYTES = 500_000;

/** Never throws: bytes that are no characters become U+FFFD. */
export function decodeDocument(bytes: Uint8Array, contentType: string): string {
  const label = readMark(bytes) ?? findUnmarkedUtf16(bytes) ?? chooseEncoding(bytes, contentType);
  if (label.startsWith('utf-')) return new TextDecoder(label).decode(bytes);
  // The decoder of Node 20 takes windows-1252 for Latin 1, where quotation marks are control characters.
  return decodeBuffer(toBuffer(bytes), { userEncoding: label });
}

function toBuffer(bytes: Uint8Array, max = bytes.length): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, max));
}

function readMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return UTF_8;
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

/** Markup is ASCII, so that every other byte of it is zero. */
function findUnmarkedUtf16(bytes: Uint8Array): string | undefined {
  const start = bytes.subarray(0, 100);
  const zeros = [0, 0] as [even: number, odd: number];
  for (const [i, byte] of start.entries()) if (byte === 0) zeros[i % 2 === 0 ? 0 : 1] += 1;
  const [even, odd] = zeros;
  if (Math.max(even, odd) < start.length / 4 || Math.min(even, odd) > start.length / 20) return undefined;
  return even > odd ? 'utf-16be' : 'utf-16le';
}

/** The sequences that switch to Japanese characters and back, which are ASCII themselves. */
const JAPANESE_ESCAPES = ['\x1b$@', '\x1b$B', '\x1b(J'];

/** Text that is valid UTF-8, and not only ASCII, is UTF-8, whatever it is said to be. */
function chooseEncoding(bytes: Uint8Array, contentType: string): string {
  if (isAscii(bytes))
    return JAPANESE_ESCAPES.some((escape) => toBuffer(bytes).includes(escape)) ? 'iso-2022-jp' : UTF_8;
  const { valid, invalid } = countUtf8(bytes);
  // One character may be broken, such as the last of a text that was cut.
  if (valid > 0 && valid >= invalid) return UTF_8;
  const sample = takeSample(bytes);
  const letters = countForeignLetters(sample);
  const isForeign = letters.count >= MIN_FOREIGN_LETTERS && letters.share > FOREIGN_SHARE;
  const clues = readClues(bytes, contentType).filter((label) => !(isForeign && WESTERN.has(label)));
  const possible = clues.filter((label) => isPossible(bytes, label));
  const [first, other] = possible;
  if (first !== undefined && (other === undefined || other === first)) return first;
  const names = letters.share <= LATIN_SHARE ? LATIN : DETECTABLE;
  const detected = detectEncoding(bytes, sample, names);
  if (possible.length === 0 || possible.includes(detected)) return detected;
  // Of Central European encodings, a short text shows only that it is not Western.
  return possible.find((label) => WESTERN.has(label) === WESTERN.has(detected)) ?? detected;
}

/** Characters beyond ASCII, and places that are no characters; of valid UTF-8, any number stands for all. */
function countUtf8(bytes: Uint8Array): { valid: number; invalid: number } {
  if (isUtf8(bytes)) return { valid: 1, invalid: 0 };
  let valid = 0;
  let invalid = 0;
  for (const [character] of new TextDecoder().decode(bytes).matchAll(/[^\0-\u007f]/gu)) {
    if (character === '\ufffd') invalid += 1;
    else valid += 1;
  }
  return { valid, invalid };
}

/** Encodings that the header and the document declare, the header's first; without UTF-16, which the bytes would show. */
function readClues(bytes: Uint8Array, contentType: string): string[] {
  const named = /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(contentType)?.[1];
  const head = toBuffer(bytes, MAX_HEAD_BYTES);
  const declaration = head.indexOf('<?xml');
  const declared = getEncoding(declaration > 0 ? head.subarray(declaration) : head, {
    maxBytes: MAX_HEAD_BYTES,
    defaultEncoding: UTF_8,
  });
  return [named ?? '', declared]
    .map(normalizeLabel)
    .filter((label) => label !== UNKNOWN && !/^(?:utf-16|replacement)/.test(label));
}

/** An encoding that no document has. */
const UNKNOWN = 'x-user-defined';

/** The name of an encoding in the WHATWG Encoding Standard; {@link UNKNOWN} if it has none. */
function normalizeLabel(label: string): string {
  return getEncoding(Buffer.alloc(0), { userEncoding: label, defaultEncoding: UNKNOWN }).toLowerCase();
}

function isPossible(bytes: Uint8Array, label: string): boolean {
  if (label === UTF_8) return false; // by the count of its characters
  return !decodeBuffer(toBuffer(bytes), { userEncoding: label }).includes('\ufffd');
}

/** Its texts, a character for each byte; of a long document, those with letters beyond ASCII. */
function takeSample(bytes: Uint8Array): string {
  const texts = toBuffer(bytes, MAX_SAMPLED_BYTES)
    .toString('latin1')
    .split(/<[^<>]{0,1000}>|\n/)
    .filter((text) => text.trim() !== '');
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const telling = length <= MAX_SAMPLE_BYTES ? texts : texts.filter((text) => /[\u0080-\u00ff]/.test(text));
  return telling.join('\n').slice(0, MAX_SAMPLE_BYTES);
}

/** What servers name for every document, and what the bytes refute. */
const WESTERN: ReadonlySet<string> = new Set(['windows-1252', 'iso-8859-15', 'macintosh']);
/** Of letters beyond ASCII, so that some accented words are no other script. */
const MIN_FOREIGN_LETTERS = 12;
/** Of the letters of words with a letter beyond ASCII: more are another script, fewer are accented Latin letters. */
const FOREIGN_SHARE = 0.5;
const LATIN_SHARE = 0.4;

function countForeignLetters(sample: string): { count: number; share: number } {
  const words = sample.match(/[^\s\u0080-\u00ff]{0,20}[\u0080-\u00ff]\S{0,40}/g) ?? [];
  const letters = words.join('');
  const count = letters.replace(/[\0-\u007f]+/g, '').length;
  return { count, share: letters === '' ? 0 : count / letters.length };
}

/** Encodings that documents without a declaration have, by the names of the detection. */
const LATIN = 'windows-1250 windows-1252 windows-1254 windows-1257 windows-1258 iso-8859-2 iso-8859-13'.split(
  ' ',
);
const DETECTABLE = [
  ...LATIN,
  ...`windows-1251 windows-1253 windows-1255 windows-1256 koi8-r koi8-u iso-8859-5 iso-8859-6 iso-8859-7 cp866
  mac-cyrillic cp874 cp932 cp949 euc-jis-2004 gb18030 big5hkscs`.split(/\s+/),
];
/** Names of the detection that browsers do not know. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['cp874', 'windows-874'],
  ['cp932', 'shift_jis'],
  ['cp949', 'euc-kr'],
  ['euc-jis-2004', 'euc-jp'],
  ['big5hkscs', 'big5'],
  ['maccyrillic', 'x-mac-cyrillic'],
]);

/** By the letters and the language of its texts; Western European if they show no other. */
function detectEncoding(bytes: Uint8Array, sample: string, names: string[]): string {
  if (sample === '') return 'windows-1252';
  const encoded = Buffer.from(sample, 'latin1');
  const ranked = detectAll(encoded, { detectEncodings: names, minimumThreshold: 0 });
  const labels = ranked.map(({ encoding }) => {
    const name = encoding?.toLowerCase() ?? '';
    return normalizeLabel(LABELS.get(name) ?? name);
  });
  return labels.find((label) => label !== UNKNOWN && isPossible(bytes, label)) ?? 'windows-1252';
}
