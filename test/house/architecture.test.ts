/** The documents name files of ours, `docs/internals/architecture.md` one beside each step: they must be there. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
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

test.each([...documents, 'README.md'])('every file that %s names is there', async (document) => {
  expect((await findNamed(document, /`((?:[\w.-]+\/)*[\w.-]+\.(?:tsx?|sql))`/g)).filter(isAway)).toEqual([]);
});

test('every folder that docs/internals/architecture.md names is there, and it names many files', async () => {
  const folders = await findNamed('docs/internals/architecture.md', /`((?:[\w.-]+\/)+)`/g);
  expect(folders.filter(isAway)).toEqual([]);
  expect((await findNamed('docs/internals/architecture.md', /`([\w./-]+\.ts)`/g)).length).toBeGreaterThan(50);
  expect(isAway('monitor/runs/no-such-step.ts')).toBe(true);
});

async function findNamed(document: string, pattern: RegExp): Promise<string[]> {
  const text = await readFile(path.join(REPOSITORY, document), 'utf8');
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))];
}

function isAway(name: string): boolean {
  return !files.some((file) => `${file}${name.endsWith('/') ? '/' : ''}`.endsWith(`/${name}`));
}
