/** Whether the service lives, and who answers. Both need no key and tell no secret. */
import type { FastifyInstance } from 'fastify';
import { SOURCES } from '../contract/enumerations.ts';
import type { SearchSource } from './source.ts';

export function answerHealth(
  app: FastifyInstance,
  { version, instance, sources }: { version?: string; instance: string; sources: readonly SearchSource[] },
): void {
  app.get('/healthz', () => ({ ok: true, version: version ?? 'unknown', instance }));
  app.get('/healthz/sources', () => ({
    sources: SOURCES.map((source) => ({ source, state: stateOf(source, sources) })),
  }));
}

/** `live` where a live source answers, otherwise `sandbox`; `none` where nothing does. */
function stateOf(source: string, sources: readonly SearchSource[]): 'live' | 'sandbox' | 'none' {
  const answering = sources.filter((one) => one.source === source);
  return answering.find(({ state }) => state === 'live')?.state ?? answering[0]?.state ?? 'none';
}
