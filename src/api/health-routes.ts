/** Liveness and readiness, public; the state of each part, with the scope `read`. */
import type { IncomingMessage } from 'node:http';
import { SECOND } from '../lib/time.ts';
import { withTimeout } from '../platform/clock.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';

/** A part that has not responded by then counts as not ready. */
const PART_TIMEOUT_MS = 2 * SECOND;

type HealthPart = {
  part: 'database' | 'queue' | 'worker';
  ready: boolean;
  /** When it was first found not ready; null while it is ready. */
  away_since: Date | null;
  /** Why the worker leases no runs; null for other parts. */
  reason: string | null;
};

/** Maps `/readyz?verbose` to a route of its own, so that the gate checks its scope like that of any route. */
export function rewriteVerboseReadyz({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  return /^\/readyz\?(?:.*&)?verbose(?:[=&]|$)/.test(url) ? '/readyz/parts' : url;
}

export function healthRoutes(app: App, routeContext: RouteContext): void {
  const checkParts = createPartsCheck(routeContext);
  app.get('/livez', { config: { scope: 'open', rateLimit: false } }, (_request, reply) => reply.send());
  app.get('/readyz', { config: { scope: 'open' } }, async (_request, reply) => {
    const ready = (await checkParts()).every((part) => part.ready);
    return reply.code(ready ? 200 : 503).send({ ready });
  });
  app.get('/readyz/parts', { config: { scope: 'read' }, schema: { hide: true } }, async (_request, reply) => {
    const parts = await checkParts();
    const ready = parts.every((part) => part.ready);
    return reply.code(ready ? 200 : 503).send({ ready, parts });
  });
}

/** Checks all parts in parallel. Concurrent requests share one check. */
function createPartsCheck({ ctx, idle }: RouteContext): () => Promise<HealthPart[]> {
  const awaySince = new Map<HealthPart['part'], Date>();
  const toPart = (part: HealthPart['part'], ready: boolean, reason: string | null = null): HealthPart => {
    if (ready) awaySince.delete(part);
    else if (!awaySince.has(part)) awaySince.set(part, ctx.clock.now());
    return { part, ready, away_since: awaySince.get(part) ?? null, reason };
  };
  async function check(): Promise<HealthPart[]> {
    const [database, queue] = await Promise.all([
      respondsInTime(ctx.db.pool.query('SELECT 1')),
      respondsInTime(ctx.queue.ping()),
    ]);
    const parts = [toPart('database', database), toPart('queue', queue)];
    if (idle === undefined) return parts;
    const reason = idle();
    return [...parts, toPart('worker', reason === null, reason)];
  }
  let pending: Promise<HealthPart[]> | undefined;
  return () =>
    (pending ??= check().finally(() => {
      pending = undefined;
    }));
}

function respondsInTime(work: Promise<unknown>): Promise<boolean> {
  return withTimeout(work, PART_TIMEOUT_MS).then(
    () => true,
    () => false,
  );
}
