/** A process ends after its command, whatever keeps it alive, but not before its output is written. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { exitSoon } from '../../src/cli/terminal-io.ts';

/** A scheduler whose time passes when the test says so. */
function startScheduler() {
  const acts: (() => void)[] = [];
  return {
    after: (_ms: number, act: () => void) => void acts.push(act),
    pass: () => acts.shift()?.(),
    waiting: () => acts.length,
  };
}

test('exits once, as soon as the output is written', () => {
  let exits = 0;
  const stdout = { writableLength: 9, destroyed: false };
  const scheduler = startScheduler();
  exitSoon([stdout, { writableLength: 0, destroyed: false }], () => (exits += 1), scheduler.after);
  for (let i = 0; i < 3; i++) scheduler.pass();
  expect([exits, scheduler.waiting()]).toEqual([0, 1]);
  stdout.writableLength = 0;
  scheduler.pass();
  expect([exits, scheduler.waiting()]).toEqual([1, 0]);
});

test('does not wait for a reader that is gone', () => {
  let exits = 0;
  const scheduler = startScheduler();
  exitSoon([{ writableLength: 9, destroyed: true }], () => (exits += 1), scheduler.after);
  scheduler.pass();
  expect(exits).toBe(1);
});

/** Runs a program that ends its command with exit code 3, with something open. */
async function run(open: string): Promise<{ code: unknown; out: number }> {
  const file = new URL('../../src/cli/terminal-io.ts', import.meta.url).href;
  const program = `
    const { exitSoon } = await import('${file}');
    ${open}
    process.exitCode = 3;
    exitSoon([process.stdout, process.stderr], () => process.exit());`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
  let out = 0;
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.length));
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, out };
}

test('a process with something open ends, with its exit code', async () => {
  expect((await run('setInterval(() => {}, 1e9);')).code).toBe(3);
});

test('a process writes all of its output first', async () => {
  const written = await run('process.stdout.write("x".repeat(3_000_000)); setInterval(() => {}, 1e9);');
  expect(written).toEqual({ code: 3, out: 3_000_000 });
});
