import { InvalidInput } from '../../domain/errors.ts';
import { ensureService, type Service, type ServiceKind } from '../../store/services.ts';
import type { Context } from '../context.ts';

/**
 * The service of a new search, which never changes, so that results of different services do not mix. Default: the hosted
 * service if `SEARCH_API_URL` is set, otherwise the own service if a public source responds, otherwise the sandbox.
 * @throws InvalidInput for a service that does not exist or is not configured
 */
export async function chooseService(ctx: Context, given: string | undefined): Promise<Service> {
  const kind = await chooseServiceKind(ctx, given);
  if (kind !== 'hosted' || ctx.config.hosted === undefined)
    return ensureServiceRow(ctx, kind, null, 'neutral');
  return ensureServiceRow(ctx, 'hosted', ctx.config.hosted.url, ctx.config.hosted.names);
}

/** The kind of service that {@link chooseService} would choose; saves nothing. @throws InvalidInput */
export async function chooseServiceKind(
  ctx: Pick<Context, 'config' | 'ownSources'>,
  given: string | undefined,
): Promise<ServiceKind> {
  const kind = given ?? (await chooseDefaultKind(ctx));
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

async function chooseDefaultKind(ctx: Pick<Context, 'config' | 'ownSources'>): Promise<ServiceKind> {
  if (ctx.config.hosted !== undefined) return 'hosted';
  return (await ctx.ownSources()) === 'answering' ? 'own' : 'sandbox';
}

async function ensureServiceRow(
  ctx: Context,
  kind: ServiceKind,
  address: string | null,
  dialect: string,
): Promise<Service> {
  return ensureService(ctx.db, { name: kind, kind, address, dialect, now: ctx.clock.now() });
}
