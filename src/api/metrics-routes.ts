/** Prometheus metrics of the installation, of this process, and of its search service. */

import { awaitMembers } from '../lib/await-members.ts';
import type { App, Routes } from '../monitor/http/route-types.ts';
import { judgeStatus } from '../monitor/status/status-checks.ts';
import { readStatusFacts } from '../monitor/status/status-facts.ts';
import type { ServedRequest, SourceHealth } from '../protocol/service-status.ts';
import { readCounts } from '../store/derive/counts.ts';
import { readLag } from '../store/derive/pending-derivations.ts';
import { readTime } from '../store/db/database.ts';
import { readFigures } from '../store/queries/system.ts';
import { MAX_HEARTBEAT_AGE_MS } from '../store/runs/worker-registry.ts';
import { renderGlobalMetrics } from './global-metrics.ts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** @param requests the registry that counts requests of this server */
export function metricsRoutes(requests: Registry): Routes {
  return (app, { ctx, services, idle }) => {
    app.get('/metrics', { config: { scope: 'read' }, schema: { hide: true } }, async (_request, reply) => {
      const now = await readTime(ctx.db.pool, ctx.clock);
      const heardSince = new Date(now.getTime() - MAX_HEARTBEAT_AGE_MS);
      const { sources, ...read } = await awaitMembers({
        counts: readCounts(ctx.db),
        figures: readFigures(ctx.db, { now, heardSince }),
        facts: readStatusFacts(ctx),
        lag: readLag(ctx.db),
        sources: services.health(),
      });
      const worker = idle === undefined ? [] : [buildWorkerRegistry(idle() === null)];
      const processMetrics = Registry.merge([...worker, getProcessRegistry(), requests]);
      const text = [
        await renderGlobalMetrics({ ...read, checks: judgeStatus(read.facts, String) }),
        await renderServiceMetrics(sources),
        await processMetrics.metrics(),
      ].join('\n');
      return reply.type(Registry.PROMETHEUS_CONTENT_TYPE).serializer(String).send(text);
    });
  };
}

/** For worker processes only. `/readyz?verbose` explains why a worker takes no runs. */
function buildWorkerRegistry(takes: boolean): Registry {
  const registry = new Registry();
  const help = '1 if the worker of this process takes runs, otherwise 0.';
  new Gauge({ name: 'strandline_worker_takes_runs', help, registers: [registry] }).set(takes ? 1 : 0);
  return registry;
}

let processRegistry: Registry | undefined;

/** Memory and event loop metrics of this process, collected from the first request on. */
function getProcessRegistry(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
    for (const name of MISNAMED_GAUGES) processRegistry.removeSingleMetric(name);
  }
  return processRegistry;
}

/** Gauges whose names end in `_total`, as only counters should. Correctly named gauges have the same values by type. */
const MISNAMED_GAUGES = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Counts requests by the pattern of their route: a URL could reveal what is watched. */
export function countRequests(app: App): Registry {
  const register = new Registry();
  const requests = new Counter({
    name: 'strandline_http_requests_total',
    help: 'Requests served, by route pattern (none: no matching route).',
    labelNames: ['method', 'route', 'status'],
    registers: [register],
  });
  const seconds = new Histogram({
    name: 'strandline_http_request_duration_seconds',
    help: 'Seconds from request to reply, by door (api, page). Excludes event streams.',
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

/** Excluded from durations: it stays open as long as the client listens. */
const EVENTS_ROUTE = '/api/v1/events';

const serviceRegistry = new Registry();
const serviceRequests = new Counter({
  name: 'strandline_service_requests_total',
  help: 'Requests to the search service, served or refused.',
  labelNames: ['operation', 'mount', 'status'],
  registers: [serviceRegistry],
});
const serviceSeconds = new Histogram({
  name: 'strandline_service_request_duration_seconds',
  help: 'Seconds from a request to the search service to the end of its response.',
  labelNames: ['operation', 'mount'],
  // Up to the time limit of the slowest model.
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  registers: [serviceRegistry],
});

/** Counts a request to this process's search service. */
export function countServiceRequest({ operation, mount, status, seconds: took }: ServedRequest): void {
  serviceRequests.inc({ operation, mount, status: String(status) });
  serviceSeconds.observe({ operation, mount }, took);
}

/** Renders metrics of sources in the Prometheus text format. Names of sources are a closed set. */
async function renderServiceMetrics(sources: readonly SourceHealth[]): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['source'];
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers });
  const on = gauge('strandline_source_on', '1 if the public source is in use, otherwise 0.');
  const resting = gauge(
    'strandline_source_resting',
    '1 while the circuit breaker of the source is open after failures, otherwise 0.',
  );
  const used = gauge('strandline_source_allowance_used', 'Units of the allowance used in this period.');
  const most = gauge('strandline_source_allowance_most', 'Units of the allowance per period.');
  for (const { name: source, state, live } of sources) {
    on.set({ source }, state === 'on' ? 1 : 0);
    if (live === undefined) continue;
    resting.set({ source }, live.openUntil === undefined ? 0 : 1);
    if (live.allowance === undefined) continue;
    most.set({ source }, live.allowance.most);
    if (live.allowance.used !== undefined) used.set({ source }, live.allowance.used);
  }
  return Registry.merge([serviceRegistry, registry]).metrics();
}
