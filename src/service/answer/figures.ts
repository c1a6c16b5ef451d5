/** The figures in a text, in digits and in words, so that two texts can be compared by them. */
import { numbersIn } from './number-words.ts';

const FIGURE = /\p{Nd}+(?:[.,'’\u00a0\u202f]\p{Nd}+)*/u;
/** Superscripts, fractions, circled and Roman ones; and numbers in Chinese characters, of two and more. */
const CHINESE = '[〇零一二三四五六七八九十百千万萬億亿兆]{2,}';
const OTHER = new RegExp(`[\\p{No}\\p{Nl}]+|${CHINESE}`, 'u');
const TOKEN = new RegExp(
  `(?<figure>${FIGURE.source})|(?<other>${OTHER.source})|(?:(?!${CHINESE})\\p{L})+|[^\\s\\p{L}-]`,
  'gu',
);

/**
 * Each number once: `1,250`, `1.250` and `1250` are one, `3,5` and `3.5` are one, in the digits of any script and
 * in words; `¾`, `Ⅷ` and `十二` stand for themselves.
 */
export function figuresOf(text: string): Set<string> {
  const tokens: string[] = [];
  const others: string[] = [];
  for (const { 0: token, groups } of text.toLowerCase().matchAll(TOKEN)) {
    if (groups?.['figure'] !== undefined) tokens.push(canonical(token.normalize('NFKC')));
    else if (groups?.['other'] === undefined) tokens.push(token);
    else {
      // A circled seven is a seven.
      const plain = token.normalize('NFKC');
      others.push(/^\d+$/.test(plain) ? canonical(plain) : token);
    }
  }
  return new Set([...numbersIn(tokens), ...others]);
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
