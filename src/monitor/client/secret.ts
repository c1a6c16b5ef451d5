/**
 * A text without the key, in the forms in which a service or a proxy might repeat it: as it is, as JSON,
 * in an address, in a page, in base64.
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
  return forms.reduce((left, form) => left.replaceAll(form, '[key]'), text);
}
