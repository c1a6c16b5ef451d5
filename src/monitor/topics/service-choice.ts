import { InvalidInput, Refused } from '../../domain/errors.ts';
import { ensureService, type Service, type ServiceKind } from '../../store/services.ts';
import type { Context } from '../context.ts';

/**
 * The service of a new search, which never changes, so that results of different services do not mix. Default: the hosted
 * service if `SEARCH_API_URL` is set, otherwise the own service if a public source responds. Simulated data is never chosen
 * for somebody, unless `SERVICE_SOURCES` turns public sources off.
 * @throws InvalidInput for a service that does not exist or is not configured
 * @throws Refused `service_required` if none is given and no public source responds
 */
export async function chooseService(ctx: Context, given: string | undefined): Promise<Service> {
  const kind = await chooseServiceKind(ctx, given);
  const hosted = kind === 'hosted' ? ctx.config.hosted : undefined;
  const { url: address = null, names: dialect = 'neutral' } = hosted ?? {};
  return ensureService(ctx.db, { name: kind, kind, address, dialect, now: ctx.clock.now() });
}

/** The kind of service that {@link chooseService} would choose; saves nothing. @throws InvalidInput, Refused */
export async function chooseServiceKind(
  ctx: Pick<Context, 'config' | 'ownSources'>,
  given: string | undefined,
): Promise<ServiceKind> {
  const kind = given ?? (await findDefaultKind(ctx));
  if (kind === null) throw createServiceRequired(': own searches as soon as one is, sandbox simulates');
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

const KIND_BY_SOURCES = { answering: 'own', silent: null, none: 'sandbox' } as const;

/** The kind of service of a new search if none is given; null if it must be given, because no public source responds. */
export async function findDefaultKind(
  ctx: Pick<Context, 'config' | 'ownSources'>,
): Promise<ServiceKind | null> {
  return ctx.config.hosted === undefined ? KIND_BY_SOURCES[await ctx.ownSources()] : 'hosted';
}

/** The kind of service that a preview is about if none is given: that of a new search, and the own one if it must be named. */
export async function findPreviewKind(ctx: Pick<Context, 'config' | 'ownSources'>): Promise<ServiceKind> {
  return (await findDefaultKind(ctx)) ?? 'own';
}

/** @param how to name a service */
export function createServiceRequired(how: string): Refused {
  return new Refused(
    'service_required',
    `no public source is reachable, so nothing was saved; name the service${how}`,
  );
}
