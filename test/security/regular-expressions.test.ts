/**
 * Every regular expression of ours is read out of the sources and fed what makes one that backtracks too much stand
 * still: long repetitions of what it mentions, with an end that does not match.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createContext, Script } from 'node:vm';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../house/sources.ts';

type Found = { where: string; source: string; flags: string };

/** Signs repeated, as many as a long title, a paragraph and a page of an answer may have. */
const LENGTH = 20_000;
/** A linear one takes about one. */
const MOST_MS = 80;

const SRC = path.join(REPOSITORY, 'src');
const found = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap((file) => expressionsIn(file, readFileSync(path.join(SRC, file), 'utf8')));

function expressionsIn(where: string, code: string): Found[] {
  const here: Found[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('regex' in node && typeof node.regex === 'object' && node.regex !== null) {
      const { pattern, flags } = node.regex as { pattern: string; flags: string }; // as ESTree has it
      here.push({ where, source: pattern, flags });
    }
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(parseAst(code, { lang: where.endsWith('x') ? 'tsx' : 'ts' }));
  return here;
}

/** What a pattern mentions, and what classes stand for, to be repeated: by itself, and after a letter or a space. */
function pumpsFor(source: string): string[] {
  const plain = source.replaceAll(/\\[pP]\{[^}]*\}|\\u\{?[0-9a-f]+\}?|\\[bBdDwWsSnrtvf]/gi, ' ');
  const mentioned = new Set(plain.replaceAll(/[\\^$.*+?()[\]{}|]/g, ''));
  const singles = [...new Set(['a', '0', ' ', '\n', '.', '-', '/', '"', '<', 'é', ...mentioned])].slice(
    0,
    24,
  );
  const words = plain.match(/[a-z]{3,}/gi)?.slice(0, 6) ?? [];
  return [...singles, ...words, ...singles.slice(0, 9).flatMap((one) => [`a${one}`, ` ${one}`])];
}

/** One look at all texts at once, in a place that can be left when a single one takes too long. */
const look = new Script(
  'for (const text of texts) { const before = now(); re.exec(text); took.push(now() - before); }',
);

/** The longest that an expression takes for one of its pumps, in milliseconds, and which one that is. */
function slowest({ source, flags }: Pick<Found, 'source' | 'flags'>): { ms: number; pump: string } {
  const beginning = /^\^?\(?(?:\?:)?([a-z<"[(]+)/i.exec(source)?.[1];
  const pumps = pumpsFor(source);
  const texts = [...new Set(['', beginning ?? ''])].flatMap((start) =>
    pumps.map((pump) => `${start}${pump.repeat(Math.ceil(LENGTH / pump.length))}\u0001!`),
  );
  let worst = { ms: Number.POSITIVE_INFINITY, pump: '' };
  // Twice, since a pause of this process counts as well.
  for (let n = 0; n < 2 && worst.ms > MOST_MS; n++) {
    const took: number[] = [];
    const now = () => performance.now();
    const place = createContext({ re: new RegExp(source, flags.replace('g', '')), texts, now, took });
    try {
      look.runInContext(place, { timeout: 1_000 });
    } catch {
      return { ms: Number.POSITIVE_INFINITY, pump: texts[took.length]?.slice(0, 12) ?? '' };
    }
    const ms = Math.max(...took);
    if (ms < worst.ms) worst = { ms, pump: texts[took.indexOf(ms)]?.slice(0, 12) ?? '' };
  }
  return worst;
}

test('the look finds what it is for', () => {
  for (const source of ['(a+)+$', '\\s+$', '(.*)=(.*)=(.*);'])
    expect(slowest({ source, flags: '' }).ms, source).toBeGreaterThan(MOST_MS);
  expect(expressionsIn('a.ts', 'const re = <T>(x: T) => /a[/]b/u.test(`${/c/.source}`);')).toHaveLength(2);
});

test(`no regular expression of ours (${found.length} of them) stands still for a text of ${LENGTH} signs`, () => {
  expect(found.length).toBeGreaterThan(200);
  const unique = new Map(found.map((one) => [`/${one.source}/${one.flags}`, one]));
  const slow = [...unique].flatMap(([written, one]) => {
    const { ms, pump } = slowest(one);
    return ms > MOST_MS
      ? [`${one.where}: ${written} takes ${Math.round(ms)} ms for ${JSON.stringify(pump)}...`]
      : [];
  });
  expect(slow).toEqual([]);
});
