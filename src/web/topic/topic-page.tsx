/** A topic: activity over all of its searches. */

import { Refused, RUN_CODES } from '../../model/errors.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { describeStoredSchedule } from '../../monitor/schedule/schedule-text.ts';
import { findTopicRow } from '../../monitor/topics/find-by-slug.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import { isFirstView, readFirstView } from '../../monitor/topics/first-view.ts';
import { DISCOVERY_VIEWS, type DiscoveryView } from '../../store/queries/discoveries.ts';
import type { RunCell } from '../../store/queries/search-activity.ts';
import { judgeTopic, readSearchStatuses, type SearchStatus } from '../../monitor/status/search-status.ts';
import { readSearches, type SearchRow } from '../../store/queries/search-list.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { Table } from '../components/data-table.tsx';
import { Badge, StateIcon } from '../components/icons.tsx';
import { formatCount } from '../components/numbers.tsx';
import { CREATE_TOPIC_SCOPES, IfAllowed, useFrame } from '../components/page-frame.tsx';
import { preventCaching, renderPage } from '../components/page-layout.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { type DateReader, formatMinute } from '../../lib/display-format.ts';
import { describeUnresponsiveCount } from '../../model/tool-coverage.ts';
import { DueTime, Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { type FormOutcome, formBody, slugParams, toFormOutcome } from '../request-input.ts';
import { UnresponsiveToolsNotice } from '../runs/tool-table.tsx';
import { MuteButton, MuteNotice } from '../alerts/mute-pages.tsx';
import { CompletionSection } from './completion-section.tsx';
import { rememberVisit, type Visit } from './last-visit.ts';
import { NamesBlock, readShownNames } from './names-section.tsx';
import { AheadSection, NewSection, RisingSection, TopsSection } from './posts-sections.tsx';
import { FirstPage } from './first-page.tsx';
import { readTellChoices, saveTell, TellSection } from './tell-form.tsx';
import { chooseRange, computeRange, type RangeName, RANGES } from './time-range.ts';
import { PurgeLink } from './purge-pages.tsx';
import { ExportLinks, TopicButtons } from './topic-actions.tsx';
import { readTopicData } from './topic-data.ts';
import { SpikesSection, type TopicSectionProps, TopicStats, VolumeSection } from './volume-section.tsx';
import { SearchStatusCell, TopicStatusLine } from '../components/status-line.tsx';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

const MAX_SEARCHES = 200;
/** How often a browser without scripts looks while the first runs are under way. */
const REFRESH_SECONDS = 2;

export const rangeQuery = z.object({ range: z.enum(RANGES).optional() });

export function addTopicPage(app: App, { ctx }: RouteContext): void {
  const params = slugParams;
  const querystring = rangeQuery.extend({ view: z.enum(DISCOVERY_VIEWS).optional() });
  app.get(
    '/topics/:slug',
    { schema: { params, querystring }, config: { scope: 'read' } },
    async (request, reply) => {
      const { range, view } = request.query;
      const scope = await readTopicScope(ctx, request.params.slug);
      // Who asks for a range wants figures.
      const mayBeFirst = range === undefined && view === undefined && scope.topic.archived_at === null;
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
function describeHead({ topic, searches, statuses }: ShownTopic) {
  const { slug } = topic;
  const removed = topic.archived_at !== null;
  return {
    title: topic.name,
    here: '',
    above: <a href="/">Overview</a>,
    lead: (
      <>
        {formatCount(searches.length, 'search', 'searches')}, watched since{' '}
        <Timestamp at={topic.created_at} exact /> · <a href={`/topics/${slug}/stories`}>Stories</a>
        {searches.some(({ operation }) => operation === 'ai') ? (
          <>
            {' '}
            · <a href={`/topics/${slug}/names`}>Names in answers</a>
          </>
        ) : null}{' '}
        {removed ? <Badge state="removed" /> : null}
      </>
    ),
    statusLine: removed ? undefined : <TopicStatusLine status={judgeTopic(statuses)} slug={slug} />,
    aside: removed ? (
      <PurgeLink target={{ kind: 'topic', slug }} />
    ) : (
      <>
        <TopicButtons place={`/topics/${slug}`} searches={searches} />
        <MuteButton target={{ scope: 'topic', slug }} until={topic.muted_until} />
      </>
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
  const view = await readFirstView(ctx, searches, now);
  // Browsers load this page twice a second while runs are pending, and it has no form then.
  const choices =
    view.pending || !hasScopes(request.visitor, 'admin') ? null : await readTellChoices(ctx, topic, zone);
  // So that the next page can say what is new since.
  await rememberVisit(request, reply, ctx.db, { everySearch: shown.everySearch, view: 'topic' });
  return renderPage(request, reply, {
    ...describeHead(shown),
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
        <SearchesSection topic={topic} searches={searches} statuses={statuses} />
        <p class="note">
          Figures appear here after the second run. <a href="?range=24h">Show them now</a>
        </p>
      </>
    ),
  });
}

async function renderTopicPage(
  ctx: RouteContext['ctx'],
  request: FastifyRequest<{
    Querystring: { range?: RangeName | undefined; view?: DiscoveryView | undefined };
  }>,
  reply: FastifyReply,
  shown: ShownTopic,
): Promise<FastifyReply> {
  const { topic, searches, everySearch, statuses } = shown;
  const { slug } = topic;
  const { now } = request.frame;
  const range = computeRange(request.query.range ?? chooseRange(searches, now), now);
  const { view = 'topic' } = request.query;
  const scope = { topic: slug, searches, everySearch, view };
  const data = await readTopicData(ctx, scope, range, now);
  const names = await readShownNames(ctx.db, slug, now);
  const visit = await rememberVisit(request, reply, ctx.db, scope);
  return renderPage(request, reply, {
    ...describeHead(shown),
    charts: true,
    live: { topic: slug, view },
    body: (
      <>
        <TopicNotices topic={topic} />
        <TopicView scope={scope} range={range} data={data} visit={visit} statuses={statuses} />
        <NamesBlock topic={slug} shown={names} />
        <SearchesSection topic={topic} searches={searches} statuses={statuses} />
        <RunsSection scope={scope} range={range} data={data} />
      </>
    ),
  });
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

/** Sections shared by topic and search pages, the most urgent first. */
export function TopicView({
  visit,
  statuses,
  ...shown
}: TopicSectionProps & { visit: Visit | null; statuses: readonly SearchStatus[] }) {
  const { scope, range, data } = shown;
  return (
    <>
      <UnresponsiveToolsNotice tools={data.unresponsive} />
      <TopicStats {...shown} visit={visit} />
      <VolumeSection {...shown} />
      <SpikesSection data={data} within={scope.search === undefined ? 'topic' : 'search'} />
      <CompletionSection completions={data.completions} range={range} statuses={statuses} />
      {data.linksOnly ? (
        <NewSection {...shown} visit={visit} />
      ) : (
        <div class="columns uneven">
          <NewSection {...shown} visit={visit} />
          <div>
            <RisingSection {...shown} />
            <AheadSection {...shown} />
          </div>
        </div>
      )}
      <TopsSection {...shown} />
    </>
  );
}

export function RunsSection({ scope, range, data }: TopicSectionProps) {
  const which = scope.search === undefined ? { topic: scope.topic } : { search: scope.search };
  return (
    <Section
      title="Runs"
      id="runs"
      live
      note="One cell per slot, oldest first."
      aside={<a href={`/runs?${new URLSearchParams(which).toString()}`}>All runs</a>}
    >
      {data.runs.length === 0 ? (
        <EmptyState words="No runs yet." />
      ) : (
        <RunStrip runs={data.runs} label="Last runs" />
      )}
      <ExportLinks which={which} range={range} />
    </Section>
  );
}

/** A row of cells, oldest run first; each links to its run and shows its status by shape. */
export function RunStrip({ runs, label }: { runs: readonly RunCell[]; label: string }) {
  const frame = useFrame();
  const counts = new Map<RunCell['status'], number>();
  for (const { status } of runs) counts.set(status, (counts.get(status) ?? 0) + 1);
  return (
    <div class="runs">
      <ol class="strip" aria-label={label} data-roving="">
        {runs.map((run) => {
          const text = describeRun(run, frame);
          return (
            <li>
              <a href={`/runs/${run.id}`} class={`cell is-${run.status}`} title={text}>
                <StateIcon state={run.status} />
                <span class="unseen">{text}</span>
              </a>
            </li>
          );
        })}
      </ol>
      <p class="legend">
        {[...counts].map(([status, n]) => (
          <span>
            <StateIcon state={status} /> {n} {status}
          </span>
        ))}
      </p>
    </div>
  );
}

/** `ferry-posts, 21 Nov, 14:05: failed, the service failed` */
function describeRun(run: RunCell, reader: DateReader): string {
  const at = formatMinute(run.slot_at ?? run.created_at, reader);
  const why = run.code === null ? run.reason : RUN_CODES[run.code];
  const span = run.span_slots === null || run.span_slots < 2 ? '' : ` (${run.span_slots} slots)`;
  const newItems = run.status === 'succeeded' && run.items_new !== null ? `, ${run.items_new} new` : '';
  const unresponsive = describeUnresponsiveCount(run);
  return [`${run.search}, ${at}${span}: ${run.status}${newItems}`, why, unresponsive]
    .filter((part) => part !== null)
    .join(', ');
}

function SearchesSection({
  topic,
  searches,
  statuses,
}: {
  topic: TopicRow;
  searches: readonly SearchRow[];
  statuses: readonly SearchStatus[];
}) {
  const add = `/new?${new URLSearchParams({ topic: topic.slug }).toString()}`;
  const todo = { words: 'Add a search', href: add, scope: CREATE_TOPIC_SCOPES };
  const isKept = topic.archived_at === null;
  return (
    <Section
      title="Searches"
      id="searches"
      live
      aside={
        isKept ? (
          <>
            <a href={`/topics/${topic.slug}/sources`}>Sources</a> <AddLink href={add} />
          </>
        ) : undefined
      }
    >
      <Table
        empty="This topic has no searches."
        {...(isKept ? { todo } : {})}
        caption="Searches of this topic"
        rows={searches}
        columns={[
          {
            head: 'Search',
            cell: ({ slug, prompt }) => (
              <>
                <a class="who" href={`/searches/${slug}`}>
                  {slug}
                </a>
                <div class="hint">
                  “<UntrustedText text={prompt} most={90} />”
                </div>
              </>
            ),
          },
          {
            head: 'Status',
            cell: ({ id }) => (
              <SearchStatusCell status={statuses.find(({ search_id }) => search_id === id)} />
            ),
          },
          {
            head: 'Type',
            wide: true,
            cell: ({ operation }) => (operation === 'ai' ? 'AI search' : 'Posts'),
          },
          { head: 'Schedule', cell: (search) => describeStoredSchedule(search) },
          { head: 'Next run', cell: ({ next_due_at }) => <DueTime at={next_due_at} /> },
        ]}
      />
    </Section>
  );
}

function AddLink({ href }: { href: string }) {
  return (
    <IfAllowed scope={CREATE_TOPIC_SCOPES}>
      <a href={href}>Add a search</a>
    </IfAllowed>
  );
}
