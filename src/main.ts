#!/usr/bin/env node
import { isatty } from 'node:tty';
import { tellLastWords } from './doors/cli/last-words.ts';
import { runCli } from './doors/cli/program.ts';
import { environment } from './config.ts';

tellLastWords(environment());
const { stdout, stderr } = process;
process.exitCode = await runCli(process.argv.slice(2), {
  stdout,
  stderr,
  env: environment(),
  isTTY: isatty(1),
  columns: stdout.columns,
});
