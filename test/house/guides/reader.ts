/**
 * A reader who types what a page says, in a folder of their own, with the program under the name that the page uses, and with one
 * public source that is reachable.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { until } from '../../processes.ts';
import { programOf } from '../../programs.ts';
import { copyReady } from '../../ready-postgres.ts';
import { sample } from '../../service/sources/provider.ts';
import { makeDirectory } from '../../temporary.ts';

export type Reader = {
  /** Types lines into a shell that keeps its variables and aliases from block to block. */
  type(code: string): Promise<{ code: number | null; output: string }>;
  write(file: string, text: string): Promise<void>;
  close(): Promise<void>;
};

export async function openReader(): Promise<Reader> {
  const folder = await makeDirectory();
  const bin = path.join(folder, 'bin');
  await mkdir(bin);
  const program = `exec ${process.execPath} ${programOf('src/main.ts')}`;
  const npm = `case "$1 $2" in\n'run -s') shift 4; ${program} "$@";;\n*) exit 0;;\nesac`;
  for (const [name, script] of [
    ['strandline', `${program} "$@"`],
    ['npm', npm],
  ] as const) {
    await writeFile(path.join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(bin, name), 0o755);
  }
  await copyReady(path.join(folder, '.strandline'));
  const source = await startSource();
  const { port } = source.address() as AddressInfo; // a TCP server's address is never a string
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: folder,
    NO_COLOR: '1',
    TERM: 'xterm',
    SHELL: '/bin/bash',
    TZ: 'UTC',
    SERVICE_SOURCES: 'mastodon',
    SERVICE_SOURCE_URLS: `mastodon=http://127.0.0.1:${port}`,
    PORT: '0',
    SERVICE_PORT: '0',
  };
  const variables = path.join(folder, 'variables');
  await writeFile(variables, '');
  const pids = path.join(folder, 'pids');
  let server: ChildProcess | undefined;

  /** On a terminal of 80 columns, as pages show it. */
  async function bash(code: string): Promise<{ code: number | null; output: string }> {
    const output = path.join(folder, 'output');
    const script =
      `shopt -s expand_aliases; trap '' HUP; . ./variables; set -e\n${code}\n` +
      `jobs -p >>${pids}\n{ export -p; alias -p; } >${variables}\n`;
    await writeFile(path.join(folder, 'typed'), script);
    const child = spawn('script', ['-qefc', 'stty cols 80; exec bash typed', output], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    const [exit] = await once(child, 'exit');
    const printed = await readFile(output, 'utf8');
    // `script` writes a line of its own before and after.
    const lines = printed
      .replaceAll('\r', '')
      .split('\n')
      .filter((line) => !line.startsWith('Script '));
    return { code: exit as number | null, output: lines.join('\n') };
  }

  async function stop(): Promise<void> {
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
  }

  /** With what the shell exports. */
  async function start(): Promise<{ code: number; output: string }> {
    await stop();
    const child = spawn('bash', ['-c', `. ./variables; exec strandline up`], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    server = child;
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until('the server prints how to stop it', async () => {
      if (child.exitCode !== null) throw new Error(printed);
      return Promise.resolve(/^ {2}stop +Ctrl-C$/m.test(printed));
    });
    return { code: 0, output: printed };
  }

  return {
    write: (file, text) => writeFile(path.join(folder, file), text),
    type: async (code) => {
      const starts = /^npm start$/m.test(code);
      // What follows the server on a line of its own is typed after it.
      const typed = await bash(code.replace(/^(?:git clone .*|cd strandline|npm ci|npm start)$/gm, 'true'));
      return starts && typed.code === 0 ? start() : typed;
    },
    close: async () => {
      await stop();
      source.closeAllConnections();
      source.close();
      for (const pid of (await readFile(pids, 'utf8').catch(() => '')).split('\n').filter(Boolean))
        try {
          process.kill(Number(pid));
        } catch {
          // It has ended.
        }
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** A Mastodon server whose only post has the words of the topics that the guides watch. */
async function startSource(): Promise<Server> {
  const recorded = sample('mastodon.status.json') as Record<string, unknown>; // the recorded status is an object
  const server = createServer((_request, response) => {
    const written = new Date(Date.now() - 60_000).toISOString();
    const content = '<p>Nordlicht rail company, Saltwind ferries: a harbour ferry to the tide pools.</p>';
    const status = { ...recorded, id: '113000000000000001', created_at: written, content };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([status]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
