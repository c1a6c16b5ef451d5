import { InvalidInput } from '../../domain/errors.ts';
import { ensureService, type Service, type ServiceKind } from '../../store/services.ts';
import type { Context } from '../context.ts';

/**
 * The service of a new search, which never changes, so that results of different services do not mix. Default: the hosted
 * service if `SEARCH_API_URL` is set, otherwise the own service: without a reachable source, its runs wait for one. Simulated
 * data is never chosen for somebody, unless `SERVICE_SOURCES` turns public sources off.
 * @throws InvalidInput for a service that does not exist or is not configured
 */
export async function chooseService(ctx: Context, given: string | undefined): Promise<Service> {
  const kind = await chooseServiceKind(ctx, given);
  const hosted = kind === 'hosted' ? ctx.config.hosted : undefined;
  const { url: address = null, names: dialect = 'neutral' } = hosted ?? {};
  return ensureService(ctx.db, { name: kind, kind, address, dialect, now: ctx.clock.now() });
}

/** The kind of service that {@link chooseService} would choose; saves nothing. @throws InvalidInput */
export async function chooseServiceKind(
  ctx: Pick<Context, 'config' | 'ownSources'>,
  given: string | undefined,
): Promise<ServiceKind> {
  const kind = given ?? (await findDefaultKind(ctx));
  const wrong = (expected: string) => new InvalidInput([{ path: 'service', given, expected }]);
  switch (kind) {
    case 'sandbox':
      return kind;
    case 'hosted':
      if (ctx.config.hosted === undefined)
        throw wrong('set SEARCH_API_URL (and SEARCH_API_KEY) first, or use own or sandbox');
      return kind;
    case 'own':
      if ((await ctx.ownSources()) === 'none')
        throw wrong('sandbox or hosted: SERVICE_SOURCES turns off all public sources');
      return kind;
    default:
      throw wrong('sandbox, own or hosted');
  }
}

/** The kind of service of a new search if none is given. */
export async function findDefaultKind(ctx: Pick<Context, 'config' | 'ownSources'>): Promise<ServiceKind> {
  if (ctx.config.hosted !== undefined) return 'hosted';
  return (await ctx.ownSources()) === 'none' ? 'sandbox' : 'own';
}

/** Reason of a run that waits, for display. */
export const WAITS_FOR_SOURCE = 'no public source is reachable; starts when a source is reachable';

/** Whether runs of a service wait, because no public source is reachable. */
export async function waitsForSource(ctx: Pick<Context, 'ownSources'>, kind: ServiceKind): Promise<boolean> {
  return kind === 'own' && (await ctx.ownSources()) === 'silent';
}
