/** The quick start in a checkout and with the installed package: started, read, stopped with Ctrl-C. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { isAlive } from '../../src/platform/postgres/pid-file.ts';
import { findProcessesBelow, findStatementProcesses } from '../processes.ts';
import { installPackage } from '../programs.ts';
import { makeDirectory } from '../temporary.ts';
import { REPOSITORY } from './sources.ts';

const directory = await makeDirectory();
const dataDir = path.join(directory, 'home');

afterAll(async () => {
  for (const pid of await serversBelow(directory)) process.kill(pid, 'SIGQUIT');
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

test.each([
  { name: 'npm start', begin: async () => start(REPOSITORY, ['scripts/start.js']) },
  { name: 'the installed package', begin: async () => start(await installPackage(), [COMMAND]) },
])(
  '$name runs the first searches, exits with 0 on Ctrl-C, and leaves no server behind',
  async ({ begin }) => {
    await rm(dataDir, { recursive: true, force: true });
    const child = await begin();
    const ended = once(child, 'exit');
    const lines: string[] = [];
    try {
      await Promise.race([lineOf(child, /baseline: /, lines), ended]);
      expect(lines.join('\n')).toMatch(/baseline: /);
      expect(await serversBelow(directory)).not.toEqual([]);
      const dashboard = /dashboard\s+(http:\S+)/.exec(lines.join('\n'))?.[1] ?? 'not printed';
      expect(await (await fetch(dashboard)).text()).toContain('Harbour festival');
      // It reads what is packed beside the program, too.
      expect(await (await fetch(new URL('/explore/sql', dashboard))).text()).toContain('id="questions"');
      // The program that it starts for statements is beside it, too.
      const reply = await fetch(new URL('/api/v1/sql', dashboard), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ sql: 'select 1 as n' }),
      });
      expect(await reply.json()).toMatchObject({ columns: [{ name: 'n', type: 'integer' }], rows: [[1]] });
      const forStatements = await findStatementProcesses(child.pid);
      if (process.platform === 'linux') expect(forStatements).toHaveLength(1);
      child.kill('SIGINT');
      const [code, signal] = await ended;
      expect({ code, signal }, lines.join('\n')).toEqual({ code: 0, signal: null });
      expect(await serversBelow(directory)).toEqual([]);
      expect(forStatements.filter(isAlive)).toEqual([]);
    } finally {
      if (isAlive(child.pid ?? 0)) child.kill('SIGKILL');
    }
  },
);

test('npm start runs the files as they are: after each change, and where it cannot write', async () => {
  const checkout = path.join(directory, 'checkout');
  for (const part of ['scripts', 'src'])
    await cp(path.join(REPOSITORY, part), path.join(checkout, part), { recursive: true });
  for (const part of ['package.json', 'tsconfig.json', 'migrations'])
    await symlink(path.join(REPOSITORY, part), path.join(checkout, part));
  const modules = path.join(checkout, 'node_modules');
  await mkdir(modules);
  for (const name of await readdir(path.join(REPOSITORY, 'node_modules')))
    if (name !== '.cache')
      await symlink(path.join(REPOSITORY, 'node_modules', name), path.join(modules, name));
  const run = async () => execute(process.execPath, [path.join(checkout, 'scripts/start.js'), '--version']);
  const write = async (version: string) =>
    writeFile(path.join(checkout, 'src/config/version.ts'), `export const VERSION = '${version}';\n`);

  await write('1.0.1');
  const [first, atOnce] = await Promise.all([run(), run()]);
  expect([first, atOnce]).toEqual([
    { stdout: '1.0.1\n', stderr: '' },
    { stdout: '1.0.1\n', stderr: '' },
  ]);
  const kept = path.join(modules, '.cache/strandline');
  const [before = ''] = await readdir(kept);
  await writeFile(path.join(kept, before, `used-by-${process.pid}`), '');
  await write('1.0.2');
  expect(await run()).toEqual({ stdout: '1.0.2\n', stderr: '' });
  // A program that runs goes on with what it began with.
  expect(await readdir(kept)).toHaveLength(2);
  expect(await readdir(kept)).toContain(before);

  // As npm does after it has installed the packages.
  await write('1.0.3');
  await execute(process.execPath, [path.join(checkout, 'scripts/prepare.js')]);
  const prepared = await readdir(kept);
  expect(await run()).toEqual({ stdout: '1.0.3\n', stderr: '' });
  expect(await readdir(kept)).toEqual(prepared);

  await rm(path.dirname(kept), { recursive: true });
  await writeFile(path.dirname(kept), 'no folder');
  const { stdout, stderr } = await run();
  expect(stdout).toBe('1.0.3\n');
  expect(stderr).toMatch(/^The program starts slowly: /);
}, 600_000);

const execute = promisify(execFile);
const COMMAND = 'node_modules/.bin/strandline';

/** With none of this machine's settings. @param program what Node runs in this folder */
function start(cwd: string, program: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...program, 'up'], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      STRANDLINE_DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Resolves when a line of its stdout matches; goes on reading, so that the process is never held up. */
async function lineOf({ stdout }: ChildProcess, wanted: RegExp, printed: string[]): Promise<void> {
  if (stdout === null) throw new Error('its stdout is not ours');
  const lines = createInterface({ input: stdout });
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      printed.push(line);
      if (wanted.test(line)) resolve();
    });
  });
}

/** Postgres works in its data directory, so whoever works below this one is a server that was left. */
async function serversBelow(place: string): Promise<number[]> {
  const noted = Number.parseInt(
    await readFile(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').catch(() => ''),
    10,
  );
  // Where there is no /proc, the number that Postgres noted has to do.
  return (await findProcessesBelow(place)) ?? [noted].filter(isAlive);
}
