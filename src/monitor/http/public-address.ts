import { trimEndSlashes } from '../../domain/link.ts';
import type { RouteContext } from './route-types.ts';
import type { FastifyRequest } from 'fastify';

/**
 * Where the client finds this application, without a slash at its end: `BASE_URL`, or else the host that it asked for, which
 * the gate has checked; with the mount.
 */
export function readPublicBase(
  { headers: { host = 'localhost' } }: Pick<FastifyRequest, 'headers'>,
  { ctx, mount = '' }: Pick<RouteContext, 'ctx' | 'mount'>,
): string {
  const { baseUrl = `http://${host}` } = ctx.config.http;
  return `${trimEndSlashes(baseUrl)}${mount}`;
}
