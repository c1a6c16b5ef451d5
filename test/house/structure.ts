/** Measures the sources and writes what it finds into docs/internals/architecture.md: `npm run -s structure:page`. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findCycles } from './imports.ts';
import { readSources, REPOSITORY } from './sources.ts';

const PAGE = path.join(REPOSITORY, 'docs/internals/architecture.md');
const TABLE = /(<!-- structure -->\n)[\s\S]*(<!-- end of structure -->)/;
const FEW_LINES = 40;
const MANY_LINES = 300;

const sources = await readSources();
const names = (await readdir(path.join(REPOSITORY, 'src'), { recursive: true })).filter((name) =>
  /\.tsx?$/.test(name),
);
const lengths = await Promise.all(
  names.map(async (name) => {
    const text = await readFile(path.join(REPOSITORY, 'src', name), 'utf8');
    return text.split('\n').length - 1;
  }),
);
const sorted = lengths.toSorted((a, b) => a - b);
const baseNames = names.map((name) => path.basename(name));
const shared = baseNames.filter((name) => baseNames.indexOf(name) !== baseNames.lastIndexOf(name));

const measured: readonly (readonly [what: string, count: number])[] = [
  ['files', lengths.length],
  ['lines', lengths.reduce((sum, length) => sum + length, 0)],
  ['lines of the median file', sorted[Math.floor(sorted.length / 2)] ?? 0],
  [`files below ${FEW_LINES} lines`, lengths.filter((length) => length < FEW_LINES).length],
  [`files above ${MANY_LINES} lines`, lengths.filter((length) => length > MANY_LINES).length],
  ['groups of files that import each other', findCycles(sources).length],
  ['file names that several files share', new Set(shared).size],
  ['files with such a name', shared.length],
];

const rows = measured.map(([what, count]) => `| ${what} | ${count.toLocaleString('en-US')} |`);
const table = ['| TypeScript files of `src` | |', '| --- | --- |', ...rows].join('\n');
const page = await readFile(PAGE, 'utf8');
if (!TABLE.test(page)) throw new Error(`${PAGE} has no place for the table`);
await writeFile(
  PAGE,
  page.replace(TABLE, (_, from: string, to: string) => `${from}\n${table}\n\n${to}`),
);
