/** Figures for Prometheus: of everything, as Postgres and the queue tell, and of this process. */

import type { App, Routes } from '../monitor/http/route-types.ts';
import { judgeSilence } from '../monitor/status/silent-searches.ts';
import { SECOND } from '../domain/time.ts';
import { withTimeout } from '../platform/clock.ts';
import { readCounts } from '../store/counts.ts';
import { readLag } from '../store/derive/pending-derivations.ts';
import { readFigures, readUnread } from '../store/queries/system.ts';
import { WORKER_SILENCE_MS } from '../store/worker-registry.ts';
import { renderGlobalMetrics } from './global-metrics.ts';
import { renderServiceMetrics } from './service-metrics.ts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A queue that has not answered by then is down. */
const QUEUE_TIMEOUT_MS = 2 * SECOND;

/** @param requests what this server was asked */
export function metricsRoutes(requests: Registry): Routes {
  return (app, { ctx, services, idle }) => {
    app.get('/metrics', { config: { scope: 'read' }, schema: { hide: true } }, async (_request, reply) => {
      const now = ctx.clock.now();
      const heardSince = new Date(now.getTime() - WORKER_SILENCE_MS);
      const [counts, figures, silence, unread, lag, depth, sources] = await Promise.all([
        readCounts(ctx.db),
        readFigures(ctx.db, { now, heardSince }),
        judgeSilence(ctx),
        readUnread(ctx.db, { statementTime: ctx.clock.statementTime(), heardSince }),
        readLag(ctx.db),
        withTimeout(ctx.queue.depth(), QUEUE_TIMEOUT_MS).catch(() => null),
        services.health(),
      ]);
      const worker = idle === undefined ? [] : [buildWorkerRegistry(idle() === null)];
      const own = Registry.merge([...worker, getProcessRegistry(), requests]);
      const text = [
        await renderGlobalMetrics({
          counts,
          figures,
          silent: silence.total,
          unread,
          lag,
          depth,
        }),
        await renderServiceMetrics(sources),
        await own.metrics(),
      ].join('\n');
      return reply.type(Registry.PROMETHEUS_CONTENT_TYPE).serializer(String).send(text);
    });
  };
}

/** Of a process that is a worker: `/readyz?verbose` says why it takes none. */
function buildWorkerRegistry(takes: boolean): Registry {
  const registry = new Registry();
  const help = '1 where the worker of this process takes runs, otherwise 0.';
  new Gauge({ name: 'strandline_worker_takes_runs', help, registers: [registry] }).set(takes ? 1 : 0);
  return registry;
}

/** What only this process knows: its memory, how late its event loop is, and what it was asked. */

let processRegistry: Registry | undefined;

/** Figures of the process, collected from the first time on that anybody asks; there is one process. */
export function getProcessRegistry(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
    for (const name of MISNAMED_GAUGES) processRegistry.removeSingleMetric(name);
  }
  return processRegistry;
}

/** Gauges that end in `_total`, which Prometheus takes for counters; each also comes by type, under a right name. */
const MISNAMED_GAUGES = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Counts what a server is asked from now on, by the pattern of its route: an address may say what is watched. */
export function countRequests(app: App): Registry {
  const register = new Registry();
  const requests = new Counter({
    name: 'strandline_http_requests_total',
    help: 'Requests that were answered, by the pattern of their route (none: no route answers there).',
    labelNames: ['method', 'route', 'status'],
    registers: [register],
  });
  const seconds = new Histogram({
    name: 'strandline_http_request_duration_seconds',
    help: 'Seconds from a request to its answer, by door; streams of events are left out.',
    labelNames: ['door'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [register],
  });
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    const { url: route = 'none', config } = routeOptions;
    requests.inc({ method, route, status: String(statusCode) });
    if (route !== EVENTS_ROUTE) seconds.observe({ door: config.door ?? 'none' }, elapsedTime / 1_000);
  });
  return register;
}

/** Stays open for as long as somebody listens. */
const EVENTS_ROUTE = '/api/v1/events';
