/** The overview: activity of each topic. */
import { z } from 'zod';
import { awaitMembers } from '../../lib/await-members.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import { readSearchStatuses } from '../../monitor/status/search-status.ts';
import { describeDiscoveries } from '../../store/queries/described-discoveries.ts';
import { readNewestDiscoveries } from '../../store/queries/discoveries.ts';
import { readPauseOfAll } from '../../store/topics/pauses.ts';
import { readSearchDays, readSearchesNow, readSpikeDays } from '../../store/queries/search-activity.ts';
import { readSearches } from '../../store/queries/search-list.ts';
import { readUnresponsiveTools } from '../../store/queries/run-tools.ts';
import { readServiceDays, tallyRuns } from '../../store/queries/run-tallies.ts';
import { readSpikes, readTrendStates } from '../../store/queries/trend-reports.ts';
import { readBuckets } from '../../store/queries/volume.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { DiscoveryLine, SpikeLine, StateLine } from '../components/discovery-item.tsx';
import { Feed, Section } from '../components/section.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { UnresponsiveToolsNotice } from '../runs/tool-table.tsx';
import { AttentionSection, KeyNumbers, summarizeTopics } from './overview-summary.tsx';
import { PauseOfAllNotice } from '../topic/pause-pages.tsx';
import { computeRange } from '../topic/time-range.ts';
import { PULSE_DAYS, buildPulses, type TopicPulse, findYoungSearches } from './topic-pulses.ts';
import { renderFirstStart } from './first-start.tsx';
import { SORTS, TopicTable } from './topic-table.tsx';

/** Including removed ones. */
const MAX_SEARCHES = 4_000;
/** How long after its window a spike counts as current. */
const SPIKE_CURRENT_MS = 24 * HOUR;
const MAX_SPIKES = 6;
const MAX_BUCKETS = 50_000;
const MAX_NEW = 14;

const querystring = z.object({
  sort: z.enum(SORTS).default('unusual'),
  label: z.string().max(100).optional(),
});

export function addOverviewPage(app: App, routeContext: RouteContext): void {
  const { ctx } = routeContext;
  const { db } = ctx;
  app.get('/', { schema: { querystring }, config: { scope: 'read' } }, async (request, reply) => {
    const { now, topics } = request.frame;
    if (topics.length === 0) return renderFirstStart(request, reply, routeContext);
    const { sort, label } = request.query;
    // The same hours as on the page of a topic, and in its list.
    const lately = computeRange('24h', now);
    const today = new Date(Math.floor(now.getTime() / DAY) * DAY);
    const past = new Date(today.getTime() - PULSE_DAYS * DAY);
    const dayAgo = new Date(now.getTime() - DAY);
    const since = new Date(now.getTime() - SPIKE_CURRENT_MS);
    const everySearch = await readSearches(db, { removed: true, limit: MAX_SEARCHES });
    const searches = everySearch.filter(({ archived_at }) => archived_at === null);
    const searchIds = searches.map(({ id }) => id);
    const { statuses, days, spikeDays, ...read } = await awaitMembers({
      searchesNow: readSearchesNow(db, lately),
      statuses: readSearchStatuses(ctx),
      days: readSearchDays(db, { from: past, until: today, searchIds: everySearch.map(({ id }) => id) }),
      spikeDays: readSpikeDays(db, past),
      discoveries: readNewestDiscoveries(db, { view: 'topic', limit: MAX_NEW }).then((rows) =>
        describeDiscoveries(db, rows),
      ),
      runs: tallyRuns(db, dayAgo),
      services: readServiceDays(db, now),
      tools: readUnresponsiveTools(db, {}),
      pause: readPauseOfAll(db),
    });
    const { spikes, states, hours } = await awaitMembers({
      spikes: readSpikes(db, searchIds, since),
      states: readTrendStates(db, searchIds, since),
      hours: readBuckets(db, {
        searchIds: findYoungSearches(searches, now),
        per: 'hour',
        from: lately.from,
        until: lately.until,
        limit: MAX_BUCKETS,
      }),
    });
    const all = buildPulses({
      topics,
      searches,
      everySearch,
      now: read.searchesNow,
      statuses,
      days,
      hours,
      spikeDays,
      spikes: spikes.filter(({ only_by }) => only_by === null),
      today,
      lately,
    });
    const shown = label === undefined ? all : all.filter(({ labels }) => labels.includes(label));
    const current = spikes.toReversed();
    return renderPage(request, reply, {
      title: 'Overview',
      here: '/',
      lead: summarizeTopics(all),
      feed: {},
      live: true,
      statusLine: read.pause === null ? undefined : <PauseOfAllNotice pause={read.pause} />,
      body: (
        <>
          <UnresponsiveToolsNotice tools={read.tools} />
          <KeyNumbers
            pulses={all}
            runs={read.runs}
            services={read.services}
            spikes={current.filter(({ only_by }) => only_by === null).length}
          />
          <AttentionSection pulses={all} />
          <CurrentSpikes
            states={states
              .filter(({ until }) => until === null)
              .toReversed()
              .slice(0, MAX_SPIKES)}
            spikes={current.slice(0, MAX_SPIKES)}
            more={Math.max(0, current.length - MAX_SPIKES)}
          />
          <TopicTable
            pulses={sortPulses(shown, sort)}
            labels={[...new Set(all.flatMap(({ labels }) => labels))].toSorted()}
            chosen={{ sort, label }}
          />
          <Section title="Newest" id="newest" held>
            <Feed
              rows={read.discoveries}
              empty="Nothing found yet."
              todo={{ words: 'Show runs', href: '/runs' }}
            >
              {(discovery) => <DiscoveryLine discovery={discovery} />}
            </Feed>
          </Section>
        </>
      ),
    });
  });
}

function CurrentSpikes({
  states,
  spikes,
  more,
}: {
  states: readonly Parameters<typeof StateLine>[0]['state'][];
  spikes: readonly Parameters<typeof SpikeLine>[0]['spike'][];
  more: number;
}) {
  if (states.length + spikes.length === 0) return null;
  return (
    <Section title="Trends now, and spikes of the last 24 hours" id="unusual" live>
      <div class="columns">
        {states.map((state) => (
          <StateLine state={state} />
        ))}
        {spikes.map((spike) => (
          <SpikeLine spike={spike} />
        ))}
      </div>
      {more === 0 ? null : <p class="hint">and {more} more: see each topic.</p>}
    </Section>
  );
}

const SORT_ORDERS: Readonly<Record<(typeof SORTS)[number], (a: TopicPulse, b: TopicPulse) => number>> = {
  unusual: (a, b) => (b.pulse.ratio ?? -1) - (a.pulse.ratio ?? -1),
  posts: (a, b) => b.pulse.posts - a.pulse.posts,
  name: () => 0,
};

function sortPulses(pulses: readonly TopicPulse[], sort: (typeof SORTS)[number]): TopicPulse[] {
  return pulses.toSorted((a, b) => SORT_ORDERS[sort](a, b) || a.topic.name.localeCompare(b.topic.name, 'en'));
}
