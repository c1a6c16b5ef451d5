/** Links: lists, details, ranks over time, and which search found them first. */
import { z } from 'zod';
import { awaitMembers } from '../lib/await-members.ts';
import { SOURCES } from '../model/enumerations.ts';
import { parseQuery } from '../model/search-query.ts';
import { findScope } from '../monitor/topics/find-by-slug.ts';
import { readLinkPage } from '../store/queries/link-pages.ts';
import {
  readLinkAddresses,
  readCiting,
  readLink,
  readLinkSources,
  readLinkRanks,
  readPostsWithLink,
} from '../store/queries/links.ts';
import { idShape, timeShape, idParam, textParam, timeParam } from '../model/value-shapes.ts';
import { findById } from '../monitor/http/find-by-id.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { operation } from './operation.ts';
import {
  catchUpForQuery,
  createIdCursor,
  defineListQuery,
  defineListReply,
  notIndexed,
} from './pagination.ts';
import { Link, LinkSource } from './reply-shapes.ts';
import { scopeParams } from '../monitor/common-inputs.ts';
import { queryParam } from '../monitor/items/query-input.ts';

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
      .describe('Group of the response; null if the response did not contain the link.'),
    rank: z.int().nullable().describe('Position in that group, from 1.'),
    place: z.int().nullable().describe('Position in the whole response, from 1.'),
  })
  .meta({ id: 'LinkPlace' });

const WholeLink = z
  .object({
    link: Link,
    addresses: z.array(z.string()).describe('Every URL under which the link was seen.'),
    found_by: z.array(LinkSource).describe('Searches that found it, earliest first.'),
    cited_by: z
      .array(
        z.object({
          completion_id: idShape,
          run_id: idShape,
          search: z.string(),
          topic: z.string(),
          observed_at: timeShape,
          summary: z.string().nullable().describe('Start of the completion.'),
        }),
      )
      .describe('Newest completions that cite it.'),
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
      .describe('Newest posts that contain it.'),
  })
  .meta({ id: 'WholeLink' });

export function linkRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/links',
    operation({
      scope: 'read',
      operationId: 'listLinks',
      summary: 'List links',
      description: 'Newest first, by when each was first seen. Different spellings of one URL are one link.',
      tags,
      querystring: defineListQuery(cursor, {
        ...scopeParams,
        domain: textParam(255).min(1).optional().describe('Host, as in the member `site`.'),
        source: textParam(100)
          .min(1)
          .optional()
          .describe('Group of the response in which a search first saw it.'),
        text: queryParam.optional().describe('Query, as for posts. See docs/reference/queries.md.'),
        since: timeParam.optional().describe('First seen at or after this time.'),
        until: timeParam.optional().describe('First seen before this time.'),
      }),
      response: { 200: defineListReply(Link).extend({ not_indexed: notIndexed }) },
    }),
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      const { text, ...others } = filter;
      const matching = { query: parseQuery(text ?? '', 'query.text'), now: ctx.clock.now() };
      const scope = await findScope(ctx.db, others);
      const not_indexed = await catchUpForQuery(ctx.db, text);
      const rows = await readLinkPage(ctx.db, { ...others, ...scope, matching, before: after?.[0], limit });
      return { ...reply(rows, ({ id }) => [id]), not_indexed };
    },
  );

  app.get(
    '/api/v1/links/:id',
    operation({
      scope: 'read',
      operationId: 'getLink',
      summary: 'Get a link',
      description:
        'With every URL under which it was seen, the searches that found it, and the newest completions and posts that contain it.',
      tags,
      params,
      response: { 200: WholeLink },
    }),
    async ({ params: { id } }) => {
      const link = await findById('link', id, readLink(ctx.db, id));
      const parts = await awaitMembers({
        addresses: readLinkAddresses(ctx.db, id),
        found_by: readLinkSources(ctx.db, id),
        cited_by: readCiting(ctx.db, id),
        posts: readPostsWithLink(ctx.db, id),
      });
      return { link, ...parts };
    },
  );

  app.get(
    '/api/v1/links/:id/ranks',
    operation({
      scope: 'read',
      operationId: 'listLinkRanks',
      summary: 'List the ranks of a link over time',
      description:
        'The newest 100 runs of each of the first ten searches that found it, oldest first. `source` is the group of the response; null if it did not contain the link.',
      tags,
      params,
      response: { 200: z.object({ items: z.array(LinkPlace) }) },
    }),
    async ({ params: { id } }) => {
      await findById('link', id, readLink(ctx.db, id));
      return { items: await readLinkRanks(ctx.db, id) };
    },
  );
}
