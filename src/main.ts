#!/usr/bin/env node
import { isatty } from 'node:tty';
import { runCli } from './doors/cli/program.ts';
import { environment } from './environment.ts';

const { stdout, stderr } = process;
const env = environment();
const io = { stdout, stderr, env, isTTY: isatty(1), columns: stdout.columns };
process.exitCode = await runCli(process.argv.slice(2), io, {
  prepare: async () => {
    const { tellLastWords } = await import('./doors/cli/last-words.ts');
    tellLastWords(env);
  },
});
