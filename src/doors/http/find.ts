/** Full-text search over everything that was found. */
import { z } from 'zod';
import { assertFilter } from '../../monitor/topic/find.ts';
import { FOUND_MOST, findText } from '../../store/archive/find-text.ts';
import { timeShape } from '../../store/shapes.ts';
import type { App, WebHome } from '../routes.ts';
import { givenFlag, givenText, givenTime, givenWords, searchSlug, topicSlug } from './given.ts';
import { Link, Post } from './findings.ts';

const Marked = z
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
    title: Marked,
    excerpt: Marked,
    post: Post.nullable(),
    link: Link.nullable(),
  })
  .meta({ id: 'Hit' });

const query = z.strictObject({
  text: givenWords.meta({
    description: 'Words, any of which may stand there, in any form.',
    examples: ['harbour crane'],
  }),
  topic: topicSlug.optional(),
  search: searchSlug.optional(),
  kind: z.enum(['post', 'link']).optional(),
  author: givenText(100).min(1).optional().describe('Username of who wrote a post, without @.'),
  lang: givenText(35).min(1).optional().describe('Language that a post says it is in.'),
  service: givenText(100).min(1).optional().describe('Name of a service that found it.'),
  sandbox: givenFlag
    .optional()
    .describe(
      'What the sandbox invented, or what was found outside; left out: outside first, then invented.',
    ),
  since: givenTime.optional().describe('Its own time from here on.'),
  until: givenTime.optional().describe('Its own time before this.'),
  limit: z.coerce.number().int().min(1).max(FOUND_MOST).default(20).describe('Most hits.'),
});

export function findRoutes(app: App, { ctx }: WebHome): void {
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
        querystring: query,
        response: { 200: z.object({ items: z.array(Hit) }) },
      },
    },
    async (request) => {
      const { since, until, topic, search, ...asked } = request.query;
      await assertFilter(ctx.db, { topic, search });
      const leave = app.shares.finds.take(request);
      try {
        return { items: await findText(ctx.db, { ...asked, topic, search, from: since, before: until }) };
      } finally {
        leave();
      }
    },
  );
}
