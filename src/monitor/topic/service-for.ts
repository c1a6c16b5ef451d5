import { InvalidInput } from '../../errors.ts';
import { ensureService, type Service, type ServiceKind } from '../../store/services.ts';
import type { Context } from '../context.ts';

/**
 * The service that a new search belongs to, for ever. Without a word from its user it is the hosted one
 * where `SEARCH_API_URL` is set, and otherwise the sandbox: its own service has no live source yet.
 * @throws InvalidInput for a service that does not exist or cannot answer
 */
export async function serviceFor(ctx: Context, asked: string | undefined): Promise<Service> {
  const kind = asked ?? (ctx.config.hosted === undefined ? 'sandbox' : 'hosted');
  const wrong = (expected: string) => new InvalidInput([{ path: 'service', given: asked, expected }]);
  switch (kind) {
    case 'sandbox':
      return ensure(ctx, 'sandbox', null, 'neutral');
    case 'hosted':
      if (ctx.config.hosted === undefined)
        throw wrong('set SEARCH_API_URL (and SEARCH_API_KEY) first, or use sandbox');
      return ensure(ctx, 'hosted', ctx.config.hosted.url, ctx.config.hosted.names);
    case 'own':
      throw wrong('sandbox or hosted: the own service has no live source in this version');
    default:
      throw wrong('sandbox, own or hosted');
  }
}

async function ensure(
  ctx: Context,
  kind: ServiceKind,
  address: string | null,
  dialect: string,
): Promise<Service> {
  return ensureService(ctx.db, { name: kind, kind, address, dialect, now: ctx.clock.now() });
}
