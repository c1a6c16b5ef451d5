/**
 * `npm run test:mutants`: makes one mistake after another in the source, and runs the tests that must notice it; the files stay as
 * they are. `-- schedule save` some subjects. Prints a line per mutant; the exit code is 1 if one survives.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createVitest } from 'vitest/node';
import { REPOSITORY } from '../house/sources.ts';
import { type Mutant, mutate } from './mutant.ts';
import { SUBJECTS } from './subjects.ts';

const asked = process.argv.slice(2);
const subjects = SUBJECTS.filter(({ name }) => asked.length === 0 || asked.includes(name));
if (subjects.length === 0) throw new Error(`subjects are ${SUBJECTS.map(({ name }) => name).join(', ')}`);

let current: Mutant | null = null;
const pathOf = ({ file }: Mutant) => path.join(REPOSITORY, 'src', file);

const vitest = await createVitest(
  'test',
  {
    config: false,
    root: REPOSITORY,
    watch: false,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: [{}],
  },
  {
    plugins: [
      {
        name: 'mutate',
        enforce: 'pre',
        transform: (code, id) =>
          current !== null && id.split('?')[0] === pathOf(current) ? mutate(code, current) : null,
      },
    ],
  },
);

let survived = 0;
for (const { name, tests, mutants } of subjects) {
  for (const mutant of mutants) {
    mutate(await readFile(pathOf(mutant), 'utf8'), mutant);
    const killer = await findKiller(tests, mutant);
    if (killer === null) survived += 1;
    const words = `${mutant.code} -> ${mutant.by}`.replaceAll(/\s+/g, ' ');
    print(`${killer === null ? 'SURVIVES' : 'killed'}  ${name}  ${mutant.file}  ${words}  ${killer ?? ''}`);
  }
  // Last, so that what the mutants left in the process would be noticed, too.
  if (!(await passes(tests, null))) throw new Error(`${name}: its tests fail without a mutant`);
}
await vitest.close();
print(survived === 0 ? 'no mutant survives' : `${survived} survive`);
process.exit(survived === 0 ? 0 : 1);

/** The test file that notices it; null if none does. */
async function findKiller(tests: readonly string[], mutant: Mutant): Promise<string | null> {
  for (const test of tests) if (!(await passes([test], mutant))) return path.basename(test);
  return null;
}

async function passes(tests: readonly string[], mutant: Mutant | null): Promise<boolean> {
  const before = current;
  current = mutant;
  for (const each of [before, mutant]) if (each !== null) vitest.invalidateFile(pathOf(each));
  const files = new Set(tests.map((test) => path.join(REPOSITORY, test)));
  const specifications = (await vitest.globTestSpecifications()).filter(({ moduleId }) =>
    files.has(moduleId),
  );
  if (specifications.length !== tests.length)
    throw new Error(`a test file is missing of ${tests.join(', ')}`);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, false);
  // Results of earlier runs are among them.
  const run = testModules.filter(({ moduleId }) => files.has(moduleId));
  return unhandledErrors.length === 0 && run.every((module) => module.ok());
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
