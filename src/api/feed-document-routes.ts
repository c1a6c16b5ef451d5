/**
 * The documents that feed readers poll. `/feeds/...` contains a key, which reads this feed and nothing else; `/feed.atom` and
 * `/feed.rss` are for visitors who may read everything, such as anyone on this machine while no token exists.
 */
import { VERSION } from '../config/version.ts';
import { composeFeed, type ServedFeed, titleFeed, toFeedScope } from '../monitor/feeds/compose-feed.ts';
import { writeFeed } from '../monitor/feeds/feed-document.ts';
import { FEED_FORMATS, FEED_TYPES, type FeedFormat } from '../monitor/feeds/feed-types.ts';
import { describeFeed, openFeed } from '../monitor/feeds/manage-feeds.ts';
import { isUnchangedSince } from '../monitor/http/conditional-requests.ts';
import { readPublicBase } from '../monitor/http/public-address.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { findSearchRow, findTopicRow } from '../monitor/topics/find-by-slug.ts';
import { InvalidInput, Refused } from '../model/errors.ts';
import { parseQuery } from '../model/search-query.ts';
import { catchUpArchive } from '../store/archive/index-archive.ts';
import { readFeedMark } from '../store/queries/feed-items.ts';
import { sendFailure } from './problem-details.ts';
import { scopeParams } from '../monitor/common-inputs.ts';
import { queryParam } from '../monitor/items/query-input.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { z } from 'zod';

/** A key, which only the handler reads, and a format. */
const FEED_FILE = new RegExp(`^([^.]+)\\.(${FEED_FORMATS.join('|')})$`);

const openQuery = z.strictObject({ ...scopeParams, query: queryParam.optional() });

const GONE = {
  status: 410,
  code: 'gone',
  title: 'Gone',
  detail: 'This feed was revoked.',
  errors: [],
  retryAfterSeconds: undefined,
};

export function feedDocumentRoutes(app: App, home: RouteContext): void {
  const { ctx } = home;

  // No schema: a problem of the address would quote the key.
  app.get('/feeds/:file', { config: { scope: 'open' }, schema: { hide: true } }, async (request, reply) => {
    const { file = '' } = request.params as { file?: string }; // one step of the path
    const [, key = '', format = ''] = FEED_FILE.exec(file) ?? [];
    const feed = await openFeed(ctx, key);
    if (feed === undefined) throw new Refused('not_found', 'there is no such feed');
    if (feed === 'gone') return sendFailure(GONE, request, reply);
    const { id, created_at: since, topic, search, query, name } = feed;
    const shown = { topic, search, query, name, since, identity: `feed ${id}` };
    reply.header('x-robots-tag', 'noindex');
    // Readers may publish the address of a feed, and this one contains its key.
    return sendFeed(request, reply, format as FeedFormat, {
      ...shown,
      base: readPublicBase(request, home),
      self: null,
    });
  });

  for (const format of FEED_FORMATS)
    app.get(
      `/feed.${format}`,
      { config: { scope: 'read' }, schema: { querystring: openQuery, hide: true } },
      async (request, reply) => {
        const base = readPublicBase(request, home);
        const self = `${base}${request.url}`;
        return sendFeed(request, reply, format, { ...(await findOpenFeed(request.query)), base, self });
      },
    );

  /** @throws InvalidInput @throws Refused `not_found` for an unknown topic or search */
  async function findOpenFeed({
    topic,
    search,
    query = '',
  }: z.output<typeof openQuery>): Promise<Omit<ServedFeed, 'base' | 'self'>> {
    if (topic !== undefined && search !== undefined)
      throw new InvalidInput([{ path: 'search', given: search, expected: 'a topic or a search, not both' }]);
    parseQuery(query, 'query.query');
    const subject = { topic: topic ?? null, search: search ?? null, query };
    const row =
      search === undefined
        ? topic === undefined
          ? undefined
          : await findTopicRow(ctx.db, topic)
        : await findSearchRow(ctx.db, search);
    const scope = row === undefined ? 'all' : `${search === undefined ? 'topic' : 'search'} ${row.id}`;
    return {
      ...subject,
      name: describeFeed(subject),
      identity: `feed of ${scope}: ${query}`,
      since: row?.created_at ?? new Date(0),
    };
  }

  async function sendFeed(
    request: FastifyRequest,
    reply: FastifyReply,
    format: FeedFormat,
    feed: ServedFeed,
  ): Promise<FastifyReply> {
    const now = ctx.clock.now();
    const scope = toFeedScope(feed, now);
    // Before the items are read: what is found meanwhile is of the next version.
    const mark = await readFeedMark(ctx.db, scope);
    const tag = hashVersion([
      VERSION,
      format,
      feed.identity,
      feed.base,
      titleFeed(ctx, feed),
      String(mark.id),
    ]);
    reply.header('cache-control', 'private, no-cache').header('vary', 'accept-encoding');
    if (isUnchangedSince(request, reply, { tag, at: mark.at, now })) return reply.code(304).send();
    const leave = scope.matching === undefined ? () => {} : app.shares.finds.take(request);
    try {
      const backlog = scope.matching === undefined ? null : await catchUpArchive(ctx.db);
      // What is not indexed yet is missing here, and must not be missing next time.
      if (backlog !== null) reply.removeHeader('etag').removeHeader('last-modified');
      const document = await composeFeed(ctx, feed);
      return await reply
        .type(`${FEED_TYPES[format]}; charset=utf-8`)
        .serializer(String)
        .send(writeFeed(format, document));
    } finally {
      leave();
    }
  }
}

/** base64url */
function hashVersion(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}
