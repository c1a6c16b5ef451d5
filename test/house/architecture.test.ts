/** `docs/architecture.md` names files beside each step: they must be there. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from './sources.ts';

const page = await readFile(path.join(REPOSITORY, 'docs/architecture.md'), 'utf8');
const files = (
  await Promise.all(
    ['src', 'test', 'migrations'].map(async (folder) =>
      (
        await readdir(path.join(REPOSITORY, folder), { recursive: true })
      ).map((name) => `/${folder}/${name.replaceAll('\\', '/')}`),
    ),
  )
).flat();

test('every file and folder that the page names is there', () => {
  const named = [...page.matchAll(/`((?:[\w.-]+\/)*[\w.-]+(?:\.ts|\.sql|\/))`/g)].map(
    ([, name = '']) => name,
  );
  expect(named.length).toBeGreaterThan(50);
  expect([...new Set(named)].filter((name) => !isThere(name))).toEqual([]);
  expect(isThere('monitor/run/no-such-step.ts')).toBe(false);
});

function isThere(name: string): boolean {
  return files.some((file) => `${file}${name.endsWith('/') ? '/' : ''}`.endsWith(`/${name}`));
}
