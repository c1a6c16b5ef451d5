/** The quick start in a checkout and with the installed package: started, read, stopped with Ctrl-C. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
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
  { name: 'npm start', begin: async () => start(REPOSITORY, ['--import', 'tsx', 'src/main.ts']) },
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
