/** One saved search: results, runs, definition. */

import { showSideOf } from '../components/page-frame.tsx';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { describeMissed, describePace, judgeOne } from '../../monitor/status/search-completeness.ts';
import { findSearchRow } from '../../monitor/topics/find-by-slug.ts';
import { type PaceRow, readPaces } from '../../store/pace.ts';
import { countDiscoveriesSince } from '../../store/queries/search-activity.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import { renderPage } from '../components/page-layout.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { slugParams } from '../request-input.ts';
import { readTimeline, SHOWN_ON_SEARCH, TimelineSection } from './completion-history.tsx';
import { updateVisit } from './last-visit.ts';
import { chooseRange, computeRange } from './time-range.ts';
import { PurgeLink } from './purge-pages.tsx';
import { TopicButtons } from './topic-actions.tsx';
import { readTopicData } from './topic-data.ts';
import { describeSearchSchedule, rangeQuery, RunsSection, SearchState, TopicView } from './topic-page.tsx';

export function addSearchPage(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams, querystring: rangeQuery };
  app.get('/searches/:slug', { schema, config: { scope: 'read' } }, async (request, reply) => {
    const { slug } = request.params;
    const { now, seen } = request.frame;
    const search = await findSearchRow(ctx.db, slug);
    const range = computeRange(request.query.range ?? chooseRange([search], now), now);
    const side = await showSideOf(request, ctx.db, search);
    const scope = {
      data: side,
      topic: search.topic,
      search: slug,
      searches: [search],
      view: 'search' as const,
    };
    const data = await readTopicData(ctx, scope, range, now);
    const visit = updateVisit(request, reply, { now, last: seen });
    const fresh =
      visit.since === null ? null : await countDiscoveriesSince(ctx.db, [search.id], visit.since, 'search');
    const [pace] = await readPaces(ctx.db, [search.id]);
    const answers = search.operation === 'ai' ? await readTimeline(ctx.db, side, slug) : [];
    return renderPage(request, reply, {
      title: slug,
      here: '',
      above: (
        <>
          <a href="/">Overview</a> / <a href={`/topics/${search.topic}`}>{search.topic}</a>
        </>
      ),
      lead: (
        <>
          “<UntrustedText text={search.prompt} />
          ”, {describeSearchSchedule(search)} <SearchState search={search} />
        </>
      ),
      aside:
        search.archived_at === null ? (
          <TopicButtons place={`/searches/${slug}`} searches={[search]} />
        ) : (
          <PurgeLink target={{ kind: 'search', slug }} />
        ),
      charts: true,
      live: { search: slug },
      body: (
        <>
          <TopicView scope={scope} range={range} data={data} visit={visit} fresh={fresh} />
          {answers.length > 1 ? (
            <TimelineSection search={slug} rows={answers} older={answers.length === SHOWN_ON_SEARCH} />
          ) : null}
          <RunsSection scope={scope} range={range} data={data} />
          <SearchDefinition search={search} pace={pace ?? null} />
        </>
      ),
    });
  });
}

/** Query, service and schedule. */
function SearchDefinition({ search, pace }: { search: SearchRow; pace: PaceRow | null }) {
  const interval = pace === null ? null : describePace(pace);
  const incomplete = pace === null ? null : judgeOne(pace);
  const { prompt, operation, tools, model, date_filter, service, version, request_version, labels } = search;
  return (
    <Section title="Definition" id="definition">
      <dl class="facts">
        <dt>Prompt</dt>
        <dd>
          <UntrustedText text={prompt} most={2_000} />
        </dd>
        <dt>Operation</dt>
        <dd>{operation === 'ai' ? `AI search (${tools.join(', ')})` : 'microblog search'}</dd>
        <dt>Service</dt>
        <dd>
          {service}, model {model}
        </dd>
        {date_filter === null ? null : (
          <>
            <dt>Look back</dt>
            <dd>{date_filter.toLowerCase().replaceAll('_', ' ')}</dd>
          </>
        )}
        <dt>Schedule</dt>
        <dd>{describeSearchSchedule(search)}</dd>
        {interval === null ? null : (
          <>
            <dt>Current interval</dt>
            <dd>{interval}</dd>
          </>
        )}
        {incomplete === null ? null : (
          <>
            <dt>Completeness</dt>
            <dd class="wrong">{describeMissed(incomplete)}</dd>
          </>
        )}
        <dt>Spike detection</dt>
        <dd>{search.sensitivity === 'off' ? 'off' : `${search.sensitivity} sensitivity`}</dd>
        {labels.length === 0 ? null : (
          <>
            <dt>Labels</dt>
            <dd>{labels.join(', ')}</dd>
          </>
        )}
        <dt>Version</dt>
        <dd>
          {version}
          {request_version === version ? '' : ` (request unchanged since version ${request_version})`}
        </dd>
        <dt>Created</dt>
        <dd>
          <Timestamp at={search.created_at} exact />
        </dd>
      </dl>
    </Section>
  );
}
