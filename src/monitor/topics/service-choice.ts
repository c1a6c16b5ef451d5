import type { ServiceKind } from '../../model/closed-lists.ts';
import { InvalidInput, RunError, WAITS_FOR_SOURCE } from '../../model/errors.ts';
import { MINUTE } from '../../lib/time.ts';
import { ensureService, type Service } from '../../store/services/services.ts';
import type { Context } from '../context.ts';

/**
 * The service of a new search, which never changes, so that results of different services do not mix. Default: the hosted
 * service if `SEARCH_API_URL` is set, otherwise the own service: without a reachable source, its runs wait for one. In the
 * sandbox it is the sandbox's.
 * @throws InvalidInput for a service that does not exist or is not configured
 */
export async function chooseService(ctx: Context, name: string | undefined): Promise<Service> {
  const kind = await chooseServiceKind(ctx, name);
  const hosted = kind === 'hosted' ? ctx.config.hosted : undefined;
  const { url: address = null, names: dialect = 'neutral' } = hosted ?? {};
  return ensureService(ctx.db, { name: kind, kind, address, dialect, now: ctx.clock.now() });
}

/** The kind of service that {@link chooseService} would choose; saves nothing. @throws InvalidInput */
export async function chooseServiceKind(
  ctx: Pick<Context, 'config' | 'kind' | 'ownSources'>,
  name: string | undefined,
): Promise<ServiceKind> {
  const kind = name ?? findDefaultKind(ctx);
  const wrong = (expected: string) => new InvalidInput([{ path: 'service', given: name, expected }]);
  if (ctx.kind === 'sandbox') {
    if (kind !== 'sandbox') throw wrong('sandbox: the sandbox has no other service');
    return kind;
  }
  switch (kind) {
    case 'sandbox':
      throw wrong('own or hosted: simulated topics are in the sandbox (--sandbox, or below /sandbox)');
    case 'hosted':
      if (ctx.config.hosted === undefined)
        throw wrong('set SEARCH_API_URL (and SEARCH_API_KEY) first, or use own');
      return kind;
    case 'own':
      if ((await ctx.ownSources()) === 'none')
        throw wrong(
          'hosted, with SEARCH_API_URL set: SERVICE_SOURCES turns off all public sources. Simulated topics are in the ' +
            'sandbox (--sandbox, or below /sandbox)',
        );
      return kind;
    default:
      throw wrong('own or hosted');
  }
}

/** The kind of service of a new search if none is given. */
export function findDefaultKind({ config, kind }: Pick<Context, 'config' | 'kind'>): ServiceKind {
  if (kind === 'sandbox') return 'sandbox';
  return config.hosted === undefined ? 'own' : 'hosted';
}

/**
 * Whether runs of a service wait, because no public source is reachable.
 * @param failed no source responded to a call: a network that was there may be lost, so sources are probed again
 */
export async function waitsForSource(
  ctx: Pick<Context, 'ownSources'>,
  kind: ServiceKind,
  { failed } = { failed: false },
): Promise<boolean> {
  return kind === 'own' && (await ctx.ownSources({ failed })) === 'unreachable';
}

/** How long a run waits for a source before it asks again; the sources are probed as often. */
const SOURCE_RETRY_MS = MINUTE;

/** The error of a run that waits for a source. */
export function createSourceWait(): RunError {
  return new RunError('sources_down', {
    waitsFor: 'source',
    detail: WAITS_FOR_SOURCE,
    retryAfterMs: SOURCE_RETRY_MS,
  });
}
