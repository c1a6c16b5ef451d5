/**
 * The characters of a document, by all clues that it has: byte order mark, header, XML declaration, `<meta>`, and the
 * bytes themselves, which refute some clues and have to do where there is none.
 */

import { isAscii, isUtf8 } from 'node:buffer';
import chardet from 'chardet';
import { decodeBuffer, getEncoding } from 'encoding-sniffer';

const UTF_8 = 'utf-8';
/** Where documents declare their encoding; the declaration of XML may stand behind words. */
const MAX_HEAD_BYTES = 4_096;
/** Of text beyond ASCII, for the detection; ten are usually enough. */
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

/** Text that is valid UTF-8, and not only ASCII, is UTF-8, whatever it is said to be. */
function chooseEncoding(bytes: Uint8Array, contentType: string): string {
  const { valid, invalid } = countUtf8(bytes);
  // One character may be broken, such as the last of a text that was cut.
  if (valid > 0 && valid >= invalid) return UTF_8;
  const clues = readClues(bytes, contentType);
  if (invalid === 0) return clues[0] ?? UTF_8;
  const possible = clues.filter((label) => isPossible(bytes, label));
  const [first, other] = possible;
  if (first !== undefined && (other === undefined || other === first)) return first;
  const detected = detectEncoding(bytes);
  return possible.includes(detected) ? detected : (first ?? detected);
}

/** Characters beyond ASCII, and places that are no characters; of valid UTF-8, any number stands for all. */
function countUtf8(bytes: Uint8Array): { valid: number; invalid: number } {
  if (isAscii(bytes)) return { valid: 0, invalid: 0 };
  if (isUtf8(bytes)) return { valid: 1, invalid: 0 };
  let valid = 0;
  let invalid = 0;
  for (const [character] of new TextDecoder().decode(bytes).matchAll(/[^\0-\u007f]/gu)) {
    if (character === '\ufffd') invalid += 1;
    else valid += 1;
  }
  return { valid, invalid };
}

/** Encodings that header and document name, as the labels of `TextDecoder`; the header first. */
function readClues(bytes: Uint8Array, contentType: string): string[] {
  const named = /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(contentType)?.[1];
  const head = toBuffer(bytes, MAX_HEAD_BYTES);
  const declaration = head.indexOf('<?xml');
  const declared = getEncoding(declaration > 0 ? head.subarray(declaration) : head, {
    maxBytes: MAX_HEAD_BYTES,
    defaultEncoding: UTF_8,
  });
  return [named, declared].flatMap((label) => openDecoder(label ?? '')?.encoding ?? []);
}

function isPossible(bytes: Uint8Array, label: string): boolean {
  if (label === UTF_8) return false; // by the count of its characters
  try {
    new TextDecoder(label, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The least confidence, in percent, of more than a guess; guesses have ten. */
const MIN_CONFIDENCE = 11;

/** By the letters of its words that are not ASCII; Western European if they do not show it. */
function detectEncoding(bytes: Uint8Array): string {
  const text = toBuffer(bytes, MAX_SAMPLED_BYTES)
    .toString('latin1')
    .replace(/<[^<>]{0,1000}>/g, ' ');
  const words = text.match(/[^\s\u0080-\u00ff]{0,20}[\u0080-\u00ff]\S{0,40}/g) ?? [];
  const sample = words.join(' ').slice(0, MAX_SAMPLE_BYTES);
  // Words of few other letters, such as "caf\u00e9", are Western European in doubt.
  const isMostlyOther = sample.replace(/[\0-\u007f]+/g, '').length > sample.length / 2;
  const detected = chardet
    .analyse(Buffer.from(sample, 'latin1'))
    .find(
      ({ name, confidence }) =>
        !/^(?:UTF|ASCII)/.test(name) &&
        (confidence >= MIN_CONFIDENCE || isMostlyOther) &&
        isPossible(bytes, name),
    );
  return openDecoder(detected?.name ?? '')?.encoding ?? 'windows-1252';
}

/** Undefined for unknown labels. */
function openDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
