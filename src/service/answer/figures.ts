/** The figures in a text, so that two texts can be compared by them. */

const FIGURE = /\p{Nd}+(?:[.,'’\u00a0\u202f]\p{Nd}+)*/gu;

/** Each number once: `1,250`, `1.250` and `1250` are one, `3,5` and `3.5` are one, in the digits of any script. */
export function figuresOf(text: string): Set<string> {
  // Compatible forms first: mathematical and circled digits do not stand in rows of ten.
  return new Set((text.normalize('NFKC').match(FIGURE) ?? []).map(canonical));
}

function canonical(figure: string): string {
  const digits = Array.from(figure, (mark) => (/\p{Nd}/u.test(mark) ? digitOf(mark) : mark)).join('');
  // Groups of three behind a mark are thousands.
  if (/^\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+$/.test(digits)) return bare(digits.replace(/\D/g, ''));
  return digits
    .split(/\D/)
    .map((part, i) => (i === 0 ? bare(part) : part))
    .join('.');
}

function bare(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

/** Decimal digits of a script stand in a row of ten, from nought. */
function digitOf(mark: string): string {
  if (mark >= '0' && mark <= '9') return mark;
  const at = mark.codePointAt(0) ?? 0;
  let zero = at;
  while (at - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(at - zero);
}
