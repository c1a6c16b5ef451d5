/** `PUT` at a slug: 201 if it created something, 200 if it replaced it. */

import { InvalidInput } from '../model/errors.ts';
import type { Put } from '../monitor/put.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

const HEADER = 'if-none-match';

/** For the OpenAPI document. */
export const putHeaders = z.object({
  'If-None-Match': z
    .literal('*')
    .optional()
    .describe('`*`: only create. If something has this slug, the reply is 412, and nothing changes.'),
});

/** @throws InvalidInput for a value other than `*` */
export function mayOnlyCreate({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const condition = headers[HEADER];
  if (condition === undefined) return false;
  if (condition.trim() === '*') return true;
  throw new InvalidInput([{ path: `headers.${HEADER}`, given: condition, expected: '*' }]);
}

/** @param locate the path of what was created */
export function replyToPut<T>(reply: FastifyReply, { isNew, made }: Put<T>, locate: (made: T) => string): T {
  if (isNew) void reply.code(201).header('location', locate(made));
  return made;
}
