import { monotonicMs, SECOND } from '../../engine/clock.ts';
import { type ClaimedRun, renewLease, runState } from '../../store/runs.ts';
import type { Context } from '../context.ts';

/** A renewal that failed is repeated this often, so that a database that is back for seconds learns who survived. */
const AGAIN_MS = SECOND;

/**
 * Renews the lease of a claimed run every third of it. While the database is away nothing is renewed, and the call goes
 * on: it is paid for, and after an outage whoever survived it goes first. A lease that was taken over is not renewed any
 * more; the response is stored all the same, and read late.
 * @returns stops renewing
 */
export function holdLease(ctx: Context, run: ClaimedRun): () => void {
  const { leaseMs } = ctx.config;
  const everyMs = leaseMs / 3;
  let renewAt = monotonicMs() + everyMs;
  let renewing = false;
  let failing = false;
  const timer = setInterval(
    () => {
      if (!renewing && monotonicMs() >= renewAt) void renew();
    },
    Math.min(everyMs, AGAIN_MS),
  );
  timer.unref();

  async function renew(): Promise<void> {
    renewing = true;
    try {
      const held = await renewLease(ctx.db, { runId: run.id, fence: run.fence, leaseMs });
      renewAt = monotonicMs() + everyMs;
      failing = false;
      if (held) return;
      clearInterval(timer);
      // Not where it waited for our own save, which has ended the run.
      const state = await runState(ctx.db, run.id);
      if (state?.fence === run.fence) return;
      ctx.log.warn({ run: String(run.id), search: run.search }, 'lease lost');
    } catch (error) {
      if (!failing) ctx.log.warn({ err: error, run: String(run.id) }, 'lease not renewed; retrying');
      failing = true;
    } finally {
      renewing = false;
    }
  }

  return () => clearInterval(timer);
}
