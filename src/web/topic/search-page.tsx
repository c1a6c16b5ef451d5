/** One saved search: results, runs, definition. */

import { Facts } from '../components/fact-list.tsx';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import {
  describeCurrentInterval,
  describeIntervalChange,
  describeStoredSchedule,
} from '../../monitor/schedule/schedule-text.ts';
import { describeMissed, judgeOne } from '../../monitor/status/search-completeness.ts';
import { readSearchStatuses } from '../../monitor/status/search-status.ts';
import { awaitMembers } from '../../lib/await-members.ts';
import { nameSearch } from '../../model/search-name.ts';
import { readLastRuns } from '../../store/queries/search-activity.ts';
import { findSearchRow } from '../../monitor/topics/find-by-slug.ts';
import { type PaceRow, readPaces } from '../../store/runs/pace.ts';
import {
  type IntervalChangeRow,
  readIntervalChanges,
  type SearchRow,
  SHOWN_INTERVAL_CHANGES,
} from '../../store/queries/search-list.ts';
import { Badge } from '../components/icons.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Crumbs, FoldedSection } from '../components/section.tsx';
import { SearchStatusLine } from '../components/status-line.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { shortenText, UntrustedText } from '../components/untrusted-text.tsx';
import { slugParams } from '../request-input.ts';
import { rememberVisit } from './last-visit.ts';
import { PurgeLink } from './purge-pages.tsx';
import { RunsSection, SHOWN_RUNS } from './searches-section.tsx';
import { chooseRange } from './time-range.ts';
import { ActionMenu } from './topic-actions.tsx';
import { listTabs, readScreen, TopicScreen } from './topic-screen.tsx';
import { readView, viewQuery, writeSharedAddress } from './view-address.ts';
import { HowToRead } from './volume-section.tsx';

/** UTF-16 units of a query in the title. */
const MAX_TITLE = 80;

export function addSearchPage(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams, querystring: viewQuery };
  app.get('/searches/:slug', { schema, config: { scope: 'read' } }, async (request, reply) => {
    const { now } = request.frame;
    const search = await findSearchRow(ctx.db, request.params.slug);
    const { slug, topic } = search;
    const searches = [search];
    const scope = {
      topic,
      topicId: search.topic_id,
      search: slug,
      searches,
      everySearch: searches,
      view: 'search' as const,
    };
    const tabs = listTabs(scope);
    const view = readView(request.query, { usual: chooseRange(searches, now), tabs, ...request.frame });
    const shared = writeSharedAddress(request.query, view, request.frame.zone);
    if (shared !== undefined) return reply.redirect(`/searches/${slug}${shared}`, 303);
    const { read, statuses, runs, paces, changes } = await awaitMembers({
      read: readScreen(ctx, scope, view, now),
      statuses: readSearchStatuses(ctx, [search.id]),
      runs: readLastRuns(ctx.db, [search.id], 2 * SHOWN_RUNS),
      paces: readPaces(ctx.db, [search.id]),
      changes: readIntervalChanges(ctx.db, search.id, { limit: SHOWN_INTERVAL_CHANGES }),
    });
    const [status] = statuses;
    const visit = await rememberVisit(request, reply, ctx.db, scope);
    const name = request.frame.topics.find((row) => row.slug === topic)?.name ?? topic;
    return renderPage(request, reply, {
      title: `${nameSearch(search, searches)}: ${shortenText(search.prompt, MAX_TITLE)}`,
      here: '',
      above: (
        <Crumbs
          path={[
            ['Overview', '/'],
            [shortenText(name), `/topics/${topic}`],
          ]}
        />
      ),
      lead: search.archived_at === null ? undefined : <Badge state="removed" />,
      statusLine:
        search.archived_at === null && status !== undefined ? (
          <SearchStatusLine status={status} />
        ) : undefined,
      aside:
        search.archived_at === null ? (
          <ActionMenu place={`/searches/${slug}`} searches={searches} window={view.window} />
        ) : (
          <PurgeLink target={{ kind: 'search', slug }} />
        ),
      charts: true,
      feed: { search: slug },
      live: { search: slug },
      body: (
        <>
          <TopicScreen scope={scope} view={view} tabs={tabs} read={read} visit={visit} statuses={statuses} />
          <RunsSection search={slug} runs={runs} />
          <IntervalChanges rows={changes} />
          <SearchDefinition search={search} pace={paces[0] ?? null} />
          <HowToRead scope={scope} view={view} data={read.data} />
        </>
      ),
    });
  });
}

/** Why its adaptive interval is what it is, newest first. */
function IntervalChanges({ rows }: { rows: readonly IntervalChangeRow[] }) {
  if (rows.length === 0) return null;
  return (
    <FoldedSection title="Interval changes" id="intervals">
      <p class="note">By a tenth or more, each with its reason.</p>
      <ul class="plain">
        {rows.map((row) => (
          <li>
            {describeIntervalChange(row)}{' '}
            <span class="line-more">
              <Timestamp at={row.at} />
            </span>
          </li>
        ))}
      </ul>
    </FoldedSection>
  );
}

/** Query, service and schedule. */
function SearchDefinition({ search, pace }: { search: SearchRow; pace: PaceRow | null }) {
  const interval = pace === null ? null : describeCurrentInterval(pace);
  const incomplete = pace === null ? null : judgeOne(pace);
  const { prompt, operation, tools, model, date_filter, service, version, request_version, labels } = search;
  return (
    <FoldedSection title="Definition" id="definition">
      <Facts
        label="Definition"
        facts={[
          ['Short name', search.slug],
          ['Prompt', <UntrustedText text={prompt} most={2_000} />],
          ['Operation', operation === 'ai' ? `AI search (${tools.join(', ')})` : 'microblog search'],
          ['Service', `${service}, model ${model}`],
          ['Look back', date_filter?.toLowerCase().replaceAll('_', ' ')],
          ['Schedule', describeStoredSchedule(search)],
          ['Current interval', interval],
          [
            'Completeness',
            incomplete === null ? null : <span class="wrong">{describeMissed(incomplete)}</span>,
          ],
          ['Spike detection', search.sensitivity === 'off' ? 'off' : `${search.sensitivity} sensitivity`],
          ['Labels', labels.join(', ')],
          [
            'Version',
            `${version}${request_version === version ? '' : ` (request unchanged since version ${request_version})`}`,
          ],
          ['Created', <Timestamp at={search.created_at} exact />],
        ]}
      />
    </FoldedSection>
  );
}
