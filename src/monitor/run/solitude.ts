/** Work of one process that may have killed its process before is done while nothing else is. */

/** Thrown by work that must not be done beside other work; it has not begun. */
export class SolitudeNeeded extends Error {
  override readonly name = 'SolitudeNeeded';
}

/** A gate that all runs of a process pass. */
export type Solitude = {
  /** Does `work` beside other work, once nobody is or wants to be alone. */
  shared: <T>(work: () => Promise<T>) => Promise<T>;
  /** Does `work` once all other work has ended; what comes later waits. */
  alone: <T>(work: () => Promise<T>) => Promise<T>;
};

export function createSolitude(): Solitude {
  const underWay = new Set<Promise<void>>();
  /** Ends with the last one who asked to be alone. */
  let lastAlone: Promise<void> | undefined;

  const shared: Solitude['shared'] = async (work) => {
    if (lastAlone !== undefined) {
      await lastAlone;
      // Somebody else may want to be alone by now.
      return shared(work);
    }
    // Nothing is waited for between the question and this, so that nobody is alone beside it.
    const working = work();
    const ended = settled(working);
    underWay.add(ended);
    try {
      return await working;
    } finally {
      underWay.delete(ended);
    }
  };

  const alone: Solitude['alone'] = async (work) => {
    const working = Promise.all([lastAlone, ...underWay]).then(work);
    const ended = settled(working);
    lastAlone = ended;
    try {
      return await working;
    } finally {
      // Whoever came after this one ends later.
      if (lastAlone === ended) lastAlone = undefined;
    }
  };

  return { shared, alone };
}

async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}
