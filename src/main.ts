#!/usr/bin/env node
import { isatty } from 'node:tty';
import { runCli } from './cli/command-line.ts';
import { findProgramName } from './cli/program-name.ts';
import { exitSoon } from './cli/terminal-io.ts';
import { environment } from './config/environment.ts';

const { stdout, stderr } = process;
const env = environment();
const io = {
  stdout,
  stderr,
  env,
  isTTY: isatty(1),
  columns: stdout.columns,
  program: findProgramName(process.argv[1] ?? '', env),
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
};
process.exitCode = await runCli(process.argv.slice(2), io, {
  prepare: async () => {
    const { handleUncaughtExceptions } = await import('./cli/process-exit.ts');
    handleUncaughtExceptions(env, () => import('./cli/configuration.ts'));
  },
});
exitSoon([stdout, stderr], () => process.exit());
