/** Mutants are of the source as it is. That each is noticed is what `npm run test:mutants` finds out, in some minutes. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPOSITORY } from '../house/sources.ts';
import { mutate } from './mutant.ts';
import { SUBJECTS } from './subjects.ts';

describe.each(SUBJECTS)('$name', ({ mutants }) => {
  test.each(mutants)('$file: $code', async (mutant) => {
    const source = await readFile(path.join(REPOSITORY, 'src', mutant.file), 'utf8');
    expect(mutate(source, mutant)).not.toBe(source);
  });

  test('there are twenty, each another', () => {
    expect(new Set(mutants.map((mutant) => JSON.stringify(mutant))).size).toBe(mutants.length);
    expect(mutants.length).toBeGreaterThanOrEqual(20);
  });
});
