/** What only this process knows: its memory, how late its event loop is, and what it was asked. */
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { App } from '../../routes.ts';

let figures: Registry | undefined;

/** Figures of the process, collected from the first time on that anybody asks; there is one process. */
export function processFigures(): Registry {
  if (figures === undefined) {
    figures = new Registry();
    collectDefaultMetrics({ register: figures });
    for (const name of MISNAMED) figures.removeSingleMetric(name);
  }
  return figures;
}

/** Gauges that end in `_total`, which Prometheus takes for counters; each also comes by type, under a right name. */
const MISNAMED = [
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
    if (route !== EVENTS) seconds.observe({ door: config.door ?? 'none' }, elapsedTime / 1_000);
  });
  return register;
}

/** Stays open for as long as somebody listens. */
const EVENTS = '/api/v1/events';
