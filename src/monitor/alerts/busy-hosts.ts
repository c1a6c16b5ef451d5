/** Limits how many channels this process sends to at once at one host, so that a dead host leaves places for others. */

/** How many of the places for channels of a process (`platform/queue/queue-workers.ts`) one host may take. */
const MAX_SENDS_PER_HOST = 8;

export type BusyHosts = {
  /** Takes a place; null: the host has none left. @returns a function that gives the place free */
  take(host: string): (() => void) | null;
};

export function createBusyHosts(most = MAX_SENDS_PER_HOST): BusyHosts {
  const sending = new Map<string, number>();
  return {
    take: (host) => {
      const now = sending.get(host) ?? 0;
      if (now >= most) return null;
      sending.set(host, now + 1);
      return () => {
        const left = (sending.get(host) ?? 1) - 1;
        if (left === 0) sending.delete(host);
        else sending.set(host, left);
      };
    },
  };
}
