// @ts-check
/**
 * Puts programs of this checkout together: compiling and loading 900 files one by one takes most of a start. Parts that a program
 * imports later stay files of their own. JavaScript, because it is run before anything could compile it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { REPOSITORY } from './current-folder.js';

/** What the program is and starts. */
export const PROGRAMS = /** @type {const} */ ([
  'src/main.ts',
  'src/app/sample-process.ts',
  'src/web/reader-process.ts',
  'src/service/feed-process.ts',
  'src/service/page-process.ts',
]);

/**
 * @param {readonly string[]} programs from the repository
 * @param {string} folder where they are put, at the same paths with `.js`
 * @param {object} more
 * @param {string} [more.placed] where they will be when they run. Default: the folder
 * @param {'bundle' | 'external'} [more.packages] `bundle` puts the packages in as well, with which a program starts 0.6 s sooner, after
 *   2 s more of putting together; `external` needs a `node_modules` above the folder
 */
export async function putTogether(programs, folder, { placed = folder, packages = 'bundle' } = {}) {
  const parts = new Set(['src', ...programs.map((program) => program.split('/')[0] ?? '')]);
  const rewritten = [...parts].flatMap(listRewritten);
  await build({
    entryPoints: [...programs],
    absWorkingDir: REPOSITORY,
    outbase: REPOSITORY,
    outdir: folder,
    bundle: true,
    packages,
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
          building.onLoad({ filter: matchFiles(rewritten) }, ({ path: file }) => ({
            contents: rewrite(file, placed),
            loader: 'default',
          })),
      },
    ],
  });
  // Otherwise node reads each file twice, to see of which kind it is.
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}\n');
}

const PLACE = 'import.meta.url';
/** A package that is loaded later. */
const LATER = /(?<=await )import\('[^'.][^']*'\)/g;

/**
 * esbuild is given few files by us, since each is sent to it and back.
 * @param {string} part
 */
function listRewritten(part) {
  return readdirSync(path.join(REPOSITORY, part), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(REPOSITORY, part, name))
    .filter((file) => {
      if (!/\.tsx?$/.test(file)) return false;
      const written = readFileSync(file, 'utf8');
      return written.includes(PLACE) || written.search(LATER) !== -1;
    });
}

/** @param {readonly string[]} files */
function matchFiles(files) {
  const names = files.map((file) => file.replaceAll(/[^\w/]/g, String.raw`\$&`));
  return new RegExp(`^(?:${names.join('|')})$`);
}

/**
 * @param {string} file
 * @param {string} placed
 */
function rewrite(file, placed) {
  const written = readFileSync(file, 'utf8');
  // Each knows where it stands, for what it reads beside it; one that starts a program has it here.
  const stands = written.includes('path.extname(import.meta.url)')
    ? path.join(placed, path.relative(REPOSITORY, file)).replace(/\.ts$/, '.js')
    : file;
  return (
    written
      .replaceAll(PLACE, JSON.stringify(pathToFileURL(stands).href))
      // Of a CommonJS package the default is everything; node names its members, esbuild does not.
      .replaceAll(LATER, '$&.then((all) => ({ ...all.default, ...all }))')
  );
}
