/** The rules of `.oxlintrc.json` see what they are there for: a pattern that matches nothing says nothing. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { makeDirectory } from '../temporary.ts';
import { PACKAGES, RULES, WORDS } from './rules.ts';
import { REPOSITORY } from './sources.ts';

const run = promisify(execFile);
const report = z.object({ diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })) });

let directory: string;
let found: Set<string>;

/** One planted file per rule, and one that does what the rule allows. */
const plants = [
  ...RULES.map(({ of, planted }) => ({ file: at(of, 'planted'), text: planted, wrong: true })),
  ...RULES.filter(({ of }) => of.endsWith('/')).map(({ of, may, types = [], never = [] }) => ({
    file: `${of}proper.ts`,
    text: [
      ...may
        .filter((one) => !never.includes(one))
        .map((one, i) => `export * as v${i} from '${from(of, one)}';`),
      ...types.map((one, i) => `import type { T as T${i} } from '${from(of, one)}';`),
    ].join('\n'),
    wrong: false,
  })),
  ...WORDS.filter(({ lint }) => lint).map(({ planted }, i) => ({
    file: `src/monitor/run/word${i}.ts`,
    text: planted,
    wrong: true,
  })),
  ...Object.keys(PACKAGES).map((name) => ({
    file: `src/contract/${name}.ts`,
    text: `import x from '${name}/inside';`,
    wrong: true,
  })),
];

beforeAll(async () => {
  directory = await makeDirectory();
  await copyFile(path.join(REPOSITORY, '.oxlintrc.json'), path.join(directory, '.oxlintrc.json'));
  for (const { file, text } of plants) {
    await mkdir(path.join(directory, path.dirname(file)), { recursive: true });
    await writeFile(path.join(directory, file), `${text}\n`);
  }
  const oxlint = path.join(REPOSITORY, 'node_modules/oxlint/bin/oxlint');
  // Ends with 1 because it finds something, which is what is wanted.
  const stdout = await run(process.execPath, [oxlint, '--format=json'], { cwd: directory }).then(
    (ended) => ended.stdout,
    (error: unknown) => String(error instanceof Error && 'stdout' in error ? error.stdout : error),
  );
  const restricted = report
    .parse(JSON.parse(stdout))
    .diagnostics.filter(({ code }) => code.includes('no-restricted'));
  found = new Set(restricted.map(({ filename }) => path.posix.normalize(filename)));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

test.each(plants.filter(({ wrong }) => wrong))('the lint refuses "$text" in $file', ({ file }) => {
  expect([...found]).toContain(file);
});

test.each(plants.filter(({ wrong }) => !wrong))(
  'the lint allows what the rule allows in $file',
  ({ file }) => {
    expect([...found]).not.toContain(file);
  },
);

function at(of: string, name: string): string {
  return of.endsWith('/') ? `${of}${name}.ts` : of;
}

function from(of: string, target: string): string {
  return path.posix.relative(of, at(target, 'any')).replace(/^(?!\.)/, './');
}
