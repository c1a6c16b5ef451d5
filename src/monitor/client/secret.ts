/** Fewer letters than this of a key's beginning, at the end of a text, are chance. */
const TELLING = 4;

/**
 * A text without the key, in the forms in which a service or a proxy might repeat it: as it is, as JSON,
 * in an address, in a page, in base64; and without its beginning where the text was cut inside it.
 */
export function conceal(text: string, key: string | undefined): string {
  if (key === undefined || key === '') return text;
  const forms = [
    key,
    JSON.stringify(key).slice(1, -1),
    encodeURIComponent(key),
    key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    Buffer.from(key).toString('base64'),
  ];
  const bare = text.replace(spellings(key), '[key]');
  return forms.reduce((left, form) => withoutBeginning(left.replaceAll(form, '[key]'), form), bare);
}

/** The same for bytes that are kept as they came: a body that repeats the key is the only one that is touched. */
export function concealInBytes(bytes: Buffer, key: string | undefined): Buffer {
  if (key === undefined || key === '') return bytes;
  if (spellings(key).test(bytes.toString('latin1'))) return Buffer.from(conceal(bytes.toString('utf8'), key));
  const at = bytes.indexOf(Buffer.from(key, 'utf16le'));
  if (at < 0) return bytes;
  if (at % 2 === 0) return inUtf16(bytes, key);
  return inUtf16(Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16(), key).swap16();
}

function inUtf16(bytes: Buffer, key: string): Buffer {
  return Buffer.from(conceal(bytes.toString('utf16le'), key), 'utf16le');
}

/** The key with any of its signs escaped as JSON may (`\\/`, `\\u0024`): once it is read it is the key again. */
function spellings(key: string): RegExp {
  const signs = Array.from(key, (sign) => {
    const itself = /[A-Za-z0-9]/.test(sign) ? sign : `\\\\?\\${sign}`;
    const code = sign.charCodeAt(0).toString(16).padStart(4, '0');
    return `(?:${itself}|\\\\u${code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
  return new RegExp(signs.join(''), 'g');
}

function withoutBeginning(text: string, form: string): string {
  for (let n = form.length - 1; n >= TELLING; n--) {
    if (text.endsWith(form.slice(0, n))) return `${text.slice(0, -n)}[key]`;
  }
  return text;
}
