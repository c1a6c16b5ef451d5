/** Ends the process on signals and on uncaught exceptions. */

/** Exit code after Ctrl-C. */
export const EXIT_INTERRUPTED = 130;

/** Ctrl-C and other signals: the first one asks to finish current work, later ones to abort it. */
export type ShutdownRequest = {
  /** Resolves with the first signal. */
  requested: Promise<NodeJS.Signals>;
  /** Called at every further signal. */
  onRepeated(act: () => void): void;
  release(): void;
};

/** SIGHUP too: closing the terminal must not leave child processes behind. */
const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForShutdown(): ShutdownRequest {
  const { ask, ...request } = createShutdownRequest();
  for (const signal of SHUTDOWN_SIGNALS) process.on(signal, ask);
  return {
    ...request,
    release: () => {
      for (const signal of SHUTDOWN_SIGNALS) process.off(signal, ask);
    },
  };
}

/** Without signals: `ask` takes their place. */
export function createShutdownRequest(): ShutdownRequest & { ask: (signal: NodeJS.Signals) => void } {
  const repeatedActs: (() => void)[] = [];
  let requests = 0;
  let resolveRequest: (signal: NodeJS.Signals) => void = () => {};
  const requested = new Promise<NodeJS.Signals>((resolve) => {
    resolveRequest = resolve;
  });
  return {
    requested,
    onRepeated: (act) => {
      repeatedActs.push(act);
      if (requests > 1) act();
    },
    release: () => {},
    ask: (signal) => {
      if (requests > 0) for (const act of repeatedActs) act();
      requests += 1;
      resolveRequest(signal);
    },
  };
}

/**
 * Logs an uncaught exception like any other error and exits. Node would print everything that libraries attach to it:
 * parameters of a statement, arguments of a command. Until the configuration is loaded, so is what logs it.
 */
export function handleUncaughtExceptions(
  env: Readonly<Record<string, string | undefined>>,
  load: () => Promise<{ logFatal: LogFatal }>,
): void {
  const loadAndLog = async (err: unknown) => {
    try {
      (await load()).logFatal(err, env);
    } finally {
      process.exit(1);
    }
  };
  process.on('uncaughtException', (err) => {
    if (log === undefined) return void loadAndLog(err);
    log(err, env);
    process.exit(1);
  });
}

type LogFatal = (err: unknown, env: Readonly<Record<string, string | undefined>>) => void;

let log: LogFatal | undefined;

/** Called when the configuration is loaded. */
export function logUncaughtWith(logFatal: LogFatal): void {
  log = logFatal;
}
