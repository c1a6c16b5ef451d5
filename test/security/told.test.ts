import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../house/sources.ts';

test('every test that docs/internals/security.md names as evidence exists', () => {
  const text = readFileSync(path.join(REPOSITORY, 'docs/internals/security.md'), 'utf8');
  const named = [...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, file = '']) => file);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((file) => !existsSync(path.join(REPOSITORY, file)))).toEqual([]);
  for (const row of text.split('\n').filter((line) => /^\| (?!---|threat)/.test(line)))
    expect(row.split('|').length, row).toBeGreaterThanOrEqual(4);
});
