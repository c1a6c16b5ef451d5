/** Posts, links and discoveries of a topic or search: filtered, sorted and paged by the address alone. */

import { nameSearchOf } from '../components/scope-names.tsx';
import { collectProblems, type Problem } from '../../model/errors.ts';
import { EVERYTHING, parseQuery } from '../../model/search-query.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { findSearchRow, findTopicRow } from '../../monitor/topics/find-by-slug.ts';
import { catchUpArchive } from '../../store/archive/index-archive.ts';
import { countDismissals } from '../../store/alerts/dismissals.ts';
import type { Context } from '../../monitor/context.ts';
import type { Id } from '../../store/db/database.ts';
import { readUnresponsiveTools } from '../../store/queries/run-tools.ts';
import { readSearches } from '../../store/queries/search-list.ts';
import { DismissForm, HiddenNote } from '../components/dismiss-button.tsx';
import { ViewNote } from '../components/discovery-item.tsx';
import { readPageTranslations, TranslationsOf } from '../components/translation.tsx';
import { LIST_KINDS, type ListKind, writeListPath, writeTime } from '../components/list-address.ts';
import { renderPage } from '../components/page-layout.tsx';
import { Pager, ScopeLinks, Section, Tabs } from '../components/section.tsx';
import { readKey, slugParams } from '../request-input.ts';
import { UnresponsiveToolsNotice } from '../runs/tool-table.tsx';
import { chooseRange } from '../topic/time-range.ts';
import {
  type List,
  listCursor,
  listQuery,
  listTexts,
  PAGE_SIZE,
  readListItems,
  readListMatches,
  readListVolume,
} from './list-data.ts';
import { parseLocalTime, resolveListRange } from './list-range.ts';
import {
  KIND_WORDS,
  ListActions,
  type ListAddress,
  ListForm,
  ListItems,
  ListVolumeSection,
  NotIndexed,
  nameOrder,
  toEventScope,
} from './list-sections.tsx';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

const MAX_SEARCHES = 200;

export function addListPages(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams, querystring: listQuery };
  for (const kind of LIST_KINDS) {
    app.get(`/topics/:slug/${kind}`, { schema, config: { scope: 'read' } }, async (request, reply) => {
      const { id, name, slug } = await findTopicRow(ctx.db, request.params.slug);
      const searches = await readSearches(ctx.db, { topic: slug, removed: true, limit: MAX_SEARCHES });
      const scoped = { kind, scope: { topic: slug }, searches };
      return renderList(app, ctx, request, reply, { ...scoped, id, name, address: request.query });
    });
    app.get(`/searches/:slug/${kind}`, { schema, config: { scope: 'read' } }, async (request, reply) => {
      const search = await findSearchRow(ctx.db, request.params.slug);
      const scoped = { kind, scope: { topic: search.topic, search: search.slug }, searches: [search] };
      const named = { id: search.id, name: nameSearchOf(request.frame, search.slug) };
      return renderList(app, ctx, request, reply, { ...scoped, ...named, address: request.query });
    });
  }
}

type Shown = Pick<List, 'kind' | 'scope' | 'searches'> & {
  /** Of the topic or search. A cursor is bound to the ID, which stays when it is renamed. */
  id: Id;
  name: string;
  address: z.output<typeof listQuery>;
};

async function renderList(
  app: App,
  ctx: Pick<Context, 'db' | 'translator'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, scope, searches, id, name, address: { cursor, ...parameters } }: Shown,
): Promise<FastifyReply> {
  const { db } = ctx;
  const address = kind === 'discoveries' ? parameters : { ...parameters, after: undefined };
  const { now, zone } = request.frame;
  const shared = toSharedTimes(address, zone);
  if (shared !== undefined) return reply.redirect(writeListPath(kind, scope, shared), 303);
  const after = address.after === undefined ? undefined : (readKey(address.after) ?? 0n);
  const usual = after === undefined ? chooseRange(searches, now) : 'all';
  const problems: Problem[] = [];
  const query = collectProblems(problems, () => parseQuery(address.q ?? '', 'q'), EVERYTHING);
  const range = collectProblems(
    problems,
    () => resolveListRange({ ...address, range: address.range ?? usual }, { now, zone }),
    resolveListRange({ range: usual }, { now, zone }),
  );
  const order = address.sort ?? 'newest';
  const view = scope.search === undefined ? (address.view ?? 'topic') : 'search';
  const list: List = {
    kind,
    scope,
    searches,
    matching: { query, now },
    range,
    order,
    view,
    after,
  };
  const page = listCursor.pageOf(
    { ...address, limit: PAGE_SIZE, cursor },
    { kind, of: scope.search === undefined ? 'topic' : 'search', id },
  );
  const read = async () => {
    if (problems.length > 0) return null;
    const leave = query === EVERYTHING ? () => {} : app.shares.finds.take(request);
    try {
      const backlog = query === EVERYTHING ? null : await catchUpArchive(db);
      const [rows, volume, hidden, unresponsive] = await Promise.all([
        readListItems(db, list, page.after),
        readListVolume(db, list),
        countDismissals(db, scope.topic),
        // What a list of posts lacks is in its chart.
        kind === 'posts' ? [] : readUnresponsiveTools(db, { ...toEventScope(scope) }),
      ]);
      const { items: placed, next_cursor } = page.reply(rows, ({ keys }) => keys);
      const items = placed.map(({ item }) => item);
      const matchesOf = await readListMatches(db, list, items);
      const translations = await readPageTranslations(ctx, scope.topic, items.flatMap(listTexts));
      return { backlog, volume, hidden, unresponsive, items, matchesOf, translations, next: next_cursor };
    } finally {
      leave();
    }
  };
  const data = await read();
  const path = (changed: ListAddress & { cursor?: string } = {}, of: ListKind = kind) =>
    writeListPath(of, scope, {
      ...address,
      ...changed,
      after: of === 'discoveries' ? address.after : undefined,
    });
  return renderPage(request, reply, {
    title: `${KIND_WORDS[kind]} of ${name}`,
    here: '',
    status: problems.length === 0 ? 200 : 400,
    above: <ScopeLinks scope={scope} from="overview" />,
    aside: (
      <Tabs
        label="Lists"
        tabs={LIST_KINDS.map((listKind) => ({
          href: path({ sort: undefined }, listKind),
          words: KIND_WORDS[listKind],
          here: listKind === kind,
        }))}
      />
    ),
    charts: true,
    feed: problems.length === 0 ? { ...toEventScope(scope), query: address.q } : undefined,
    ...(cursor === undefined && data !== null ? { live: { ...toEventScope(scope), view } } : {}),
    body: (
      <>
        <ListForm list={list} address={address} problems={problems} />
        {data === null ? null : (
          <>
            <UnresponsiveToolsNotice tools={data.unresponsive} />
            <ListVolumeSection list={list} volume={data.volume} path={path} />
            <Section
              title={nameOrder(kind === 'posts' ? order : 'newest')}
              id="list"
              held={cursor === undefined}
              note={
                <>
                  <NotIndexed backlog={data.backlog} />
                  {kind === 'discoveries' && scope.search === undefined ? (
                    <ViewNote view={view} other={path({ view: view === 'topic' ? 'search' : 'topic' })} />
                  ) : null}
                </>
              }
              aside={<ListActions list={list} q={address.q} />}
            >
              <TranslationsOf.Provider value={data.translations}>
                <ListItems
                  items={data.items}
                  matchesOf={data.matchesOf}
                  list={list}
                  allTime={path({ range: 'all', from: undefined, to: undefined })}
                />
              </TranslationsOf.Provider>
              <HiddenNote topic={scope.topic} count={data.hidden} />
              <DismissForm topic={scope.topic} />
              <Pager
                first={cursor === undefined ? null : path()}
                next={data.next === null ? null : path({ cursor: data.next })}
                words="Next page"
              />
            </Section>
          </>
        )}
      </>
    ),
  });
}

/** The address with times in UTC, if a browser sent local ones: an address means the same to everybody. */
function toSharedTimes(address: ListAddress, zone: string): ListAddress | undefined {
  const from = address.from === undefined ? undefined : parseLocalTime(address.from, zone);
  const to = address.to === undefined ? undefined : parseLocalTime(address.to, zone);
  if (from === undefined && to === undefined) return undefined;
  return {
    ...address,
    range: undefined,
    ...(from === undefined ? {} : { from: writeTime(from) }),
    ...(to === undefined ? {} : { to: writeTime(to) }),
  };
}
