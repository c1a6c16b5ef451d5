/** The options of an API route. */

import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { z } from 'zod';

const NO_PARAMETERS = z.strictObject({});

type WithQuery<S> = S extends { querystring: unknown } ? S : S & { querystring: typeof NO_PARAMETERS };

/** @param given its scope, and what it does, reads and returns; without a `querystring` it refuses any parameter */
export function operation<const S extends FastifySchema & FastifyContextConfig>({
  scope,
  idempotent,
  sends,
  callsService,
  reads,
  ...schema
}: S) {
  const config = { scope, idempotent, sends, callsService, reads };
  return {
    config: Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)),
    schema: { querystring: NO_PARAMETERS, ...schema } as unknown as WithQuery<S>, // what is left of S, and a query
  };
}
