/** Full-text search over everything that searches found. */
import { countNotIndexed, notIndexed } from './indexed.ts';
import { Link, Post } from './item-shapes.ts';
import { z } from 'zod';
import { findItems } from './find-items.ts';
import { MAX_HITS } from '../typed-values.ts';
import { countParam, timeShape, textParam, timeParam } from '../../model/value-shapes.ts';
import { createCursor } from '../http/cursors.ts';
import { declareOperation } from '../operation.ts';
import { nextCursor, scopeParams } from '../common-inputs.ts';
import { queryParam } from './query-input.ts';

const MarkedText = z
  .array(z.object({ text: z.string(), match: z.boolean().describe('True if this piece matches the query.') }))
  .meta({ id: 'MarkedText', description: 'Text in consecutive pieces, never markup.' });

const Hit = z
  .object({
    kind: z.enum(['post', 'link']),
    score: z.number().describe('Relevance; 0 if the query has no words.'),
    services: z.array(z.string()).describe('Services that returned it.'),
    found_by: z
      .array(z.object({ search: z.string(), topic: z.string(), service: z.string() }))
      .describe('Searches that found it, the first one first; empty if it is known only from another post.'),
    at: timeShape.describe('Time of publication; if unknown, when it was first seen.'),
    title: MarkedText,
    excerpt: MarkedText,
    post: Post.nullable(),
    link: Link.nullable(),
  })
  .meta({ id: 'Hit' });

const cursor = createCursor('find', z.tuple([z.string().max(80)]));

const findQuery = z.strictObject({
  text: queryParam.describe(
    'Query: words, "phrases", -excluded, OR, fields such as `lang:en`. See docs/reference/queries.md.',
  ),
  ...scopeParams,
  kind: z.enum(['post', 'link']).optional(),
  author: textParam(100).min(1).optional().describe('Username of the author of a post, without @.'),
  lang: textParam(35).min(1).optional().describe('Language that the post states.'),
  service: textParam(100).min(1).optional().describe('Name of a service that found it.'),
  since: timeParam.optional().describe('Start of the range, by time of publication (inclusive).'),
  until: timeParam.optional().describe('End of the range, by time of publication (exclusive).'),
  limit: countParam(MAX_HITS, 20).describe('Maximum number of hits per page.'),
  cursor: cursor.param.optional(),
});

export const FIND_OPERATIONS = [
  declareOperation({
    tag: 'find',
    scope: 'read',
    id: 'find',
    route: 'GET /api/v1/find',
    does: 'Search posts and links by text',
    more: 'All words of the query must match, in any inflected form of their language. Most relevant first.',
    input: findQuery,
    output: z.object({
      items: z.array(Hit),
      next_cursor: nextCursor,
      total: z.int().describe('Number of matches on all pages.'),
      not_indexed: notIndexed,
    }),
    run: async ({ ctx, takeFind = () => () => {} }, query) => {
      const { after, filter, encode } = cursor.pageOf(query);
      const { hits, total, next, backlog } = await findItems(
        ctx,
        { ...filter, after: after?.[0], limit: query.limit },
        takeFind,
      );
      return {
        items: hits,
        next_cursor: next === null ? null : encode([next]),
        total,
        not_indexed: countNotIndexed(backlog),
      };
    },
  }),
];
