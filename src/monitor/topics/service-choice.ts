import { InvalidInput } from '../../domain/errors.ts';
import { ensureService, type Service, type ServiceKind } from '../../store/services.ts';
import type { Context } from '../context.ts';

/**
 * The service that a new search belongs to, for ever: what began in one never mixes with another. Without
 * a word from its user it is the hosted one where `SEARCH_API_URL` is set, otherwise one's own where a
 * public source answers, otherwise the sandbox.
 * @throws InvalidInput for a service that does not exist or cannot answer
 */
export async function chooseService(ctx: Context, asked: string | undefined): Promise<Service> {
  const kind = await chooseServiceKind(ctx, asked);
  if (kind !== 'hosted' || ctx.config.hosted === undefined)
    return ensureServiceRow(ctx, kind, null, 'neutral');
  return ensureServiceRow(ctx, 'hosted', ctx.config.hosted.url, ctx.config.hosted.names);
}

/** The same, only named: for whoever wants to know before anything is saved. @throws InvalidInput */
export async function chooseServiceKind(
  ctx: Pick<Context, 'config' | 'ownSources'>,
  asked: string | undefined,
): Promise<ServiceKind> {
  const kind = asked ?? (await chooseDefaultKind(ctx));
  const wrong = (expected: string) => new InvalidInput([{ path: 'service', given: asked, expected }]);
  switch (kind) {
    case 'sandbox':
      return kind;
    case 'hosted':
      if (ctx.config.hosted === undefined)
        throw wrong('set SEARCH_API_URL (and SEARCH_API_KEY) first, or use own or sandbox');
      return kind;
    case 'own':
      if ((await ctx.ownSources()) === 'none')
        throw wrong('sandbox or hosted: SERVICE_SOURCES is set so that no public source is asked');
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
