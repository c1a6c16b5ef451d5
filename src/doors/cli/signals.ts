/** Ctrl-C and its kin, told once each: the first asks to end, the second asks to hurry. */
export type Ending = {
  /** Resolves with the first signal. */
  asked: Promise<NodeJS.Signals>;
  /** Called at every further signal. */
  onHurry(act: () => void): void;
  release(): void;
};

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
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    asked,
    onHurry: (act) => {
      hurried.push(act);
    },
    release: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
