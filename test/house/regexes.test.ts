/**
 * Our regular expressions are linear, as far as attacks can show: each loop of each of them is reached by a
 * matching text, fed with what it takes, and ended with what it does not. That is no proof; what it finds is real.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { type Attack, attacksOn, textOf, timeOf } from './regexes/attack.ts';
import { literalsIn } from './regexes/literals.ts';
import { REPOSITORY, readSources } from './sources.ts';

/** An exponential one shows in the first, a cubic one at 250 or 800, before either takes long; a quadratic one in the last. */
const LONGEST = 4_000;
const LENGTHS = [16, 18, 20, 22, 24, 26, 28, 36, 60, 250, 800, LONGEST];
/** Over the longest text ours take 1 ms, a quadratic one 11 and more. */
const MOST_MS = 2;
/** Eight times the text: a linear one takes eight times as long, a quadratic one sixty-four times. */
const MOST_GROWTH = 24;

/** Those that are not, and why that does no harm: the most characters that they are ever given. */
const CAPPED: readonly (readonly [pattern: RegExp, most: number])[] = [
  // A waiting time: `waitMs` looks at 64 characters.
  [/^\s*(\d{1,15}(?:\.\d{1,9})?(?:e\d{1,2})?)\s*([a-z]{0,12})\.?\s*$/i, 64],
  // Paths of problems, which are our own words: `cron (minute)`.
  [/\((.+)\)/, 200],
  // What stands in the twelve characters before a full stop.
  [/[^\s("'“„«]*$/u, 12],
  // The forty-eight characters of a slug.
  [/^-+|-+$/g, 48],
];
const caps = new Map(CAPPED.map(([pattern, most]) => [String(pattern), most]));

/** Modules that put expressions together when they are loaded. */
const BUILT = `platform/keys model/relevance monitor/schedule/cron monitor/parse/citations lib/folded-words
  service/answering/guarded-words service/answering/injection service/answering/numeric-figures`.split(/\s+/);

async function expressions(): Promise<Map<string, { pattern: RegExp; files: Set<string> }>> {
  const found = new Map<string, { pattern: RegExp; files: Set<string> }>();
  const add = (pattern: RegExp, file: string) => {
    const one = found.get(String(pattern)) ?? { pattern, files: new Set() };
    one.files.add(file);
    found.set(String(pattern), one);
  };
  for (const { file } of await readSources()) {
    const text = await readFile(path.join(REPOSITORY, file), 'utf8');
    for (const { pattern } of literalsIn(text)) add(pattern, file);
  }
  const Plain = RegExp;
  for (const name of BUILT) {
    const file = `src/${name}.ts`;
    const recorded = (args: [RegExp | string, string?]) => {
      const built = new Plain(...args);
      if (new Error().stack?.includes(file) === true) add(built, file);
      return built;
    };
    const construct = (_: unknown, args: [RegExp | string, string?]) => recorded(args);
    vi.stubGlobal('RegExp', new Proxy(Plain, { construct }));
    // The query has it evaluated once more, and nothing else of the program.
    await import(`${path.join(REPOSITORY, file)}?again`);
    vi.unstubAllGlobals();
  }
  return found;
}

/** The first attack that an expression does not stand, on texts of at most so many characters. */
function weakness(pattern: RegExp, cap: number): string | undefined {
  const attacks = attacksOn(pattern);
  for (const length of new Set(LENGTHS.map((one) => Math.min(one, cap))))
    for (const attack of attacks) {
      if (timeOf(pattern, textOf(attack, length)) > MOST_MS && isWeak(pattern, attack, length))
        return `${JSON.stringify(attack)} over ${length} characters`;
    }
  return undefined;
}

/** Whether it takes long, and grows faster than its text. */
function isWeak(pattern: RegExp, attack: Attack, length: number, mostMs = MOST_MS): boolean {
  const whole = leastTimeOf(pattern, textOf(attack, length));
  return whole > mostMs && whole > leastTimeOf(pattern, textOf(attack, length / 8)) * MOST_GROWTH;
}

/** Of three times, for a collection of garbage counts as well. */
function leastTimeOf(pattern: RegExp, text: string): number {
  return Math.min(...[1, 2, 3].map(() => timeOf(pattern, text)));
}

const PLANTED = [/(a+)+$/, /(?:a|a)*b/, /\s+$/, /a.*b.*c/, /^\s+|\s+$/g, /\s*\ue000+(?=[.,]|$)/gu];

test.each([...PLANTED, ...CAPPED.map(([pattern]) => pattern)])(
  '%s is detected for long inputs',
  (pattern) => {
    expect(weakness(pattern, LONGEST)).toBeDefined();
  },
);

test('a slow but linear expression is accepted', () => {
  const fed = { before: '', fed: 'n', behind: '' };
  expect(isWeak(/n.{0,200}x/, fed, LONGEST, 0)).toBe(false);
  expect(isWeak(/n.*x/, fed, LONGEST, 0)).toBe(true);
});

test('finds literals anywhere, and ignores divisions', () => {
  const text =
    'const a = b / c / d; // /x/\nreturn /[/]\\/e/u.test(`${/f/.source}/g/`) || "/h/" + x[1] / 2 / y';
  expect(literalsIn(text).map(({ pattern }) => String(pattern))).toEqual(['/[/]\\/e/u', '/f/']);
});

test('every expression in the sources runs in linear time or gets short inputs only', async () => {
  const all = await expressions();
  const weak: string[] = [];
  for (const { pattern, files } of all.values()) {
    const found = weakness(pattern, caps.get(String(pattern)) ?? LONGEST);
    if (found !== undefined) weak.push(`${[...files].join()}: ${pattern} does not stand ${found}`);
  }
  expect(weak).toEqual([]);
  expect([...caps.keys()].filter((pattern) => !all.has(pattern))).toEqual([]);
  expect(all.size).toBeGreaterThan(400);
});
