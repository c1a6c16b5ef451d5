/**
 * Programs of this checkout for tests that start processes. At each start tsx reads five hundred files, which takes more
 * of a processor than most tests; put together once for a whole run, they start in a third of it. What users start is
 * started by test/house/start.test.ts.
 */
import { execFile } from 'node:child_process';
import { cp, readFile, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { inject } from 'vitest';
import { REPOSITORY } from './house/sources.ts';
import { makeDirectory } from './temporary.ts';

const PROGRAMS = [
  'src/main.ts',
  'src/web/reader-process.ts',
  'test/worker-process.ts',
  'test/extended-program.ts',
  'test/engine/process.ts',
  'test/store/migrator.ts',
  'test/web/attack/watched-server.ts',
] as const;

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the programs are. */
    programs: string;
  }
}

/** @returns where the programs are then: below `directory` */
export async function putTogether(directory: string): Promise<string> {
  // Packages stay as they are, and are looked for above the program.
  await symlink(path.join(REPOSITORY, 'node_modules'), path.join(directory, 'node_modules'), 'junction');
  const programs = path.join(directory, 'programs');
  await build({
    entryPoints: [...PROGRAMS],
    absWorkingDir: REPOSITORY,
    outbase: REPOSITORY,
    outdir: programs,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    keepNames: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
    plugins: [
      {
        name: 'each file knows where it stands, for what it reads beside it',
        setup: (building) =>
          building.onLoad({ filter: /\.tsx?$/ }, async ({ path: file }) => ({
            contents: (await readFile(file, 'utf8')).replaceAll(
              'import.meta.url',
              JSON.stringify(pathToFileURL(file).href),
            ),
            loader: 'default',
          })),
      },
    ],
  });
  return programs;
}

/**
 * What `npm run build` makes, file by file, with what it reads beside it; in a place of its own, as others may be at work
 * in this checkout. Its types are not checked: that is another command's.
 * @returns the folder that has `dist` in it
 */
export async function buildPackage(): Promise<string> {
  const directory = await realpath(await makeDirectory());
  const dist = path.join(directory, 'dist');
  const options = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', dist];
  await promisify(execFile)(path.join(REPOSITORY, 'node_modules/.bin/tsc'), options, { cwd: REPOSITORY });
  for (const part of ['web/assets', 'api/openapi/examples.json', 'service/sandbox/topics.json'])
    await cp(path.join(REPOSITORY, 'src', part), path.join(dist, part), { recursive: true });
  for (const part of ['package.json', 'migrations', 'docs', 'node_modules'])
    await symlink(path.join(REPOSITORY, part), path.join(directory, part));
  return directory;
}

/** The file that node is to be given. */
export function programOf(source: (typeof PROGRAMS)[number]): string {
  return path.join(inject('programs'), source.replace(/\.ts$/, '.js'));
}
