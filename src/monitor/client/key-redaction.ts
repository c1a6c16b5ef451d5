/** Removes the key of a service from texts and bytes that came from there. */

/** Fewer letters than this of a key's beginning, at the end of a text, are chance. */
const MIN_KEY_PREFIX = 4;

/**
 * A text without the key, in the forms in which a service or a proxy might repeat it: as it is, as JSON,
 * in an address, in a page, in base64; and without its beginning where the text was cut inside it.
 */
export function redactKey(text: string, key: string | undefined): string {
  if (key === undefined || key === '') return text;
  const forms = [
    key,
    JSON.stringify(key).slice(1, -1),
    encodeURIComponent(key),
    key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    Buffer.from(key).toString('base64'),
  ];
  const bare = text.replace(matchKeySpellings(key), '[key]');
  return forms.reduce((left, form) => redactKeyPrefix(left.replaceAll(form, '[key]'), form), bare);
}

/**
 * The same for bytes that are kept as they came: a body that repeats the key is the only one that is
 * touched, and only where it does. Bytes without a zero are no UTF-16.
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

/** Each byte is a sign, whatever it means: a key is ASCII, as every header is. */
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

/** The key with any of its signs escaped as JSON may (`\\/`, `\\u0024`): once it is read it is the key again. */
function matchKeySpellings(key: string): RegExp {
  const signs = Array.from(key, (sign) => {
    const itself = /[A-Za-z0-9]/.test(sign) ? sign : `\\\\?\\${sign}`;
    const code = sign.charCodeAt(0).toString(16).padStart(4, '0');
    return `(?:${itself}|\\\\u${code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
  return new RegExp(signs.join(''), 'g');
}

function redactKeyPrefix(text: string, form: string): string {
  for (let n = form.length - 1; n >= MIN_KEY_PREFIX; n--) {
    if (text.endsWith(form.slice(0, n))) return `${text.slice(0, -n)}[key]`;
  }
  return text;
}
