import { expect, test } from 'vitest';
import {
  findCycles,
  findRow,
  findWord,
  findWrongImports,
  inSrc,
  PLACES,
  placeIn,
  renderPage,
  wordsIn,
} from './imports.ts';
import { ABOVE, PACKAGES, RULES, WORDS } from './rules.ts';
import { importsOf, readSources, withoutComments } from './sources.ts';

const sources = await readSources();
const files = sources.map(({ file }) => inSrc(file));

test('every import is allowed by the table, and every file belongs to a row', () => {
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.flatMap(findWrongImports)).toEqual([]);
});

test('no files import each other in a cycle, including types', () => {
  expect(findCycles(sources)).toEqual([]);
});

test('every imported file exists, so no path can bypass a rule', () => {
  const targets = sources.flatMap(importsOf).map(({ target }) => target);
  expect(targets.filter((one) => one.startsWith('src/') && !files.includes(inSrc(one)))).toEqual([]);
});

test('every place in the table exists, and every entry allows an import that no other entry allows', () => {
  expect(PLACES.filter((place) => !files.some((file) => file.startsWith(place)))).toEqual([]);
  const used = new Set(
    sources.flatMap((source) => {
      const row = findRow(inSrc(source.file));
      return importsOf(source).map(({ target, type }) => `${row} ${findWord(row, inSrc(target), type)}`);
    }),
  );
  const words = RULES.flatMap(([, allowed], row) => wordsIn(allowed).map((word) => `${row} ${word}`));
  expect(words.filter((word) => !word.includes(' not:') && !used.has(word))).toEqual([]);
});

test('docs/internals/architecture.md shows the table (npm run -s imports:page writes it)', async () => {
  const { page, wanted } = await renderPage();
  expect(page).toBe(wanted);
  expect(page).toContain('| `store/` |');
});

test.each(WORDS)('$what appear only in $only', ({ word, only }) => {
  const said = sources.filter(({ file, text }) => inSrc(file) !== only && word.test(text));
  expect(said.map(({ file }) => file)).toEqual([]);
});

test.each(RULES.slice(0, -1))('detects imports that %s may not use', (unit, allowed) => {
  const words = wordsIn(allowed);
  const row = findRow(fileIn(unit));
  const isNamed = (place: string) =>
    words.map(placeIn).some((word) => word === ABOVE || word.startsWith(place) || place.startsWith(word));
  const units = RULES.map(([other]) => other);
  const wrong = [
    ...units.slice(row + 1),
    ...units.slice(0, row).filter((other) => !wordsIn(other).some(isNamed)),
    ...words.filter((word) => /^(?:type|not):/.test(word)).map(placeIn),
  ];
  for (const place of wrong)
    expect(plant(unit, `import { a } from 'src/${fileIn(place)}';`), place).toHaveLength(1);
});

test('detects a folder without a row', () => {
  expect(plant('no-such-folder/', '')).toEqual(['no-such-folder/planted.ts: no row names it']);
});

test('detects a cycle through types and import()', () => {
  const circle = [
    { file: 'src/a.ts', text: "import type { B } from './b.ts';" },
    { file: 'src/b.ts', text: "const c = await import('./c.ts');" },
    { file: 'src/c.ts', text: "export * from './a.ts';\nimport './d.ts';" },
    { file: 'src/d.ts', text: "import 'node:fs';" },
  ];
  expect(findCycles(circle)).toEqual(['a.ts, b.ts, c.ts']);
});

test('detects an import in any spelling', () => {
  const target = "'src/main.ts'";
  for (const text of [
    `const main = await import(${target});`,
    `export const main = () => import(\n  ${target}\n);`,
    `import ${target};`,
    `export * from ${target};`,
    `export * as main from ${target};`,
    `import {\n  type Io,\n  main,\n} from ${target};`,
    `type Io = import(${target}).Io;`,
    `import { a } from './planted.ts'; /* why */\nimport main from ${target};`,
    withoutComments(`const cron = '*/15 * * * *';\nimport { main } from ${target};\n/* end */`),
  ])
    expect(plant('store/', text), text).toEqual(['store/planted.ts -> main.ts']);
});

test('ignores text that only looks like an import', () => {
  for (const text of [
    "/** See {@link import('src/main.ts').main}. */",
    "// import { main } from 'src/main.ts';",
  ])
    expect(plant('store/', withoutComments(text)), text).toEqual([]);
});

test('an import is a type import if each of its names is a type', () => {
  const isOfTypes = (text: string) => importsOf({ file: 'src/a.ts', text }).map(({ type }) => type);
  const from = "from './b.ts';";
  expect(isOfTypes(`import type { A, B } ${from}\nexport { type A, type B } ${from}`)).toEqual([true, true]);
  expect(isOfTypes(`import { type A, b } ${from}\nimport A, { type B } ${from}`)).toEqual([false, false]);
});

test.each(Object.keys(PACKAGES))('detects an import of %s elsewhere', (name) => {
  for (const specifier of [name, `${name}/inside`])
    expect(plant('main.ts', `import x from '${specifier}';`)).toHaveLength(1);
  expect(plant('main.ts', `import x from '${name}-other';`)).toEqual([]);
});

test.each(WORDS)('detects $what elsewhere', ({ word, planted }) => {
  expect(planted).toMatch(word);
  for (const harmless of ['new Date(0)', 'new Date(now)', 'const at: Date = ctx.clock.now();', 'io.env'])
    expect(harmless).not.toMatch(word);
});

/** What is wrong with a file of this unit that says no more than `text`. */
function plant(unit: string, text: string): string[] {
  return findWrongImports({ file: `src/${fileIn(unit)}`, text });
}

/** A file of a unit, one that need not be there. */
function fileIn(unit: string): string {
  const [place = ''] = wordsIn(unit);
  return place.endsWith('/') ? `${place}planted.ts` : place;
}
