/** `/healthz` and `/healthz/sources`: whether the service runs, and which sources answer. No key, no secrets. */
import type { FastifyInstance } from 'fastify';
import { SOURCES } from '../domain/enumerations.ts';
import type { SearchSource } from './sources/search-source.ts';
import type { SourceHealth } from '../protocol/service-status.ts';

export function registerHealthRoutes(
  app: FastifyInstance,
  {
    version,
    instance,
    sources,
    health,
  }: {
    version?: string;
    instance: string;
    /** What answers at the root. */
    sources: readonly SearchSource[];
    /** How each live source has been; left out where there is none. */
    health?: () => Promise<readonly SourceHealth[]>;
  },
): void {
  app.get('/healthz', () => ({ ok: true, version: version ?? 'unknown', instance }));
  app.get('/healthz/sources', async () => ({
    sources: SOURCES.map((source) => ({ source, state: resolveSourceState(source, sources) })),
    ...(health === undefined ? {} : { adapters: (await health()).map(serializeSourceHealth) }),
  }));
}

/** `live` where a live source answers, otherwise `sandbox`; `none` where nothing does. */
function resolveSourceState(source: string, sources: readonly SearchSource[]): 'live' | 'sandbox' | 'none' {
  const answering = sources.filter((candidate) => candidate.source === source && candidate.silent !== true);
  return answering.find(({ state }) => state === 'live')?.state ?? answering[0]?.state ?? 'none';
}

/** In the words of the answer; times are ISO 8601, and what is not known is null. */
function serializeSourceHealth({ name, source, title, state, reason, dates, terms, live }: SourceHealth) {
  return {
    name,
    source,
    title,
    state: state === 'on' ? 'live' : 'off',
    reason: reason ?? null,
    dates: dates ?? null,
    terms: terms ?? null,
    left_alone_until: live?.openUntil ?? null,
    allowance: live?.allowance ? { ...live.allowance, used: live.allowance.used ?? null } : null,
    last_success_at: live?.lastSuccess ?? null,
    last_failure_at: live?.lastFailure?.at ?? null,
    last_failure: live?.lastFailure?.reason ?? null,
    last_failure_code: live?.lastFailure?.code ?? null,
  };
}
