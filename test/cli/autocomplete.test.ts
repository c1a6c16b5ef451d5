/** Completion in a shell: commands and options from the script, slugs from a server. */
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { runCli } from '../../src/cli/command-line.ts';
import { VERSION } from '../../src/config/version.ts';
import { collector } from './stand.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function run(argv: readonly string[], env: Record<string, string> = {}) {
  const [stdout, stderr] = [collector(), collector()];
  const io = { stdout: stdout.stream, stderr: stderr.stream, isTTY: false, env };
  const open = () => Promise.reject(new Error('a key press opens no database'));
  const code = await runCli(argv, io, { open });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** What bash offers after these words, where a server has these slugs. */
async function complete(words: readonly string[], slugs: readonly string[]): Promise<string[]> {
  const { stdout: script } = await run(['autocomplete', 'bash']);
  const typed = words.map((word) => `'${word}'`).join(' ');
  const bash = `${script}
    strandline() { [[ "$1 $2 $3" == 'autocomplete bash --slugs' ]] && printf '%s\\n' ${slugs.map((slug) => `"$4-${slug}"`).join(' ')}; }
    COMP_WORDS=(strandline ${typed}); COMP_CWORD=${words.length}
    _strandline; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return new Promise((resolve, reject) => {
    execFile('bash', ['--norc', '-c', bash], (error, stdout, stderr) =>
      error === null && stderr === ''
        ? resolve(stdout.split('\n').filter((line) => line !== ''))
        : reject(new Error(stderr, { cause: error })),
    );
  });
}

test.each([
  [['top'], ['topic']],
  [
    ['topic', 're'],
    ['rename', 'resume', 'remove', 'rewatch'],
  ],
  [['topic', 'show', 'topic-f'], ['topic-ferry']],
  [['topic', 'show', '--js'], ['--json']],
  [
    ['search', 'pause', ''],
    ['search-ferry', 'search-tides'],
  ],
  [['rules', 'show', 'rule-t'], ['rule-tides']],
  [
    ['channels', 'test', 'channel-'],
    ['channel-ferry', 'channel-tides'],
  ],
  [
    ['posts', 'list', '--topic', ''],
    ['topic-ferry', 'topic-tides'],
  ],
  [['posts', 'show', ''], []],
])('%j', async (words, expected) => {
  const offered = await complete(words, ['ferry', 'tides']);
  if (words.at(-1) === '') expect(offered.filter((word) => !word.startsWith('--'))).toEqual(expected);
  else expect(offered).toEqual(expected);
});

test('slugs are those of the server; without one, or when it refuses, there are none', async () => {
  const listening = createServer((request, response) => {
    const isTopics = request.url?.startsWith('/api/v1/topics') === true;
    response
      .writeHead(isTopics ? 200 : 401, { 'content-type': 'application/json', 'strandline-version': VERSION })
      .end(JSON.stringify({ items: [{ slug: 'ferry' }, { slug: 'tides' }], next_cursor: null }));
  });
  server = listening;
  await new Promise<void>((resolve) => void listening.listen(0, '127.0.0.1', resolve));
  const STRANDLINE_URL = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`; // it listens on a port
  const ask = (kind: string, env: Record<string, string>) =>
    run(['autocomplete', 'bash', '--slugs', kind], env);
  expect(await ask('topic', { STRANDLINE_URL })).toEqual({ code: 0, stdout: 'ferry\ntides\n', stderr: '' });
  expect(await ask('search', { STRANDLINE_URL })).toEqual({ code: 0, stdout: '', stderr: '' });
  const STRANDLINE_DATA_DIR = '/nonexistent/of-the-test';
  expect(await ask('topic', { STRANDLINE_DATA_DIR })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await ask('post', {})).code).toBe(2);
});
