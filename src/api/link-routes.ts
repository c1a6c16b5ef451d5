/** Links: lists, one of them, where it stood over time, and who had it first. */
import { z } from 'zod';
import { SOURCES } from '../domain/enumerations.ts';
import { Refused } from '../domain/errors.ts';
import { assertFilterExists } from '../monitor/topics/find-by-slug.ts';
import { readLinkPage } from '../store/queries/link-pages.ts';
import {
  readLinkAddresses,
  readCiting,
  readLink,
  readLinkSources,
  readLinkRanks,
  readPostsWithLink,
} from '../store/queries/links.ts';
import { idShape, timeShape } from '../store/row-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createIdCursor, defineListQuery, defineListReply } from './pagination.ts';
import { Link, LinkSource } from './reply-shapes.ts';
import { idParam, textParam, timeParam, searchSlug, topicSlug } from './request-shapes.ts';

const tags = ['links'];
const params = z.strictObject({ id: idParam });
const cursor = createIdCursor('links');

const LinkPlace = z
  .object({
    search: z.string(),
    run_id: idShape,
    observed_at: timeShape,
    source: z
      .enum(SOURCES)
      .nullable()
      .describe('Group of the answer; null where the answer did not hold it.'),
    rank: z.int().nullable().describe('Its number in that group, from 1.'),
    place: z.int().nullable().describe('Its number in the whole answer, from 1.'),
  })
  .meta({ id: 'LinkPlace' });

const WholeLink = z
  .object({
    link: Link,
    addresses: z.array(z.string()).describe('Every address under which it was seen.'),
    found_by: z.array(LinkSource).describe('The searches that found it, the one that had it first first.'),
    cited_by: z
      .array(
        z.object({
          completion_id: idShape,
          run_id: idShape,
          search: z.string(),
          topic: z.string(),
          observed_at: timeShape,
          summary: z.string().nullable().describe('How the completion begins.'),
        }),
      )
      .describe('The newest completions that cite it.'),
    posts: z
      .array(
        z.object({
          id: idShape,
          author_id: idShape.nullable(),
          author_username: z.string().nullable(),
          text: z.string(),
          created_at: timeShape.nullable(),
          like_count: z.number().nullable(),
        }),
      )
      .describe('The newest posts that have it in their text.'),
  })
  .meta({ id: 'WholeLink' });

export function linkRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/links',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listLinks',
        summary: 'Links that searches found, the newest first',
        description: 'Ordered by when they were first seen. One address in several spellings is one link.',
        tags,
        querystring: defineListQuery(cursor, {
          topic: topicSlug.optional(),
          search: searchSlug.optional(),
          domain: textParam(255).min(1).optional().describe('Host, as the member site of a link.'),
          source: textParam(100)
            .min(1)
            .optional()
            .describe('Group of an answer in which a search first saw it.'),
          since: timeParam.optional().describe('First seen from here on.'),
          until: timeParam.optional().describe('First seen before this.'),
        }),
        response: { 200: defineListReply(Link) },
      },
    },
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      await assertFilterExists(ctx.db, filter);
      const rows = await readLinkPage(ctx.db, { ...filter, before: after?.[0], limit: limit + 1 });
      return reply(rows, ({ id }) => [id]);
    },
  );

  app.get(
    '/api/v1/links/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getLink',
        summary: 'A link: who found it, who cites it, and which posts hold it',
        description:
          'Every address under which it was seen, the searches that found it in order, the newest completions that cite it, and posts that contain it.',
        tags,
        params,
        response: { 200: WholeLink },
      },
    },
    async ({ params: { id } }) => {
      const link = await readLink(ctx.db, id);
      if (link === undefined) throw createUnknownLinkError(id);
      const [addresses, found_by, cited_by, posts] = await Promise.all([
        readLinkAddresses(ctx.db, id),
        readLinkSources(ctx.db, id),
        readCiting(ctx.db, id),
        readPostsWithLink(ctx.db, id),
      ]);
      return { link, addresses, found_by, cited_by, posts };
    },
  );

  app.get(
    '/api/v1/links/:id/ranks',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listLinkRanks',
        summary:
          'Where answers held a link, and where they did not: the newest 100 runs of a search, oldest first',
        description:
          '`source` is the group of the response that returned it; null means that the response did not return it.',
        tags,
        params,
        response: { 200: z.object({ items: z.array(LinkPlace) }) },
      },
    },
    async ({ params: { id } }) => {
      if ((await readLink(ctx.db, id)) === undefined) throw createUnknownLinkError(id);
      return { items: await readLinkRanks(ctx.db, id) };
    },
  );
}

function createUnknownLinkError(id: bigint): Refused {
  return new Refused('not_found', `there is no link ${id}`);
}
