/** Whether we live, and whether we can work: told to anybody. Which part is away is told to whoever may read. */
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

export function healthRoutes(app: App, home: RouteContext): void {
  const look = createPartsCheck(home);
  app.get('/livez', { config: { scope: 'open', rateLimit: false } }, (_request, reply) => reply.send());
  app.get('/readyz', { config: { scope: 'open' } }, async (_request, reply) => {
    const ready = (await look()).every((part) => part.ready);
    return reply.code(ready ? 200 : 503).send({ ready });
  });
  app.get('/readyz/parts', { config: { scope: 'read' }, schema: { hide: true } }, async (_request, reply) => {
    const parts = await look();
    const ready = parts.every((part) => part.ready);
    return reply.code(ready ? 200 : 503).send({ ready, parts });
  });
}

/** Asks every part at once; whoever asks meanwhile gets the same answer, so that many who ask cost one look. */
function createPartsCheck({ ctx, idle }: RouteContext): () => Promise<HealthPart[]> {
  const awaySince = new Map<HealthPart['part'], Date>();
  const told = (part: HealthPart['part'], ready: boolean, reason: string | null = null): HealthPart => {
    if (ready) awaySince.delete(part);
    else if (!awaySince.has(part)) awaySince.set(part, ctx.clock.now());
    return { part, ready, away_since: awaySince.get(part) ?? null, reason };
  };
  async function look(): Promise<HealthPart[]> {
    const [database, queue] = await Promise.all([
      respondsInTime(ctx.db.pool.query('SELECT 1')),
      respondsInTime(ctx.queue.ping()),
    ]);
    const parts = [told('database', database), told('queue', queue)];
    if (idle === undefined) return parts;
    const reason = idle();
    return [...parts, told('worker', reason === null, reason)];
  }
  let looking: Promise<HealthPart[]> | undefined;
  return () =>
    (looking ??= look().finally(() => {
      looking = undefined;
    }));
}

function respondsInTime(work: Promise<unknown>): Promise<boolean> {
  return withTimeout(work, PART_TIMEOUT_MS).then(
    () => true,
    () => false,
  );
}
