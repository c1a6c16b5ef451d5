/** How much may be asked, and how slowly. Counted in memory: each process counts for itself. */
import type { RateLimitPluginOptions } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import { MINUTE, SECOND } from '../../../engine/clock.ts';
import { Denied } from '../../../monitor/access/denied.ts';
import type { App } from '../../routes.ts';
import { countedAs } from './shares.ts';

export const LIMITS = {
  /** Requests a minute for what lets calls be made, which may cost money: all such routes together. */
  runsPerMinute: 60,
  bodyBytes: 1_000_000,
  /** Of the forms of pages: the longest is a statement of SQL. */
  formBytes: 100_000,
  headerBytes: 16 * 1_024,
  /** Of one parameter of a path, in characters. */
  pathParameter: 100,
  /** A request that has not come whole by then is given up. */
  requestMs: 30 * SECOND,
  /** Open connections, streams of events among them. */
  connections: 2_000,
};
export type Limits = typeof LIMITS & {
  /** Requests a minute, of one token, or of one address without a token: `REQUESTS_PER_MINUTE`. */
  perMinute: number;
};

/** Of routes that let calls be made; they are counted together. */
export function rateOfRuns({ runsPerMinute: max }: Limits) {
  return { max, timeWindow: MINUTE, groupId: 'run' };
}

export function rateOfAll({ perMinute: max }: Limits): RateLimitPluginOptions {
  return {
    max,
    timeWindow: MINUTE,
    keyGenerator: countedAs,
    errorResponseBuilder: (_request, { ttl }) => tooMany(ttl),
  };
}

/** Counts those who are refused for not saying who they are, before any route's own limit would. @throws Denied */
export function countRefused(app: App, limits: Limits): (request: FastifyRequest) => Promise<void> {
  const count = app.createRateLimit(rateOfAll(limits));
  return async (request) => {
    const counted = await count(request);
    if (!counted.isAllowed && counted.isExceeded) throw tooMany(counted.ttl);
  };
}

function tooMany(ms: number): Denied {
  return new Denied('too_many', 'more requests than may be made in a minute', Math.ceil(ms / SECOND));
}
