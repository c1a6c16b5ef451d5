/** Full-text search over everything that was found. */
import { z } from 'zod';
import { assertFilterExists } from '../monitor/topics/find-by-slug.ts';
import { MAX_HITS, findText } from '../store/archive/find-text.ts';
import { timeShape } from '../store/row-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { flagParam, textParam, timeParam, wordsParam, searchSlug, topicSlug } from './request-shapes.ts';
import { Link, Post } from './reply-shapes.ts';

const MarkedText = z
  .array(
    z.object({ text: z.string(), match: z.boolean().describe('Whether it is a word that was asked for.') }),
  )
  .meta({ id: 'MarkedText', description: 'A text in pieces, one behind the other: only ever text.' });

const Hit = z
  .object({
    kind: z.enum(['post', 'link']),
    score: z.number().describe('BM25: only to compare hits with the same sandbox in one answer.'),
    sandbox: z.boolean().describe('Invented: only the sandbox ever found it.'),
    services: z.array(z.string()).describe('Services that told of it.'),
    found_by: z
      .array(z.object({ search: z.string(), topic: z.string(), service: z.string() }))
      .describe(
        'Searches that found it, the first one first; none where it only stands inside another post.',
      ),
    at: timeShape.describe('Its own time; where it tells none, when it was first seen.'),
    title: MarkedText,
    excerpt: MarkedText,
    post: Post.nullable(),
    link: Link.nullable(),
  })
  .meta({ id: 'Hit' });

const findQuery = z.strictObject({
  text: wordsParam.meta({
    description: 'Words, any of which may stand there, in any form.',
    examples: ['harbour crane'],
  }),
  topic: topicSlug.optional(),
  search: searchSlug.optional(),
  kind: z.enum(['post', 'link']).optional(),
  author: textParam(100).min(1).optional().describe('Username of who wrote a post, without @.'),
  lang: textParam(35).min(1).optional().describe('Language that a post says it is in.'),
  service: textParam(100).min(1).optional().describe('Name of a service that found it.'),
  sandbox: flagParam
    .optional()
    .describe(
      'What the sandbox invented, or what was found outside; left out: outside first, then invented.',
    ),
  since: timeParam.optional().describe('Its own time from here on.'),
  until: timeParam.optional().describe('Its own time before this.'),
  limit: z.coerce.number().int().min(1).max(MAX_HITS).default(20).describe('Most hits.'),
});

export function findRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/find',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'find',
        summary: 'Search the texts of posts and links, the best first',
        description:
          'Language-aware, by BM25. There is no next page: more words or a filter find what is not among the first.',
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
