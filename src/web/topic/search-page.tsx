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
import { ScopeLinks, Section } from '../components/section.tsx';
import { SearchStatusLine } from '../components/status-line.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { slugParams } from '../request-input.ts';
import { readTimeline, SHOWN_ON_SEARCH, TimelineSection } from './completion-history.tsx';
import { rememberVisit } from './last-visit.ts';
import { chooseRange, computeRange } from './time-range.ts';
import { PurgeLink } from './purge-pages.tsx';
import { TopicButtons } from './topic-actions.tsx';
import { readTopicData } from './topic-data.ts';
import { rangeQuery, RunsSection, TopicView } from './topic-page.tsx';

export function addSearchPage(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams, querystring: rangeQuery };
  app.get('/searches/:slug', { schema, config: { scope: 'read' } }, async (request, reply) => {
    const { now } = request.frame;
    const search = await findSearchRow(ctx.db, request.params.slug);
    const { slug } = search;
    const range = computeRange(request.query.range ?? chooseRange([search], now), now);
    const scope = {
      topic: search.topic,
      search: slug,
      searches: [search],
      everySearch: [search],
      view: 'search' as const,
    };
    const [data, statuses] = await Promise.all([
      readTopicData(ctx, scope, range, now),
      readSearchStatuses(ctx, [search.id]),
    ]);
    const [status] = statuses;
    const visit = await rememberVisit(request, reply, ctx.db, scope);
    const [pace] = await readPaces(ctx.db, [search.id]);
    const changes = await readIntervalChanges(ctx.db, search.id, { limit: SHOWN_INTERVAL_CHANGES });
    const answers =
      search.operation === 'ai' ? await readTimeline(ctx.db, { search: slug, limit: SHOWN_ON_SEARCH }) : [];
    return renderPage(request, reply, {
      title: slug,
      here: '',
      above: <ScopeLinks scope={{ topic: search.topic }} from="overview" />,
      lead: (
        <>
          “<UntrustedText text={search.prompt} />
          ”, {describeStoredSchedule(search)} {search.archived_at === null ? null : <Badge state="removed" />}
        </>
      ),
      statusLine:
        search.archived_at === null && status !== undefined ? (
          <SearchStatusLine status={status} />
        ) : undefined,
      aside:
        search.archived_at === null ? (
          <TopicButtons place={`/searches/${slug}`} searches={[search]} />
        ) : (
          <PurgeLink target={{ kind: 'search', slug }} />
        ),
      charts: true,
      feed: { search: slug },
      live: { search: slug },
      body: (
        <>
          <TopicView scope={scope} range={range} data={data} visit={visit} statuses={statuses} />
          {answers.length > 1 ? (
            <TimelineSection search={slug} rows={answers} older={answers.length === SHOWN_ON_SEARCH} />
          ) : null}
          <RunsSection scope={scope} range={range} data={data} />
          <IntervalChanges rows={changes} />
          <SearchDefinition search={search} pace={pace ?? null} />
        </>
      ),
    });
  });
}

/** Why its adaptive interval is what it is, newest first. */
function IntervalChanges({ rows }: { rows: readonly IntervalChangeRow[] }) {
  if (rows.length === 0) return null;
  return (
    <Section title="Interval changes" id="intervals" note="By a tenth or more, each with its reason.">
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
    </Section>
  );
}

/** Query, service and schedule. */
function SearchDefinition({ search, pace }: { search: SearchRow; pace: PaceRow | null }) {
  const interval = pace === null ? null : describeCurrentInterval(pace);
  const incomplete = pace === null ? null : judgeOne(pace);
  const { prompt, operation, tools, model, date_filter, service, version, request_version, labels } = search;
  return (
    <Section title="Definition" id="definition">
      <Facts
        label="Definition"
        facts={[
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
    </Section>
  );
}
