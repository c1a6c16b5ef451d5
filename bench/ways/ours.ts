import type { Database, Id } from '../../src/store/db/database.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Way } from './way.ts';

/** The save as the program calls it, under a lease. It also writes the run, its results and the feed. */
export function ours(db: Database, serviceId: Id): Way {
  return {
    name: 'ours',
    async prepare({ findings, searchId, at }) {
      const runId = await insertRun(db.pool, { searchId, trigger: 'manual', now: at });
      const leased = await leaseRun(db, { runId, worker: 'bench', leaseMs: 600_000, now: at });
      if (leased === null) throw new Error('a run of the benchmark was not leased');
      const { fence } = leased;
      return async () => {
        const diff = await saveFindings(db, {
          runId,
          fence,
          searchId,
          serviceId,
          findings,
          observedAt: at,
          endedAt: at,
        });
        if (diff === null) throw new Error('a run of the benchmark lost its lease');
        return diff.newPosts.length;
      };
    },
  };
}
