import { SCANS } from '../../src/platform/queue/queue.ts';
import type { Stage } from './stage.ts';

/** Waits until the repeatable job triggers scans again: its next time moves twice. */
export async function repeats(stage: Stage): Promise<void> {
  const times = new Set<number>();
  await stage.until('the repeatable job calls the scan', async () => {
    const next = (await stage.scans.getJobScheduler(SCANS))?.next;
    if (next !== undefined) times.add(next);
    // One that was added and is never executed has one time.
    return times.size >= 3;
  });
}
