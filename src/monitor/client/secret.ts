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
  return forms.reduce((left, form) => withoutBeginning(left.replaceAll(form, '[key]'), form), text);
}

/** The same for bytes that are kept as they came: a body that repeats the key is the only one that is touched. */
export function concealInBytes(bytes: Buffer, key: string | undefined): Buffer {
  if (key === undefined || key === '' || !bytes.includes(key)) return bytes;
  return Buffer.from(conceal(bytes.toString('utf8'), key));
}

function withoutBeginning(text: string, form: string): string {
  for (let n = form.length - 1; n >= TELLING; n--) {
    if (text.endsWith(form.slice(0, n))) return `${text.slice(0, -n)}[key]`;
  }
  return text;
}
