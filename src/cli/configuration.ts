/** The configuration and the log of a command. Not loaded by a command that only sends a request. */

import { type Config, readConfig } from '../config/config.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { renderLogLine } from './log-lines.ts';
import { logUncaughtWith } from './process-exit.ts';
import { type Env, isTerminal, type Shell } from './terminal-io.ts';

/** The configuration that this process uses: its list of secrets grows as sources are read. */
let used: Config | undefined;

/** @throws InvalidInput */
export function useConfig(env: Env): Config {
  used = readConfig(env);
  return used;
}

export function openLog({ io, page }: Pick<Shell, 'io' | 'page'>, config: Config): Logger {
  // Commands print data, so they log only warnings unless LOG_LEVEL asks for more.
  const { logLevel = 'warn', secrets } = config;
  // Whoever asks for more than `info` looks for details, which are in the JSON.
  const human = isTerminal(io.stderr) && !['debug', 'trace'].includes(logLevel);
  return createLogger(logLevel, secrets, {
    write: (line) => (human ? page.say(renderLogLine(line)) : void io.stderr.write(line)),
  });
}

/** Logs an exception that nothing caught. */
export function logFatal(err: unknown, env: Env): void {
  createLogger('fatal', readSecrets(env)).fatal({ err }, 'uncaught exception');
}

function readSecrets(env: Env): readonly string[] {
  try {
    return (used ?? readConfig(env)).secrets;
  } catch {
    return []; // an invalid configuration is reported elsewhere
  }
}

logUncaughtWith(logFatal);
