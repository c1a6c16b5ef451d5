/** Whether we live, and whether we can work; told to anybody, and nothing else with it. */
import { SECOND } from '../../engine/clock.ts';
import { withPatience } from '../../engine/patience.ts';
import type { App, WebHome } from '../routes.ts';

/** Whatever has not answered by then is away. */
const PATIENCE_MS = 2 * SECOND;

export function healthRoutes(app: App, { ctx }: WebHome): void {
  app.get('/livez', { config: { scope: 'open', rateLimit: false } }, (_request, reply) => reply.send());
  app.get('/readyz', { config: { scope: 'open' } }, async (_request, reply) => {
    const parts = {
      database: () => ctx.db.pool.query('SELECT 1'),
      queue: () => ctx.queue.ping(),
    };
    const found = await Promise.all(
      Object.entries(parts).map(async ([name, ask]) => ((await answers(ask())) ? [] : [name])),
    );
    const away = found.flat();
    return reply.code(away.length === 0 ? 200 : 503).send({ ready: away.length === 0, away });
  });
}

function answers(work: Promise<unknown>): Promise<boolean> {
  return withPatience(work, PATIENCE_MS).then(
    () => true,
    () => false,
  );
}
