/** `/healthz` and `/healthz/sources`: whether the service is up, and the state of its sources. No key, no secrets. */
import type { FastifyInstance } from 'fastify';
import { SOURCES } from '../model/enumerations.ts';
import type { MeteredModel } from './answering/metered-model.ts';
import type { SearchSource } from './sources/search-source.ts';
import type { SourceHealth } from '../protocol/service-status.ts';

export function registerHealthRoutes(
  app: FastifyInstance,
  {
    version,
    instance,
    sources,
    health,
    model,
  }: {
    version?: string;
    instance: string;
    /** Sources of the root. */
    sources: readonly SearchSource[];
    /** Health of each live source, if there are any. */
    health?: () => Promise<readonly SourceHealth[]>;
    /** Counts its requests by purpose. */
    model?: Partial<Pick<MeteredModel, 'use'>> | undefined;
  },
): void {
  app.get('/healthz', () => ({ ok: true, version: version ?? 'unknown', instance }));
  app.get('/healthz/sources', async () => ({
    sources: SOURCES.map((source) => ({ source, state: resolveSourceState(source, sources) })),
    ...(health === undefined ? {} : { adapters: (await health()).map(serializeSourceHealth) }),
    ...(model?.use === undefined ? {} : { language_model: await model.use() }),
  }));
}

/** `live` if there is a live source, else `sandbox`; `none` if there is no source. */
function resolveSourceState(source: string, sources: readonly SearchSource[]): 'live' | 'sandbox' | 'none' {
  const answering = sources.filter(
    (candidate) => candidate.source === source && candidate.unavailable !== true,
  );
  return answering.find(({ state }) => state === 'live')?.state ?? answering[0]?.state ?? 'none';
}

/** As JSON; times are ISO 8601, unknown values are null. */
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
    problems: live?.problems ?? [],
  };
}
