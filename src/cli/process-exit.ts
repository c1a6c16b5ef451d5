/** How a process of the command line ends: by signals, and by an exception that nobody caught. */

import { readConfig } from '../config/config.ts';
import { createLogger } from '../platform/logger.ts';

/** Ctrl-C and other signals to end: the first asks to finish what is in progress, the next ones ask to abort it. */
export type ShutdownRequest = {
  /** Resolves with the first signal. */
  requested: Promise<NodeJS.Signals>;
  /** Called at every further signal. */
  onRepeated(act: () => void): void;
  release(): void;
};

/** Also the one that is sent when the terminal is closed: what was started must not stay behind. */
const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForShutdown(): ShutdownRequest {
  const repeatedActs: (() => void)[] = [];
  let ask: (signal: NodeJS.Signals) => void = () => {};
  let ending = false;
  const requested = new Promise<NodeJS.Signals>((resolve) => {
    ask = resolve;
  });
  const onSignal = (signal: NodeJS.Signals) => {
    if (ending) for (const act of repeatedActs) act();
    ending = true;
    ask(signal);
  };
  for (const signal of SHUTDOWN_SIGNALS) process.on(signal, onSignal);
  return {
    requested,
    onRepeated: (act) => {
      repeatedActs.push(act);
    },
    release: () => {
      for (const signal of SHUTDOWN_SIGNALS) process.off(signal, onSignal);
    },
  };
}

/**
 * An exception that nobody caught ends the process, as it must; it is logged as every error is. Node by itself would
 * print all that a library attached to it: parameters of a statement, arguments of a command.
 */
export function handleUncaughtExceptions(env: Readonly<Record<string, string | undefined>>): void {
  process.on('uncaughtException', (err) => {
    createLogger('fatal', readSecrets(env)).fatal(
      { err },
      'strandline broke off: this is a fault of its own',
    );
    process.exit(1);
  });
}

function readSecrets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  try {
    return readConfig(env).secrets;
  } catch {
    return []; // said already by the command that reads it
  }
}
