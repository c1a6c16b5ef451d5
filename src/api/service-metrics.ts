/** What this process's search service was asked, and how the sources behind it are. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ServedRequest, SourceHealth } from '../protocol/service-status.ts';

const serviceRegistry = new Registry();
const serviceRequests = new Counter({
  name: 'strandline_service_requests_total',
  help: 'Requests of the search service that were answered or refused.',
  labelNames: ['operation', 'mount', 'status'],
  registers: [serviceRegistry],
});
const serviceSeconds = new Histogram({
  name: 'strandline_service_request_duration_seconds',
  help: 'Seconds from a request of the search service to the end of its answer.',
  labelNames: ['operation', 'mount'],
  // Up to the budget of the slowest model.
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  registers: [serviceRegistry],
});

/** Counts a request of this process's search service. */
export function countServiceRequest({ operation, mount, status, seconds: took }: ServedRequest): void {
  serviceRequests.inc({ operation, mount, status: String(status) });
  serviceSeconds.observe({ operation, mount }, took);
}

/** In the text format of Prometheus. Names of sources are of a closed set. */
export async function renderServiceMetrics(sources: readonly SourceHealth[]): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['source'];
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers });
  const on = gauge('strandline_source_on', '1 for a public source that is asked, otherwise 0.');
  const resting = gauge(
    'strandline_source_resting',
    '1 while a source is left alone after failures, otherwise 0.',
  );
  const used = gauge(
    'strandline_source_allowance_used',
    'Units of its allowance that are used up in this period.',
  );
  const most = gauge('strandline_source_allowance_most', 'Units of its allowance in a period.');
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
