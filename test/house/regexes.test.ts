/**
 * The regular expressions of ours are linear, as far as attacks can show: each loop of each of them is reached by a
 * text that fits, fed with what it takes, and ended with what it does not. That is no proof; what it finds is real.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { type Attack, attacksOn, textOf, timeOf } from './regexes/attack.ts';
import { literalsIn } from './regexes/literals.ts';
import { REPOSITORY, readSources } from './sources.ts';

/** An exponential one is told by one of the first, before it takes for ever; a quadratic one by the last. */
const LONGEST = 30_000;
const LENGTHS = [16, 18, 20, 22, 24, 26, 28, 36, 60, 400, 2_000, 6_000, 14_000, LONGEST];
/** Over the longest text ours take 16 ms at most, a quadratic one takes 300 and more. */
const MOST_MS = 50;
/** Eight times the text: a linear one takes eight times as long, a quadratic one sixty-four times. */
const MOST_GROWTH = 24;

/** Those that are not, and why that does no harm: the most characters that they are ever given. */
const CAPPED = new Map(
  (
    [
      // A waiting time: `waitMs` looks at 64 characters.
      [/^\s*(\d{1,15}(?:\.\d{1,9})?(?:e\d{1,2})?)\s*([a-z]{0,12})\.?\s*$/i, 64],
      // Paths of problems, which are our own words: `cron (minute)`.
      [/\((.+)\)/, 200],
      // A page of our own, which is read once.
      [/^## (\d+)\. (.+)\n\n([\s\S]*?)\n\n```sql\n([\s\S]*?)\n```$/gm, 4_000],
      // Addresses of this program and of a service, from the configuration.
      [/\/+$/, 2_000],
      // What stands in the twelve characters before a full stop.
      [/[^\s("'“„«]*$/u, 12],
      // The forty-eight characters of a slug.
      [/^-+|-+$/g, 48],
    ] as const
  ).map(([pattern, cap]) => [String(pattern), cap]),
);

/** Modules that put expressions together when they are loaded. */
const BUILT = `engine/keys relevance/words monitor/schedule/cron monitor/read/marks monitor/tell/filter
  service/answer/number-words service/answer/held service/answer/orders service/answer/figures`.split(/\s+/);

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
    vi.resetModules();
    const recorded = (args: [RegExp | string, string?]) => {
      const built = new Plain(...args);
      if (new Error().stack?.includes(file) === true) add(built, file);
      return built;
    };
    const construct = (_: unknown, args: [RegExp | string, string?]) => recorded(args);
    vi.stubGlobal('RegExp', new Proxy(Plain, { construct }));
    await import(path.join(REPOSITORY, file));
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

test.each([/(a+)+$/, /(?:a|a)*b/, /\s+$/, /a.*b.*c/, /^\s+|\s+$/g, /\s*\ue000+(?=[.,]|$)/gu])(
  'the attack finds what it is for: %s',
  (pattern) => {
    expect(weakness(pattern, LONGEST)).toBeDefined();
  },
);

test('an expression that is slow, and yet linear, is none', () => {
  const fed = { before: '', fed: 'n', behind: '' };
  expect(isWeak(/n.{0,800}x/, fed, LONGEST, 0)).toBe(false);
  expect(isWeak(/n.*x/, fed, 10_000, 0)).toBe(true);
});

test('literals are found wherever they stand, and divisions are none', () => {
  const text =
    'const a = b / c / d; // /x/\nreturn /[/]\\/e/u.test(`${/f/.source}/g/`) || "/h/" + x[1] / 2 / y';
  expect(literalsIn(text).map(({ pattern }) => String(pattern))).toEqual(['/[/]\\/e/u', '/f/']);
});

test('each expression of the sources takes its texts in linear time, or is given short ones only', async () => {
  const all = await expressions();
  const weak: string[] = [];
  for (const { pattern, files } of all.values()) {
    const found = weakness(pattern, CAPPED.get(String(pattern)) ?? LONGEST);
    if (found !== undefined) weak.push(`${[...files].join()}: ${pattern} does not stand ${found}`);
  }
  expect(weak).toEqual([]);
  expect(all.size).toBeGreaterThan(400);
}, 60_000);
