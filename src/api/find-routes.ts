/** Full-text search over everything that searches found. */
import { z } from 'zod';
import { assertFilterExists } from '../monitor/topics/find-by-slug.ts';
import { MAX_HITS, findText } from '../store/archive/find-text.ts';
import { timeShape } from '../store/row-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { flagParam, textParam, timeParam, wordsParam, searchSlug, topicSlug } from './request-shapes.ts';
import { Link, Post } from './reply-shapes.ts';

const MarkedText = z
  .array(z.object({ text: z.string(), match: z.boolean().describe('True if this piece matches the query.') }))
  .meta({ id: 'MarkedText', description: 'Text in consecutive pieces, never markup.' });

const Hit = z
  .object({
    kind: z.enum(['post', 'link']),
    score: z
      .number()
      .describe('BM25 score. Comparable only within one reply, among hits with the same `sandbox`.'),
    sandbox: z.boolean().describe('True if only the sandbox found it: simulated.'),
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

const findQuery = z.strictObject({
  text: wordsParam.meta({
    description: 'Words to search for. Any of them matches, in any inflected form.',
    examples: ['harbour crane'],
  }),
  topic: topicSlug.optional(),
  search: searchSlug.optional(),
  kind: z.enum(['post', 'link']).optional(),
  author: textParam(100).min(1).optional().describe('Username of the author of a post, without @.'),
  lang: textParam(35).min(1).optional().describe('Language that the post states.'),
  service: textParam(100).min(1).optional().describe('Name of a service that found it.'),
  sandbox: flagParam
    .optional()
    .describe(
      'true: only simulated results. false: only real ones. Default: real ones first, then simulated ones.',
    ),
  since: timeParam.optional().describe('Start of the range, by time of publication (inclusive).'),
  until: timeParam.optional().describe('End of the range, by time of publication (exclusive).'),
  limit: z.coerce.number().int().min(1).max(MAX_HITS).default(20).describe('Maximum number of hits.'),
});

export function findRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/find',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'find',
        summary: 'Search posts and links by text',
        description:
          'Ranked by BM25, with stemming per language. There is no next page: add words or a filter to narrow down the results.',
        tags: ['find'],
        querystring: findQuery,
        response: { 200: z.object({ items: z.array(Hit) }) },
      },
    },
    async (request) => {
      const { since, until, topic, search, ...filter } = request.query;
      await assertFilterExists(ctx.db, { topic, search });
      const leave = app.shares.finds.take(request);
      try {
        return { items: await findText(ctx.db, { ...filter, topic, search, from: since, before: until }) };
      } finally {
        leave();
      }
    },
  );
}
