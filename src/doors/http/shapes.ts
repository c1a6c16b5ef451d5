/** What replies are made of: rows as the SQL contract's views have them, each with its name in the document. */
import { z } from 'zod';
import { FAILURE_CODES, problemType } from '../failure.ts';
import { shapeOf, type RowShape, type ViewName } from '../../store/shapes.ts';

/** A row of a view under its name in the document. */
export function row(name: string, view: ViewName): RowShape {
  return shapeOf(view).meta({ id: name, 'x-view': view });
}

/** A row with members beside those of its view. */
export function rowWith<M extends z.ZodRawShape>(name: string, view: ViewName, members: M) {
  return z.object({ ...shapeOf(view).shape, ...members }).meta({ id: name, 'x-view': view });
}

export const Topic = row('Topic', 'topics');
export const Search = row('Search', 'searches');
export const SearchVersion = row('SearchVersion', 'search_versions');
export const Run = row('Run', 'runs');
export const Call = row('Call', 'calls');
export const Reject = row('Reject', 'rejects');

/** The bytes of a reply. */
export const Bytes: z.core.$ZodType = z.string().meta({ format: 'binary' });

/** Every failure, as `application/problem+json` (RFC 9457); made by problem.ts. */
export const Problem = z
  .object({
    type: z.enum(FAILURE_CODES.map(problemType)).describe('What kind of failure it is, for programs.'),
    title: z.string().describe('What kind of failure it is, in words.'),
    status: z.int().describe('The status of the reply.'),
    detail: z.string().describe('What was wrong this time.'),
    instance: z.string().describe('Names the request, as the log does.'),
    errors: z
      .array(
        z.object({
          path: z
            .string()
            .describe(
              'The member that is wrong, beginning with where it stands: body, query, params or headers.',
            ),
          given: z.unknown().describe('What was given.'),
          expected: z.string().describe('What is allowed.'),
        }),
      )
      .optional()
      .describe('Each thing that is wrong in what was sent; only where something is.'),
  })
  .meta({ id: 'Problem' });
