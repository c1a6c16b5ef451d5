/** Removes the API key of a service from its replies. */

import { MIN_SECRET_LENGTH } from '../../lib/text.ts';

/**
 * Removes the key from text in every form in which a service or proxy might repeat it: plain, JSON, URL-encoded, HTML, base64;
 * and a prefix of it if the text was cut there.
 */
export function redactKey(text: string, key: string | undefined): string {
  if (key === undefined || key.length < MIN_SECRET_LENGTH) return text;
  const forms = [
    key,
    JSON.stringify(key).slice(1, -1),
    encodeURIComponent(key),
    key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    Buffer.from(key).toString('base64'),
  ];
  const escaped = [...new Set(forms.slice(1))].map((form) => form.replaceAll(/[^A-Za-z0-9]/g, '\\$&'));
  let end = 0;
  const kept = text.replace(
    new RegExp([matchKeySpellings(key), ...escaped].join('|'), 'g'),
    (match, at: number) => {
      end = at + match.length;
      return '[key]';
    },
  );
  const cut = Math.max(...forms.map((form) => measureKeyPrefix(text.slice(end), form)));
  return cut === 0 ? kept : `${kept.slice(0, -cut)}[key]`;
}

/**
 * Removes the key from a body and leaves all other bytes unchanged. Bytes without a zero are not UTF-16.
 */
export function redactKeyInBytes(bytes: Buffer, key: string | undefined): Buffer {
  for (const charset of bytes.includes(0) ? [BYTEWISE, UTF16LE, UTF16BE] : [BYTEWISE]) {
    const text = charset.read(bytes);
    const kept = redactKey(text, key);
    if (kept !== text) return charset.write(kept);
  }
  return bytes;
}

type Charset = { read(bytes: Buffer): string; write(text: string): Buffer };

/** One character per byte: a key is ASCII, as headers are. */
const BYTEWISE: Charset = {
  read: (bytes) => bytes.toString('latin1'),
  write: (text) => Buffer.from(text, 'latin1'),
};

const UTF16LE: Charset = {
  read: (bytes) => bytes.toString('utf16le'),
  write: (text) => Buffer.from(text, 'utf16le'),
};

const UTF16BE: Charset = {
  read: (bytes) =>
    Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
      .swap16()
      .toString('utf16le'),
  write: (text) => Buffer.from(text, 'utf16le').swap16(),
};

/** A pattern of the key with any of its characters escaped as in JSON (`\\/`, `\\u0024`). */
function matchKeySpellings(key: string): string {
  return Array.from(key, (sign) => {
    const itself = /[A-Za-z0-9]/.test(sign) ? sign : `\\\\?\\${sign}`;
    const code = sign.charCodeAt(0).toString(16).padStart(4, '0');
    return `(?:${itself}|\\\\u${code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  }).join('');
}

/** The length of the longest prefix of the form that ends the text; shorter ones are coincidence. */
function measureKeyPrefix(text: string, form: string): number {
  for (let n = form.length - 1; n >= MIN_SECRET_LENGTH; n--) if (text.endsWith(form.slice(0, n))) return n;
  return 0;
}
