import type { Database, Id } from '../../src/store/db/database.ts';
import { claimRun } from '../../src/store/runs/run-claims.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Way } from './way.ts';

/** The save as the program calls it, under a claim. It also writes the run, its results and the feed. */
export function ours(db: Database, serviceId: Id): Way {
  return {
    name: 'ours',
    async prepare({ findings, searchId, at }) {
      const runId = await insertRun(db.pool, { searchId, trigger: 'manual', now: at });
      const claimed = await claimRun(db, { runId, worker: 'bench', leaseMs: 600_000, now: at });
      if (claimed === null) throw new Error('a run of the benchmark was not claimed');
      const { fence } = claimed;
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
        if (diff === null) throw new Error('a run of the benchmark lost its claim');
        return diff.newPosts.length;
      };
    },
  };
}
