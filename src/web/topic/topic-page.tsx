/** A topic: activity over all of its searches. */

import { Refused } from '../../model/errors.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { findTopicRow } from '../../monitor/topics/find-by-slug.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import { isFirstView, readFirstView } from '../../monitor/topics/first-view.ts';
import { judgeTopic, readSearchStatuses, type SearchStatus } from '../../monitor/status/search-status.ts';
import { readLastRuns } from '../../store/queries/search-activity.ts';
import { readSearches, type SearchRow } from '../../store/queries/search-list.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { Badge } from '../components/icons.tsx';
import { preventCaching, renderPage } from '../components/page-layout.tsx';
import { TopicStatusLine } from '../components/status-line.tsx';
import { type FormOutcome, formBody, slugParams, toFormOutcome } from '../request-input.ts';
import { MuteButton, MuteNotice } from '../alerts/mute-pages.tsx';
import { NamesBlock, readShownNames } from './names-section.tsx';
import { FirstPage } from './first-page.tsx';
import { rememberVisit } from './last-visit.ts';
import { PurgeLink } from './purge-pages.tsx';
import { SearchesSection, SHOWN_RUNS } from './searches-section.tsx';
import { readTellChoices, saveTell, TellSection } from './tell-form.tsx';
import { chooseRange } from './time-range.ts';
import { ActionMenu } from './topic-actions.tsx';
import { listTabs, readScreen, TopicScreen } from './topic-screen.tsx';
import { readView, viewQuery, type Window, writeSharedAddress } from './view-address.ts';
import { HowToRead } from './volume-section.tsx';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

const MAX_SEARCHES = 200;
/** How often a browser without scripts looks while the first runs are under way. */
const REFRESH_SECONDS = 2;

export function addTopicPage(app: App, { ctx }: RouteContext): void {
  const params = slugParams;
  app.get(
    '/topics/:slug',
    { schema: { params, querystring: viewQuery }, config: { scope: 'read' } },
    async (request, reply) => {
      const scope = await readTopicScope(ctx, request.params.slug);
      // Who asks for anything in particular wants figures.
      const asksForNothing = Object.values(request.query).every((value) => value === undefined);
      const mayBeFirst = asksForNothing && scope.topic.archived_at === null;
      const [shown, isFirst] = await Promise.all([
        addStatuses(ctx, scope),
        mayBeFirst && isFirstView(ctx, scope.searches),
      ]);
      return isFirst
        ? renderFirstPage(ctx, request, reply, shown)
        : renderTopicPage(ctx, request, reply, shown);
    },
  );

  app.post(
    '/topics/:slug/tell',
    { schema: { params, body: formBody }, config: { scope: 'admin' }, onSend: preventCaching },
    async (request, reply) => {
      const shown = await addStatuses(ctx, await readTopicScope(ctx, request.params.slug));
      try {
        return await saveTell(request.acting, request, reply, shown.topic.slug);
      } catch (error) {
        // The topic was removed: its page has no such form.
        if (error instanceof Refused && error.missing === 'topic') throw error;
        // The address may be a secret: it is not sent back.
        const { address: _secret, ...values } = request.body;
        return renderFirstPage(ctx, request, reply, shown, toFormOutcome(error, values, 'address'));
      }
    },
  );
}

type TopicScope = {
  topic: TopicRow;
  /** Searches that are shown, and all searches, since what a removed search found still counts. */
  searches: readonly SearchRow[];
  everySearch: readonly SearchRow[];
};
type ShownTopic = TopicScope & { statuses: readonly SearchStatus[] };

async function readTopicScope(ctx: RouteContext['ctx'], slug: string): Promise<TopicScope> {
  const topic = await findTopicRow(ctx.db, slug);
  const everySearch = await readSearches(ctx.db, { topic: topic.slug, removed: true, limit: MAX_SEARCHES });
  const searches =
    topic.archived_at !== null ? everySearch : everySearch.filter(({ archived_at }) => archived_at === null);
  return { topic, searches, everySearch };
}

async function addStatuses(ctx: RouteContext['ctx'], scope: TopicScope): Promise<ShownTopic> {
  const statuses = await readSearchStatuses(
    ctx,
    scope.searches.map(({ id }) => id),
  );
  return { ...scope, statuses };
}

/** What both pages of a topic begin with. */
function describeHead({ topic, searches, statuses }: ShownTopic, window: Window | null) {
  const { slug } = topic;
  const removed = topic.archived_at !== null;
  return {
    title: topic.name,
    here: '',
    above: <a href="/">Overview</a>,
    lead: removed ? <Badge state="removed" /> : undefined,
    statusLine: removed ? undefined : <TopicStatusLine status={judgeTopic(statuses)} slug={slug} />,
    aside: removed ? (
      <PurgeLink target={{ kind: 'topic', slug }} />
    ) : (
      <ActionMenu
        place={`/topics/${slug}`}
        searches={searches}
        window={window}
        mute={<MuteButton target={{ scope: 'topic', slug }} until={topic.muted_until} />}
      />
    ),
    feed: { topic: slug },
  };
}

async function renderFirstPage(
  ctx: RouteContext['ctx'],
  request: FastifyRequest,
  reply: FastifyReply,
  shown: ShownTopic,
  { status = 200, ...sent }: FormOutcome = {},
): Promise<FastifyReply> {
  const { topic, searches, statuses } = shown;
  const { slug } = topic;
  const { now, zone } = request.frame;
  const [view, runs] = await Promise.all([readFirstView(ctx, searches, now), readRuns(ctx, searches)]);
  // Browsers load this page twice a second while runs are pending, and it has no form then.
  const choices =
    view.pending || !hasScopes(request.visitor, 'admin') ? null : await readTellChoices(ctx, topic, zone);
  // So that the next page can say what is new since.
  await rememberVisit(request, reply, ctx.db, { everySearch: shown.everySearch, view: 'topic' });
  return renderPage(request, reply, {
    ...describeHead(shown, null),
    status,
    live: { topic: slug, view: 'topic' },
    refreshSeconds: view.pending ? REFRESH_SECONDS : undefined,
    body: (
      <>
        <TopicNotices topic={topic} />
        <FirstPage
          topic={slug}
          view={view}
          tell={choices === null ? null : <TellSection topic={slug} choices={choices} {...sent} />}
        />
        <SearchesSection topic={topic} searches={searches} statuses={statuses} runs={runs} />
        <p class="note">
          Figures appear here after the second run. <a href="?range=24h">Show them now</a>
        </p>
      </>
    ),
  });
}

async function renderTopicPage(
  ctx: RouteContext['ctx'],
  request: FastifyRequest<{ Querystring: z.output<typeof viewQuery> }>,
  reply: FastifyReply,
  shown: ShownTopic,
): Promise<FastifyReply> {
  const { topic, searches, everySearch, statuses } = shown;
  const { slug } = topic;
  const scope = { topic: slug, topicId: topic.id, searches, everySearch, view: 'topic' as const };
  const tabs = listTabs(scope);
  const view = readView(request.query, {
    usual: chooseRange(searches, request.frame.now),
    tabs,
    ...request.frame,
  });
  const shared = writeSharedAddress(request.query, view, request.frame.zone);
  if (shared !== undefined) return reply.redirect(`/topics/${slug}${shared}`, 303);
  const [read, runs, names] = await Promise.all([
    readScreen(ctx, scope, view, request.frame.now),
    readRuns(ctx, searches),
    readShownNames(ctx.db, slug, request.frame.now),
  ]);
  const visit = await rememberVisit(request, reply, ctx.db, scope);
  const hasNames = names.length > 0;
  const searchesSection = (
    <SearchesSection topic={topic} searches={searches} statuses={statuses} runs={runs} open={!hasNames} />
  );
  return renderPage(request, reply, {
    ...describeHead(shown, view.window),
    charts: true,
    live: { topic: slug, view: 'topic' },
    body: (
      <>
        <TopicNotices topic={topic} />
        <TopicScreen
          scope={scope}
          view={view}
          tabs={tabs}
          read={read}
          visit={visit}
          statuses={statuses}
          below={hasNames ? <NamesBlock topic={slug} names={names} /> : searchesSection}
        />
        {hasNames ? searchesSection : null}
        <HowToRead scope={scope} view={view} data={read.data} />
      </>
    ),
  });
}

function readRuns({ db }: RouteContext['ctx'], searches: readonly SearchRow[]) {
  return readLastRuns(
    db,
    searches.map(({ id }) => id),
    SHOWN_RUNS,
  );
}

function TopicNotices({ topic: { muted_until, successor } }: { topic: TopicRow }) {
  return (
    <>
      <MuteNotice until={muted_until} />
      {successor === null ? null : (
        <p class="hint">
          Continues in <a href={`/topics/${successor}`}>{successor}</a>.
        </p>
      )}
    </>
  );
}
