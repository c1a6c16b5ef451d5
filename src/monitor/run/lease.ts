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
 * another worker took over is lost at once; one that could not be renewed, because the database is away
 * or does not answer, is lost when it has run out, for then another worker may have it.
 */
export function holdLease(ctx: Context, run: ClaimedRun, stopping: AbortSignal | undefined): Lease {
  const { leaseMs } = ctx.config;
  const ending = new AbortController();
  let renewedAt = monotonicMs();
  let renewing = false;

  const lose = () => ending.abort(new RunError('lease_lost'));
  const timer = setInterval(() => {
    if (monotonicMs() - renewedAt >= leaseMs) lose();
    else if (!renewing) void renew();
  }, leaseMs / 3);
  timer.unref();
  stopping?.addEventListener('abort', lose);
  if (stopping?.aborted === true) lose();

  async function renew(): Promise<void> {
    renewing = true;
    const askedAt = monotonicMs();
    try {
      if (await renewLease(ctx.db, { runId: run.id, fence: run.fence, leaseMs })) renewedAt = askedAt;
      else lose();
    } catch (error) {
      ctx.log.warn({ err: error, run: String(run.id) }, 'lease not renewed');
    } finally {
      renewing = false;
    }
  }

  return {
    signal: ending.signal,
    release: () => {
      clearInterval(timer);
      stopping?.removeEventListener('abort', lose);
    },
  };
}
