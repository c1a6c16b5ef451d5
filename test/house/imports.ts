/** Checks imports against the table of `rules.ts`, and writes it into docs/internals/architecture.md: `npm run -s imports:page`. */
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { ABOVE, PACKAGES, RULES, WORDS } from './rules.ts';
import { importsOf, type Source } from './sources.ts';

const PAGE = new URL('../../docs/internals/architecture.md', import.meta.url);
const TABLE = /(<!-- imports -->\n)[\s\S]*(<!-- end of imports -->)/;

/** A place is a file or a folder, by its path below `src`. */
const covers = (place: string, file: string) =>
  place.endsWith('/') ? file.startsWith(place) : file === place;
export const placeIn = (word: string): string => word.replace(/^(?:type|not):/, '');
export const inSrc = (file: string): string => file.replace(/^src\//, '');
export const wordsIn = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** Every place that the table names, each once. */
export const PLACES: readonly string[] = [
  ...new Set(
    [...RULES.flat(), ...Object.values(PACKAGES)]
      .flatMap(wordsIn)
      .map(placeIn)
      .filter((place) => place !== ABOVE),
  ),
];

/** The row of a file, by its number; -1 where no row names it. The longest place decides. */
export function findRow(file: string): number {
  const longest = RULES.map(([unit]) =>
    Math.max(0, ...wordsIn(unit).map((place) => (covers(place, file) ? place.length : 0))),
  );
  return longest.findIndex((length) => length > 0 && length === Math.max(...longest));
}

/** The word of a row that decides about an import of `file`, if any does. */
export function findWord(row: number, file: string, type: boolean): string | undefined {
  return wordsIn(RULES[row]?.[1] ?? '')
    .filter((word) => word === ABOVE || (covers(placeIn(word), file) && (type || !word.startsWith('type:'))))
    .toSorted((a, b) => placeIn(a).length - placeIn(b).length)
    .at(-1);
}

/** What a source imports and may not, a line each. */
export function findWrongImports(source: Source): string[] {
  const from = inSrc(source.file);
  const row = findRow(from);
  if (row < 0) return [`${from}: no row names it`];
  return importsOf(source)
    .filter(({ target, type }) => !isAllowed(from, row, target, type))
    .map(({ target, type }) => `${from} -> ${type ? 'type ' : ''}${inSrc(target)}`);
}

function isAllowed(from: string, row: number, target: string, type: boolean): boolean {
  if (!target.startsWith('src/')) {
    const name = Object.keys(PACKAGES).find((one) => target === one || target.startsWith(`${one}/`));
    return name === undefined || wordsIn(PACKAGES[name] ?? '').some((place) => covers(place, from));
  }
  const file = inSrc(target);
  const to = findRow(file);
  const word = findWord(row, file, type);
  return to === row || (to < row && word !== undefined && !word.startsWith('not:'));
}

/** Sets of files that reach each other by imports of any kind, a line each. */
export function findCycles(sources: readonly Source[]): string[] {
  const targets = new Map(
    sources.map((source) => [source.file, importsOf(source).map(({ target }) => target)]),
  );
  const reached = new Map([...targets.keys()].map((file) => [file, reach(file)]));
  const cycles = [...reached].map(([file, all]) =>
    [...all]
      .filter((other) => reached.get(other)?.has(file))
      .toSorted()
      .map(inSrc)
      .join(', '),
  );
  return [...new Set(cycles)].filter((cycle) => cycle !== '').toSorted();

  function reach(file: string): Set<string> {
    const all = new Set(targets.get(file));
    for (const one of all) for (const next of targets.get(one) ?? []) all.add(next);
    return all;
  }
}

/** docs/internals/architecture.md as it is, and as its table should be. */
export async function renderPage(): Promise<{ page: string; wanted: string }> {
  const page = await readFile(PAGE, 'utf8');
  const rows = RULES.map(([unit, allowed]) => {
    const words = wordsIn(allowed);
    const excepted = words.filter((word) => word.startsWith('not:'));
    return [wordsIn(unit), words.filter((word) => !excepted.includes(word)), excepted];
  });
  const cells = rows.map((row) => row.map((words) => words.map(render).join(', ') || '–').join(' | '));
  const lines = ['what | may import | but not', '--- | --- | ---', ...cells].map((line) => `| ${line} |`);
  const alone = [
    ...Object.entries(PACKAGES).map(
      ([name, places]) => `\`${name}\`: ${wordsIn(places).map(render).join(', ')}`,
    ),
    ...WORDS.map(({ what, only }) => `\`${what}\`: ${only.endsWith('.ts') ? render(only) : only}`),
  ];
  const text = [...lines, '', 'Used only in:', '', ...alone.map((line) => `- ${line}`)].join('\n');
  return { page, wanted: page.replace(TABLE, (_, from: string, to: string) => `${from}\n${text}\n\n${to}`) };
}

function render(word: string): string {
  if (word === ABOVE) return 'everything above';
  return `${word.startsWith('type:') ? 'types of ' : ''}\`${placeIn(word)}\``;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { wanted } = await renderPage();
  await writeFile(PAGE, wanted);
}
