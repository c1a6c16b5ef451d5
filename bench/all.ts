/**
 * Every benchmark that has a target, one after the other, and at the end the lines that were held against one.
 * About an hour on two cores, and 6 GB on the disk for a while; it prints and fails on nothing.
 *
 *   npm run -s bench:all -- [--quick]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const [posts, runs, minutes] = values.quick ? ['100000', '10000', '1'] : ['1000000', '100000', '3'];

/** Name, script, and what it is told. */
const BENCHES: readonly (readonly [name: string, script: string, ...args: string[]])[] = [
  ['save', 'save.ts'],
  ['reading', 'read.ts'],
  ['runs a second', 'runs.ts', 'burst'],
  ['lateness', 'runs.ts', 'steady', '--minutes', minutes],
  ['idle', 'runs.ts', 'idle'],
  ['scan', 'scan.ts'],
  ['memory', 'runs.ts', 'memory', '--runs', runs, '--backend', 'redis'],
  ['search service', 'service.ts'],
  ['events', 'events.ts'],
  ['questions, reads and panels; save with history', 'questions.ts', '--posts', posts, '--save', '3'],
  ['pages', 'pages.ts', '--posts', posts],
];

const held: string[] = [];
for (const [name, script, ...args] of BENCHES) {
  print(`== ${name} (load ${loadavg()[0]?.toFixed(1)})`);
  const lines = (await output(script, args)).split('\n');
  held.push(`== ${name}`, ...lines.filter((line) => /[✓✗]/.test(line)));
}
print(`\nHeld against a target:\n${held.join('\n')}`);

/** Shows what it prints while it prints it. */
async function output(script: string, args: readonly string[]): Promise<string> {
  const file = path.join(import.meta.dirname, script);
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    process.stdout.write(piece);
  });
  const [code] = (await once(child, 'close')) as [number | null]; // as its documentation has it
  if (code !== 0) print(`${script} ended with ${code}`);
  return text;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
