/** Full-text search over everything that searches found. */
import { z } from 'zod';
import { InvalidInput } from '../model/errors.ts';
import { parseFieldValue } from '../model/query-fields.ts';
import { EVERYTHING, parseQuery, type Query, requireAll } from '../model/search-query.ts';
import { findScope } from '../monitor/topics/find-by-slug.ts';
import { MAX_HITS, findText } from '../store/archive/find-text.ts';
import { countParam, timeShape, textParam, timeParam } from '../model/value-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createCursor } from '../monitor/http/cursors.ts';
import { operation } from './operation.ts';
import { catchUpForQuery, defineListReply, notIndexed } from './pagination.ts';
import { scopeParams } from '../monitor/common-inputs.ts';
import { queryParam } from '../monitor/items/query-input.ts';
import { Link, Post } from './reply-shapes.ts';

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

export function findRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/find',
    operation({
      scope: 'read',
      operationId: 'find',
      summary: 'Search posts and links by text',
      description:
        'All words of the query must match, in any inflected form of their language. Most relevant first.',
      tags: ['find'],
      querystring: findQuery,
      response: {
        200: defineListReply(Hit).extend({
          total: z.int().describe('Number of matches on all pages.'),
          not_indexed: notIndexed,
        }),
      },
    }),
    async (request) => {
      const { after, filter, encode } = cursor.pageOf(request.query);
      const { service } = filter;
      const query = buildQuery(filter);
      const scope = await findScope(ctx.db, filter);
      const leave = app.shares.finds.take(request);
      try {
        const not_indexed = await catchUpForQuery(ctx.db, filter.text);
        const now = ctx.clock.now();
        const { hits, total, next } = await findText(ctx.db, {
          ...scope,
          service,
          query,
          now,
          after: after?.[0],
          limit: request.query.limit,
        });
        return {
          items: hits,
          next_cursor: next === null ? null : encode([next]),
          total,
          not_indexed,
        };
      } finally {
        leave();
      }
    },
  );
}

/** The query of all parameters. @throws InvalidInput */
function buildQuery({
  text,
  kind,
  author,
  lang,
  since,
  until,
}: Omit<z.output<typeof findQuery>, 'limit' | 'cursor'>): Query {
  const written = parseQuery(text, 'query.text');
  if (written === EVERYTHING)
    throw new InvalidInput([{ path: 'query.text', given: text, expected: 'at least one word or field' }]);
  return requireAll([
    written,
    kind === undefined ? undefined : { is: 'is', value: kind },
    parseFieldValue('author', author, 'query.author'),
    parseFieldValue('lang', lang, 'query.lang'),
    since === undefined ? undefined : { is: 'from', value: { at: since, date: false } },
    until === undefined ? undefined : { is: 'to', value: { at: until, date: false } },
  ]);
}
