import { trimEndSlashes } from '../../model/links/link.ts';
import type { RouteContext } from './route-types.ts';
import type { FastifyRequest } from 'fastify';

/**
 * Where the client finds this application, without a slash at its end: `BASE_URL`, which has the mount in the configuration
 * of the sandbox, or else the host that it asked for, which the gate has checked.
 */
export function readPublicBase(
  { headers: { host = 'localhost' } }: Pick<FastifyRequest, 'headers'>,
  { ctx, mount = '', publicBase }: Pick<RouteContext, 'ctx' | 'mount' | 'publicBase'>,
): string {
  const { baseUrl } = ctx.config.http;
  if (baseUrl === undefined && publicBase !== undefined) return publicBase;
  return baseUrl === undefined ? `http://${host}${mount}` : trimEndSlashes(baseUrl);
}
