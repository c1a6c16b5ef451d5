/** Ctrl-C and its kin, told once each: the first asks to end, the second asks to hurry. */
export type Ending = {
  /** Resolves with the first signal. */
  asked: Promise<NodeJS.Signals>;
  /** Called at every further signal. */
  onHurry(act: () => void): void;
  release(): void;
};

/** Also the one that is sent when the terminal is closed: what was started must not stay behind. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function awaitEnding(): Ending {
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
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    asked,
    onHurry: (act) => {
      hurried.push(act);
    },
    release: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
