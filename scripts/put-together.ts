/**
 * Puts programs of this checkout together, with the packages they use: loading 900 files of ours and 1,800 of packages one by one
 * takes most of a start. Parts that a program imports later stay files of their own.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const REPOSITORY = path.resolve(import.meta.dirname, '..');

/** What the program is and starts. */
export const PROGRAMS = [
  'src/main.ts',
  'src/web/reader-process.ts',
  'src/service/feed-process.ts',
  'src/service/page-process.ts',
] as const;

/**
 * @param programs from the repository
 * @param folder where they are put, at the same paths with `.js`
 * @param placed where they will be when they run
 */
export async function putTogether(
  programs: readonly string[],
  folder: string,
  placed: string = folder,
): Promise<void> {
  await build({
    entryPoints: [...programs],
    absWorkingDir: REPOSITORY,
    outbase: REPOSITORY,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    keepNames: true,
    // Fewer bytes to read at each start; names stay, for messages and stacks.
    minifySyntax: true,
    minifyWhitespace: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
    // For packages that are CommonJS: what they require of node.
    banner: {
      js: `import{createRequire as requireFor}from'node:module';const require=requireFor(import.meta.url);`,
    },
    plugins: [
      {
        name: 'our files as they are loaded',
        setup: (building) =>
          building.onLoad({ filter: /\/(?:src|test)\/.*\.tsx?$/ }, async ({ path: file }) => {
            const written = await readFile(file, 'utf8');
            // Each knows where it stands, for what it reads beside it; one that starts a program has it here.
            const stands = written.includes('path.extname(import.meta.url)')
              ? path.join(placed, path.relative(REPOSITORY, file)).replace(/\.ts$/, '.js')
              : file;
            const contents = written
              .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(stands).href))
              // Of a CommonJS package the default is everything; node names its members, esbuild does not.
              .replaceAll(
                /(?<=await )import\('[^'.][^']*'\)/g,
                '$&.then((all) => ({ ...all.default, ...all }))',
              );
            return { contents, loader: 'default' };
          }),
      },
    ],
  });
}
