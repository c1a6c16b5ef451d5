/**
 * Programs of this checkout for tests that start processes, put together once for a whole run. What users start is started by
 * test/house/start.test.ts.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { z } from 'zod';
import { putTogether, PROGRAMS as WHAT_IS_STARTED } from '../scripts/put-together.js';
import { connect } from '../src/platform/postgres/connect.ts';
import { REPOSITORY } from './house/sources.ts';
import { makeDirectory } from './temporary.ts';

const PROGRAMS = [
  ...WHAT_IS_STARTED,
  'test/worker-process.ts',
  'test/conformance/run.ts',
  'test/extended-program.ts',
  'test/engine/process.ts',
  'test/provider-check/run.ts',
  'test/store/migrator.ts',
  'test/web/attack/watched-server.ts',
  'test/web/api/dying-server.ts',
] as const;

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the programs are. */
    programs: string;
  }
}

/** @returns where the programs are then: below `directory` */
export async function putTogetherBelow(directory: string): Promise<string> {
  const programs = path.join(directory, 'programs');
  await putTogether(PROGRAMS, programs);
  return programs;
}

/**
 * What `npm run build` makes, file by file, with what it reads at run time; in a folder of this run, since others may use
 * this checkout, and once for all files of it.
 * @returns the folder with `dist` in it
 */
export async function buildPackage(): Promise<string> {
  const folder = path.join(await realpath(path.dirname(inject('programs'))), 'package');
  const turn = await connect(inject('superuserUrl'), 'strandline test');
  try {
    await turn.query(`SELECT pg_advisory_lock(hashtext('package'))`);
    if (existsSync(path.join(folder, 'package.json'))) return folder;
    const dist = path.join(folder, 'dist');
    const options = ['-p', 'tsconfig.build.json', '--outDir', dist];
    await execute(path.join(REPOSITORY, 'node_modules/.bin/tsc'), options, { cwd: REPOSITORY });
    for (const part of DATA_OF_BUILD)
      await cp(path.join(REPOSITORY, 'src', part), path.join(dist, part), { recursive: true });
    for (const part of ['migrations', 'docs', 'node_modules', 'package.json'])
      await symlink(path.join(REPOSITORY, part), path.join(folder, part));
    return folder;
  } finally {
    await turn.end();
  }
}

const execute = promisify(execFile);
/** What the build script copies. */
const DATA_OF_BUILD = [
  'cli/operation-specs.json',
  'web/assets',
  'service/planning/frequencies',
  'api/openapi/examples.json',
  'service/sandbox/topics.json',
  'web/explore/questions.md',
];

/**
 * Packs the program and installs it in an empty folder, as `npm install` does: the files of the tarball, the packages it
 * depends on (those of this checkout, without what only development needs) and the command. Needs no network.
 * @returns the folder
 */
export async function installPackage(): Promise<string> {
  const folder = await realpath(await makeDirectory());
  const staged = path.join(folder, 'staged');
  const manifest = z
    .object({
      bin: z.object({ strandline: z.string() }),
      files: z.array(z.string()),
      dependencies: z.record(z.string(), z.string()),
      optionalDependencies: z.record(z.string(), z.string()),
    })
    .parse(JSON.parse(await readFile(path.join(REPOSITORY, 'package.json'), 'utf8')));
  for (const part of ['package.json', ...manifest.files.filter((file) => file !== 'dist')])
    await cp(path.join(REPOSITORY, part), path.join(staged, part), { recursive: true });
  await cp(path.join(await buildPackage(), 'dist'), path.join(staged, 'dist'), { recursive: true });
  await execute('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: staged });
  await rm(staged, { recursive: true });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  const modules = path.join(folder, 'node_modules');
  const installed = path.join(modules, 'strandline');
  await mkdir(installed, { recursive: true });
  await execute('tar', ['-xzf', path.join(folder, tarball), '-C', installed, '--strip-components=1']);
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    await mkdir(path.dirname(path.join(modules, name)), { recursive: true });
    await symlink(path.join(REPOSITORY, 'node_modules', name), path.join(modules, name));
  }
  await mkdir(path.join(modules, '.bin'));
  await chmod(path.join(installed, manifest.bin.strandline), 0o755);
  await symlink(path.join(installed, manifest.bin.strandline), path.join(modules, '.bin/strandline'));
  return folder;
}

/** The file that node is to be given. */
export function programOf(source: (typeof PROGRAMS)[number]): string {
  return path.join(inject('programs'), source.replace(/\.ts$/, '.js'));
}
