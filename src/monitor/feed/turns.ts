/** Lets so many go at a time; the others wait in the order they came. */
export function openTurns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let going = 0;
  return async (work) => {
    if (going >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else going += 1;
    try {
      return await work();
    } finally {
      // A turn is handed on: nobody who comes now goes before those who wait.
      const next = waiting.shift();
      if (next === undefined) going -= 1;
      else next();
    }
  };
}
