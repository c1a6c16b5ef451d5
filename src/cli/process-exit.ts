import { readConfig } from '../config/config.ts';
import { createLogger } from '../platform/logger.ts';
import { listSecrets } from './config-secrets.ts';

/** Ctrl-C and its kin, told once each: the first asks to end, the second asks to hurry. */
export type ShutdownRequest = {
  /** Resolves with the first signal. */
  asked: Promise<NodeJS.Signals>;
  /** Called at every further signal. */
  onHurry(act: () => void): void;
  release(): void;
};

/** Also the one that is sent when the terminal is closed: what was started must not stay behind. */
const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForShutdown(): ShutdownRequest {
  const hurried: (() => void)[] = [];
  let ask: (signal: NodeJS.Signals) => void = () => {};
  let ending = false;
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    ask = resolve;
  });
  const onSignal = (signal: NodeJS.Signals) => {
    if (ending) for (const act of hurried) act();
    ending = true;
    ask(signal);
  };
  for (const signal of SHUTDOWN_SIGNALS) process.on(signal, onSignal);
  return {
    asked,
    onHurry: (act) => {
      hurried.push(act);
    },
    release: () => {
      for (const signal of SHUTDOWN_SIGNALS) process.off(signal, onSignal);
    },
  };
}

/**
 * What nobody caught ends the process, as it must; but it is told as every error is. Node by itself would print all
 * that a library hung on it: parameters of a statement, arguments of a command.
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

function readSecrets(env: Readonly<Record<string, string | undefined>>): string[] {
  try {
    return listSecrets(readConfig(env));
  } catch {
    return []; // said already by the command that reads it
  }
}
