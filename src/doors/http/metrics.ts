/** Figures for Prometheus: of everything, as Postgres and the queue tell, and of this process. */
import { Gauge, Registry } from 'prom-client';
import { SECOND } from '../../engine/clock.ts';
import { withPatience } from '../../engine/patience.ts';
import { readCounts } from '../../store/counts.ts';
import { readLag } from '../../store/derive/pending.ts';
import { readSilence } from '../../monitor/status/silence.ts';
import { readFigures } from '../../store/reads/figures.ts';
import { readUnread } from '../../store/reads/unread.ts';
import { WORKER_SILENCE_MS } from '../../store/workers.ts';
import type { Routes } from '../routes.ts';
import { processFigures } from './metrics/own.ts';
import { serviceText } from './metrics/service.ts';
import { toldText } from './metrics/told.ts';

/** A queue that has not answered by then is down. */
const PATIENCE_MS = 2 * SECOND;

/** @param requests what this server was asked */
export function metricsRoutes(requests: Registry): Routes {
  return (app, { ctx, services, idle }) => {
    app.get('/metrics', { config: { scope: 'read' }, schema: { hide: true } }, async (_request, reply) => {
      const now = ctx.clock.now();
      const heardSince = new Date(now.getTime() - WORKER_SILENCE_MS);
      const [counts, figures, silence, unread, lag, depth, sources] = await Promise.all([
        readCounts(ctx.db),
        readFigures(ctx.db, { now, heardSince }),
        readSilence(ctx),
        readUnread(ctx.db, { statementTime: ctx.clock.statementTime(), heardSince }),
        readLag(ctx.db),
        withPatience(ctx.queue.depth(), PATIENCE_MS).catch(() => null),
        services.health(),
      ]);
      const worker = idle === undefined ? [] : [takesRuns(idle() === null)];
      const own = Registry.merge([...worker, processFigures(), requests]);
      const text = [
        await toldText({
          counts,
          figures,
          silent: silence.total,
          unread,
          lag,
          depth,
        }),
        await serviceText(sources),
        await own.metrics(),
      ].join('\n');
      return reply.type(Registry.PROMETHEUS_CONTENT_TYPE).serializer(String).send(text);
    });
  };
}

/** Of a process that is a worker: `/readyz?verbose` says why it takes none. */
function takesRuns(takes: boolean): Registry {
  const registry = new Registry();
  const help = '1 where the worker of this process takes runs, otherwise 0.';
  new Gauge({ name: 'strandline_worker_takes_runs', help, registers: [registry] }).set(takes ? 1 : 0);
  return registry;
}
