/**
 * Counts what this process computes from now on, in milliseconds of the processor: how long it waited for one is the
 * machine's affair, and no test fails for it.
 */
export function watchProcessor(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
