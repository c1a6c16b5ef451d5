/** Zod types of replies that routes of several subjects share. */

import { FAILURE_CODES, formatProblemType } from '../monitor/http/error-statuses.ts';
import { z } from 'zod';

/** The bytes of a reply. */
export const Bytes: z.core.$ZodType = z.string().meta({ format: 'binary' });

/** Every failure, as `application/problem+json` (RFC 9457); built by `problem-details.ts`. */
export const Problem = z
  .object({
    type: z.enum(FAILURE_CODES.map(formatProblemType)).describe('Kind of failure, for programs.'),
    title: z.string().describe('Kind of failure, in words.'),
    status: z.int().describe('HTTP status of the reply.'),
    detail: z.string().describe('What went wrong with this request.'),
    instance: z.string().describe('Identifies the request, as in the log.'),
    errors: z
      .array(
        z.object({
          path: z.string().describe('Path of the member, beginning with body, query, params or headers.'),
          given: z.unknown().describe('Value that was sent.'),
          expected: z.string().describe('Value that is expected.'),
        }),
      )
      .optional()
      .describe('Problems of the request; omitted if there are none.'),
  })
  .meta({ id: 'Problem' });
