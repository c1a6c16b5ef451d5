import { monotonicMs } from '../../engine/clock.ts';
import { RunError } from '../../errors.ts';
import { type ClaimedRun, renewLease } from '../../store/runs.ts';
import type { Context } from '../context.ts';

export type Lease = {
  /** Aborted when the lease is lost or the process is stopping; ends a call under way. */
  signal: AbortSignal;
  release(): void;
};

/**
 * Keeps a claimed run ours while its call takes its time: renewed every third of the lease. A lease that
 * another worker took over is lost at once; one that cannot be renewed because the database is away is
 * lost when it has run out, for then another worker may have it.
 */
export function holdLease(ctx: Context, run: ClaimedRun, stopping: AbortSignal | undefined): Lease {
  const { leaseMs } = ctx.config;
  const lost = new AbortController();
  let renewedAt = monotonicMs();
  const timer = setInterval(() => {
    void renew();
  }, leaseMs / 3);
  timer.unref();

  async function renew(): Promise<void> {
    const askedAt = monotonicMs();
    try {
      if (await renewLease(ctx.db, { runId: run.id, fence: run.fence, leaseMs })) renewedAt = askedAt;
      else lost.abort(new RunError('lease_lost'));
    } catch (error) {
      ctx.log.warn({ err: error, run: String(run.id) }, 'lease not renewed');
      if (monotonicMs() - renewedAt >= leaseMs) lost.abort(new RunError('lease_lost'));
    }
  }

  return {
    signal: stopping === undefined ? lost.signal : AbortSignal.any([lost.signal, stopping]),
    release: () => clearInterval(timer),
  };
}
