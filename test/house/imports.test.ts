import { expect, test } from 'vitest';
import { PACKAGES, ROOT, type Rule, RULES, WORDS } from './rules.ts';
import { importsOf, readSources, type Source, withoutComments } from './sources.ts';

const sources = await readSources();
const byFile = new Map(sources.map((source) => [source.file, source]));

/** The files of commands, which the registry loads when they are called. */
const COMMANDS = importsOf(byFile.get('src/doors/cli/registry.ts') ?? { file: '', text: '' })
  .filter(({ later, type }) => later && !type)
  .map(({ target }) => target)
  .filter((target, i, all) => all.indexOf(target) === i);

const HEAVY = [
  'src/doors/worker.ts',
  'src/monitor/run/execute.ts',
  'bullmq',
  'fastify',
  'preact',
  'prom-client',
  'undici',
];

test('imports go one way', () => {
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.flatMap(wrongImports)).toEqual([]);
});

test('every file has a rule: a new folder is a decision about whom it may import', () => {
  const lost = sources.map(({ file }) => file).filter((file) => !ROOT.includes(file));
  expect(lost.filter((file) => ruleFor(file) === undefined)).toEqual([]);
});

test('every imported file is there, so that no rule is passed by a path that leads nowhere', () => {
  const files = new Set(sources.map(({ file }) => file));
  const targets = sources.flatMap(importsOf).map(({ target }) => target);
  expect(targets.filter((target) => target.startsWith('src/') && !files.has(target))).toEqual([]);
});

test('the program starts with the parser of commands and the lines of the registry alone', () => {
  const started = loadedWith('src/main.ts');
  expect(started.filter((target) => !target.startsWith('src/'))).toEqual(['commander', 'picocolors']);
  expect(started).toContain('src/doors/cli/registry.ts');
  expect(started.filter((target) => COMMANDS.includes(target))).toEqual([]);
});

test.each(COMMANDS)(
  '%s loads nothing at once that only those need who serve, call, or distribute work',
  (file) => {
    const loaded = loadedWith('src/main.ts', 'src/doors/cli/cli.ts', 'src/home.ts', file);
    expect(loaded.filter((target) => HEAVY.includes(target))).toEqual([]);
  },
);

test('what is heavy is what serves, calls and distributes work', () => {
  const loaded = loadedWith('src/web.ts', 'src/service/server.ts', 'src/doors/worker.ts');
  expect(HEAVY.filter((target) => !loaded.includes(target))).toEqual([]);
});

test('packages stay where they belong', () => {
  expect(sources.flatMap(wrongPackages)).toEqual([]);
});

test.each(WORDS)('$what stands in $only alone', ({ word, only }) => {
  const said = sources.filter(({ file, text }) => file !== only && word.test(text));
  expect(said.map(({ file }) => file)).toEqual([]);
});

test.each(RULES)('the rule of $of can fail', ({ of, planted }) => {
  const file = of.endsWith('/') ? `${of}planted.ts` : of;
  expect(wrongImports({ file, text: planted })).toHaveLength(1);
});

test('an import cannot hide in another spelling', () => {
  const file = 'src/monitor/read/planted.ts';
  const target = "'../../store/runs.ts'";
  for (const text of [
    `const runs = await import(${target});`,
    `export const runs = () => import(\n  ${target}\n);`,
    `import ${target};`,
    `export * from ${target};`,
    `export * as runs from ${target};`,
    `import {\n  type Id,\n  claimRun,\n} from ${target};`,
    `type Run = import(${target}).ClaimedRun;`,
    `import { a } from './post.ts'; /* why */\nimport runs from ${target};`,
  ])
    expect(wrongImports({ file, text }), text).toHaveLength(1);
});

test('what only looks like an import is none', () => {
  const file = 'src/monitor/read/planted.ts';
  for (const text of [
    "/** See {@link import('../../store/runs.ts').claimRun}. */",
    "// import { claimRun } from '../../store/runs.ts';",
    "import type { Source } from '../../contract/enumerations.ts';",
  ])
    expect(wrongImports({ file, text: withoutComments(text) }), text).toEqual([]);
  const cron = "const cron = '*/15 * * * *';\nimport { claimRun } from '../../store/runs.ts';\n/* end */";
  expect(wrongImports({ file, text: withoutComments(cron) })).toHaveLength(1);
});

test('types may go where values may not', () => {
  const file = 'src/store/planted.ts';
  const from = "from '../monitor/read/findings.ts';";
  for (const text of [`import type { Findings } ${from}`, `import { type Findings } ${from}`])
    expect(wrongImports({ file, text })).toEqual([]);
  expect(wrongImports({ file, text: `import { type Findings, KEY_LISTS } ${from}` })).toHaveLength(1);
});

test.each(Object.keys(PACKAGES))('an import of %s elsewhere is found', (name) => {
  for (const specifier of [name, `${name}/inside`])
    expect(wrongPackages({ file: 'src/errors.ts', text: `import x from '${specifier}';` })).toHaveLength(1);
  expect(wrongPackages({ file: 'src/errors.ts', text: `import x from '${name}-other';` })).toEqual([]);
});

test.each(WORDS)('$what elsewhere is found', ({ word, planted }) => {
  expect(planted).toMatch(word);
  for (const harmless of ['new Date(0)', 'new Date(now)', 'const at: Date = ctx.clock.now();', 'io.env'])
    expect(harmless).not.toMatch(word);
});

/** These files with all that is loaded at once with them. */
function loadedWith(...files: readonly string[]): string[] {
  const loaded = new Set(files);
  for (const file of loaded) {
    const source = byFile.get(file);
    if (source === undefined) continue;
    for (const { target, later } of importsOf(source))
      if (!later && !target.startsWith('node:')) loaded.add(target);
  }
  return [...loaded];
}

function ruleFor(file: string): Rule | undefined {
  return RULES.filter(({ of }) => covers(of, file)).toSorted((a, b) => b.of.length - a.of.length)[0];
}

function wrongImports(source: Source): string[] {
  const rule = ruleFor(source.file);
  if (rule === undefined) return [];
  const { of, may, types = [], never = [] } = rule;
  return importsOf(source)
    .filter(({ target, type }) => {
      if (!target.startsWith('src/') || (of.endsWith('/') && covers(of, target))) return false;
      const allowed = type ? [...may, ...types] : may;
      return !allowed.some((one) => covers(one, target)) || never.some((one) => covers(one, target));
    })
    .map(({ target, type }) => `${source.file} imports ${type ? 'a type of ' : ''}${target}`);
}

function wrongPackages(source: Source): string[] {
  return importsOf(source).flatMap(({ target }) =>
    Object.entries(PACKAGES)
      .filter(([name]) => target === name || target.startsWith(`${name}/`))
      .filter(([, places]) => !places.some((place) => source.file.startsWith(place)))
      .map(() => `${source.file} imports ${target}`),
  );
}

function covers(place: string, file: string): boolean {
  return place.endsWith('/') ? file.startsWith(place) : file === place;
}
