/**
 * Programs of this checkout for tests that start processes. At each start tsx reads five hundred files, which takes more
 * of a processor than most tests; put together once for a whole run, they start in a third of it. What users start is
 * started by test/house/start.test.ts.
 */
import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { inject } from 'vitest';
import { REPOSITORY } from './house/sources.ts';

const PROGRAMS = [
  'src/main.ts',
  'test/worker-process.ts',
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

/**
 * @param root a checkout, or a copy of what its programs are made of
 * @returns where the programs are then: below `directory`
 */
export async function putTogether(
  directory: string,
  root = REPOSITORY,
  entryPoints: readonly string[] = PROGRAMS,
): Promise<string> {
  // Packages stay as they are, and are looked for above the program.
  await symlink(path.join(REPOSITORY, 'node_modules'), path.join(directory, 'node_modules'), 'junction');
  const programs = path.join(directory, 'programs');
  await build({
    entryPoints: [...entryPoints],
    absWorkingDir: root,
    outbase: root,
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

/** The file that node is to be given. */
export function programOf(source: (typeof PROGRAMS)[number]): string {
  return path.join(inject('programs'), source.replace(/\.ts$/, '.js'));
}
