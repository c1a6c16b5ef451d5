/** The docs name files and headings that exist, and are short enough to be read. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LONG, REST } from '../rest.ts';
import { REPOSITORY } from './sources.ts';

const documents = (await readdir(path.join(REPOSITORY, 'docs'), { recursive: true }))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const files = (
  await Promise.all(
    ['src', 'test', 'bench', 'migrations', 'docker'].map(async (folder) =>
      (
        await readdir(path.join(REPOSITORY, folder), { recursive: true })
      ).map((name) => `/${folder}/${name.replaceAll('\\', '/')}`),
    ),
  )
).flat();

/** Every word of the program, its tests and its benchmarks: names of functions, constants and variables are among them. */
const words = new Set(
  (
    await Promise.all(
      files
        .filter((name) => /\.(?:tsx?|js|sql)$/.test(name) && name !== '/test/house/architecture.test.ts')
        .map(async (name) => (await readFile(path.join(REPOSITORY, name), 'utf8')).match(/\w+/g) ?? []),
    )
  ).flat(),
);

test.each([...documents, 'README.md'])('every file that %s names exists', async (document) => {
  expect((await findNamed(document, /`((?:[\w.-]+\/)*[\w.-]+\.(?:tsx?|sql))`/g)).filter(isAway)).toEqual([]);
});

test('every folder that docs/internals/architecture.md names exists, and it names many files', async () => {
  const folders = await findNamed('docs/internals/architecture.md', /`((?:[\w.-]+\/)+)`/g);
  expect(folders.filter(isAway)).toEqual([]);
  expect((await findNamed('docs/internals/architecture.md', /`([\w./-]+\.ts)`/g)).length).toBeGreaterThan(50);
  expect(isAway('monitor/runs/no-such-step.ts')).toBe(true);
});

test('each path that `npm test` leaves out or begins with is that of test files', () => {
  const hasFiles = (glob: string) => {
    const pattern = glob
      .replaceAll('.', String.raw`\.`)
      .replaceAll('*', '[^/]+')
      .replaceAll(/\{([^}]+)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`);
    const found = files.filter((file) => new RegExp(`^/${pattern}$`).test(file)).length;
    // A name in braces that is no file any more would go unnoticed.
    return found > 0 && found >= glob.split(',').length;
  };
  expect([...REST, ...LONG].filter((glob) => !hasFiles(glob))).toEqual([]);
  expect(hasFiles('test/house/{architecture,gone}.test.ts')).toBe(false);
});

/** Relative links only. Code is left out: `](address)` in it is no link. */
const linksIn = (text: string) =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));

const anchorsIn = (text: string) =>
  new Set(
    [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .replaceAll(/\]\([^)]*\)/g, '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

test.each([...documents, 'README.md'])(
  'every link of %s points to an existing file and heading',
  async (document) => {
    const text = await readFile(path.join(REPOSITORY, document), 'utf8');
    const broken: string[] = [];
    for (const link of linksIn(text)) {
      const [place = '', anchor] = link.split('#');
      const target = place === '' ? document : path.posix.join(path.posix.dirname(document), place);
      const page = await readFile(path.join(REPOSITORY, target), 'utf8').catch(() =>
        existsSync(path.join(REPOSITORY, target)) ? '' : undefined,
      );
      if (page === undefined || (anchor !== undefined && !anchorsIn(page).has(anchor))) broken.push(link);
    }
    expect(broken).toEqual([]);
  },
);

/** Written by hand: generated parts stand between marks, and `sql.md` is generated whole. */
async function countWords(document: string): Promise<number> {
  const text = await readFile(path.join(REPOSITORY, document), 'utf8');
  return text.replaceAll(/<!-- (.+) -->[\s\S]*<!-- end of \1 -->/g, '').match(/\S+/g)?.length ?? 0;
}

test('the README has at most 1,500 words, and what users read at most 27,000', async () => {
  const forUsers = documents.filter(
    (name) => !name.startsWith('docs/internals/') && name !== 'docs/reference/sql.md',
  );
  const counts = await Promise.all(forUsers.map(countWords));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(27_000);
  expect(await countWords('README.md')).toBeLessThanOrEqual(1_500);
});

test('what maintainers read has at most 20,000 words', async () => {
  const internals = documents.filter((name) => name.startsWith('docs/internals/'));
  expect(internals.length).toBeGreaterThan(10);
  const counts = await Promise.all(internals.map(countWords));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(20_000);
});

test('every name in code of docs/internals is in the program', async () => {
  const internals = documents.filter((name) => name.startsWith('docs/internals/'));
  const named = await Promise.all(
    internals.map((name) => findNamed(name, /`([a-z]+[A-Z]\w*|[A-Z]+_[A-Z_]+)`/g)),
  );
  const unknown = (name: string) => !words.has(name);
  expect(named.flat().length).toBeGreaterThan(50);
  expect(named.flat().filter(unknown)).toEqual([]);
  expect(unknown('noSuchFunction')).toBe(true);
});

test('the documentation index links to every page', async () => {
  const index = await readFile(path.join(REPOSITORY, 'docs/README.md'), 'utf8');
  const reached = new Set(linksIn(index).map((link) => `docs/${link}`));
  expect(documents.filter((name) => name !== 'docs/README.md' && !reached.has(name))).toEqual([]);
});

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
}

async function findNamed(document: string, pattern: RegExp): Promise<string[]> {
  const text = await readFile(path.join(REPOSITORY, document), 'utf8');
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))];
}

function isAway(name: string): boolean {
  return !files.some((file) => `${file}${name.endsWith('/') ? '/' : ''}`.endsWith(`/${name}`));
}
