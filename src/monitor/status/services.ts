/** How it goes with those who are asked. */
import { callsPerDayOf } from '../../config.ts';
import { maskUrl } from '../../contract/mask-url.ts';
import { readSearches, type SearchRow } from '../../store/reads/searches.ts';
import { readServiceDays, type ServiceDay } from '../../store/reads/status.ts';
import type { Context } from '../context.ts';

export type ServiceStatus = ServiceDay & {
  /** How many of its searches are in which state. */
  searches: Record<string, number>;
  /** Most calls per UTC day; null: no limit. */
  calls_per_day: number | null;
  /** Why none of its searches can run; null: nothing is missing. */
  missing: string | null;
};

/** More searches than anybody has. */
const ALL = 100_000;

/** Every search that was not removed. */
export function readAllSearches(db: Context['db']): Promise<SearchRow[]> {
  return readSearches(db, { limit: ALL });
}

/**
 * Every service there is, by name, with what is secret in its address left out.
 * @param searches those that are counted, where they are known already
 */
export async function readServices(
  { db, clock, config }: Pick<Context, 'db' | 'clock' | 'config'>,
  searches: Promise<readonly SearchRow[]> = readAllSearches(db),
): Promise<ServiceStatus[]> {
  const [services, counted] = await Promise.all([readServiceDays(db, clock.now()), searches]);
  return services.map((service) => ({
    ...service,
    address: service.address === null ? null : maskUrl(service.address),
    searches: countStates(counted.filter((one) => one.service === service.name)),
    calls_per_day: callsPerDayOf(config, service.kind),
    missing: service.kind === 'hosted' && config.hosted === undefined ? 'SEARCH_API_URL is not set' : null,
  }));
}

function countStates(searches: readonly SearchRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of searches) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
