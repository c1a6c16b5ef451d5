#!/usr/bin/env node
import { isatty } from 'node:tty';
import { runCli } from './doors/cli/program.ts';
import { environment } from './config.ts';

const { stdout, stderr } = process;
process.exitCode = await runCli(process.argv.slice(2), {
  stdout,
  stderr,
  env: environment(),
  isTTY: isatty(1),
  columns: stdout.columns,
});
