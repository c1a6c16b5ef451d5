/** Texts that keep an expression that is not linear: each of its loops is reached, fed, and then disappointed. */
import { watchProcessor } from '../../processor.ts';
import { type Part, partsOf } from './pattern.ts';

/** What lies before a loop, what it is fed with, and what it does not expect. */
export type Attack = { before: string; fed: string; behind: string };

const SIGNS = [
  ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)),
  ...Array.from(
    '\n\t\r\0\u00a0\u00e9\u00df\u3042\u65e5\u3002\u3010\u3011\ue000\ue001\u0665\u2013\u2019\u2026\u20ac\u00bd\u2160\u0e01\u00d7\u202e\ufeff',
  ),
];
const BEHIND = ['', '\0', '\n', 'a'];

/** So many different signs feed a loop, so many ways through a group. */
const KINDS = 4;

/** Every attack on an expression. */
export function attacksOn(pattern: RegExp): Attack[] {
  const whole = partsOf(pattern);
  const known = [...new Set(signsIn(whole).flatMap((sign) => fitting(sign, pattern).slice(0, 2)))];
  const ways: { before: string; fed: string }[] = [];
  walk(whole, '');
  const distinct = new Map(ways.map((way) => [JSON.stringify(way), way]));
  return [...distinct.values()].flatMap(({ before, fed }) => [
    ...BEHIND.map((behind) => ({ before, fed, behind })),
    { before: `a${before}`, fed, behind: '!' },
    { before: '', fed: before + fed, behind: '' },
    { before: '', fed: `${before}${fed}${fed} `, behind: '' },
  ]);

  function walk(rows: readonly Part[][], before: string): void {
    for (const row of rows) {
      let so = before;
      for (const part of row) {
        if (part.inside !== undefined) walk(part.inside, so);
        if (part.most > 9) for (const fed of examples(part)) if (fed !== '') ways.push({ before: so, fed });
        if (!part.looks) so += (examples(part)[0] ?? '').repeat(Math.min(Math.max(part.least, 1), 20));
      }
    }
  }

  function examples({ sign, inside, looks }: Part): string[] {
    if (looks) return [''];
    if (inside !== undefined) {
      const each = inside.map((row) =>
        row.map((part) => examples(part)[0]?.repeat(part.least) ?? '').join(''),
      );
      const full = inside.map((row) => row.map((part) => examples(part)[0] ?? '').join(''));
      return [...new Set([...full, ...each, full.join('')])].slice(0, KINDS);
    }
    const fit = fitting(sign ?? '', pattern);
    const shared = known.filter((one) => fit.includes(one));
    return [...new Set([...shared.slice(0, KINDS - 1), ...fit.slice(0, 1)])];
  }
}

function signsIn(rows: readonly Part[][]): string[] {
  return rows.flat().flatMap(({ sign, inside, looks }) => {
    if (inside !== undefined) return signsIn(inside);
    return sign === undefined || looks ? [] : [sign];
  });
}

const fits = new Map<string, string[]>();

/** The signs that one sign of a pattern stands for. */
function fitting(sign: string, { flags }: RegExp): string[] {
  const bare = flags.replace(/[gymd]/g, '');
  const key = `${bare} ${sign}`;
  const before = fits.get(key);
  if (before !== undefined) return before;
  const one = new RegExp(`^(?:${sign})$`, bare);
  const fit = SIGNS.filter((given) => one.test(given));
  fits.set(key, fit);
  return fit;
}

/** What an expression takes over a text, wherever in it it may begin, in milliseconds of the processor. */
export function timeOf(pattern: RegExp, text: string): number {
  const own = new RegExp(pattern.source, pattern.flags);
  const computed = watchProcessor();
  if (own.global) text.replace(own, '');
  else own.test(text);
  return computed();
}

/**
 * A text of so many characters, or nearly; kept by V8 with two bytes for each. Of a text with one byte for each it knows
 * that there is nothing in it that needs two, and finds at once that an expression does not fit.
 */
export function textOf({ before, fed, behind }: Attack, length: number): string {
  const text =
    before + fed.repeat(Math.max(1, (length - before.length - behind.length) / fed.length)) + behind;
  return `\ue000${text}`.slice(1);
}
