/** Whether the process is alive and ready, for anybody; which part is away, for those who may read. */
import type { IncomingMessage } from 'node:http';
import { SECOND } from '../domain/time.ts';
import { withTimeout } from '../platform/clock.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';

/** Whatever has not answered by then is away. */
const PART_TIMEOUT_MS = 2 * SECOND;

type HealthPart = {
  part: 'database' | 'queue' | 'worker';
  ready: boolean;
  /** Since it was first found so; null while it is ready. */
  away_since: Date | null;
  /** Why a worker takes no work; null for the others. */
  reason: string | null;
};

/** `/readyz?verbose` is a route of its own, so that the gate judges who asks it as it does everywhere. */
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

/** Checks all parts at once. Requests that come meanwhile share the result, so that many of them cost one check. */
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
