/** The first page: what is happening to each topic. */
import { z } from 'zod';
import { DAY, HOUR, MINUTE } from '../../../engine/clock.ts';
import { readSilence } from '../../../monitor/status/silence.ts';
import { newestDiscoveries } from '../../../store/reads/discoveries.ts';
import { readSearchDays, readSearchesNow, readSpikeDays } from '../../../store/reads/overview.ts';
import { readSearches } from '../../../store/reads/searches.ts';
import { readServiceDays, tallyRuns } from '../../../store/reads/status.ts';
import { readSpikes } from '../../../store/reads/trends.ts';
import { readBuckets } from '../../../store/reads/volume.ts';
import type { App, WebHome } from '../../routes.ts';
import { DiscoveryLine } from '../kit/discovery-line.tsx';
import { May, WATCHES } from '../kit/may.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Spike } from '../kit/spike.tsx';
import { Health } from './health.tsx';
import { Numbers } from './numbers.tsx';
import { DAYS, HOURS, pulsesOf, type TopicPulse, youngOf } from './pulses.ts';
import { leadOf } from './lead.ts';
import { SORTS, TopicTable } from './topic-table.tsx';

/** More than anybody looks through on one page. */
const MOST_SEARCHES = 2_000;
/** Spikes are current for so long after their window. */
const CURRENT_MS = 24 * HOUR;
const MOST_SPIKES = 6;
const MOST_BUCKETS = 50_000;
/** Volume is kept by quarters of an hour. */
const QUARTER = 15 * MINUTE;
const MOST_NEW = 14;

const querystring = z.object({
  sort: z.enum(SORTS).default('unusual'),
  label: z.string().max(100).optional(),
});

export function overviewPage(app: App, { ctx }: WebHome): void {
  const { db } = ctx;
  app.get('/', { schema: { querystring }, config: { scope: 'read' } }, async (request, reply) => {
    const { now, topics } = request.frame;
    const { sort, label } = request.query;
    const quarter = new Date((Math.floor(now.getTime() / QUARTER) + 1) * QUARTER);
    const hour = new Date((Math.floor(now.getTime() / HOUR) + 1) * HOUR);
    const today = new Date(Math.floor(now.getTime() / DAY) * DAY);
    const past = new Date(today.getTime() - DAYS * DAY);
    const dayAgo = new Date(now.getTime() - DAY);
    const since = new Date(now.getTime() - CURRENT_MS);
    const [searches, searchesNow, silent, days, spikeDays, discoveries, runs, services] = await Promise.all([
      readSearches(db, { limit: MOST_SEARCHES }),
      readSearchesNow(db, { from: new Date(quarter.getTime() - DAY), until: quarter }),
      readSilence(ctx),
      readSearchDays(db, { from: past, until: today }),
      readSpikeDays(db, past),
      newestDiscoveries(db, { limit: MOST_NEW }),
      tallyRuns(db, dayAgo),
      readServiceDays(db, now),
    ]);
    const [spikes, hours] = await Promise.all([
      readSpikes(
        db,
        searches.map(({ id }) => id),
        since,
      ),
      readBuckets(db, {
        searchIds: youngOf(searches, now),
        per: 'hour',
        from: new Date(hour.getTime() - HOURS * HOUR),
        until: hour,
        limit: MOST_BUCKETS,
      }),
    ]);
    const all = pulsesOf({
      topics,
      searches,
      now: searchesNow,
      silent: silent.searches,
      days,
      hours,
      spikeDays,
      spikes,
      today,
      hour,
    });
    const shown = label === undefined ? all : all.filter(({ labels }) => labels.includes(label));
    const current = spikes.toReversed();
    return showPage(request, reply, {
      title: 'Overview',
      here: '/',
      lead: topics.length === 0 ? undefined : <Lead pulses={all} />,
      live: true,
      body:
        topics.length === 0 ? (
          <Empty
            words="No topic is watched yet. A topic is what you care about; its searches look for it on a schedule."
            todo={{ words: 'Watch something', href: '/new', scope: WATCHES }}
          />
        ) : (
          <>
            <Numbers pulses={all} runs={runs} services={services} spikes={current.length} />
            <Health pulses={all} />
            <CurrentSpikes
              spikes={current.slice(0, MOST_SPIKES)}
              more={Math.max(0, current.length - MOST_SPIKES)}
            />
            <TopicTable
              pulses={sorted(shown, sort)}
              labels={[...new Set(all.flatMap(({ labels }) => labels))].toSorted()}
              chosen={{ sort, label }}
            />
            <Section title="Newest discoveries" id="newest" held>
              {discoveries.length === 0 ? (
                <Empty words="Nothing was found yet." todo={{ words: 'See the runs', href: '/runs' }} />
              ) : (
                <ul class="feed">
                  {discoveries.toReversed().map((discovery) => (
                    <li>
                      <DiscoveryLine discovery={discovery} />
                    </li>
                  ))}
                </ul>
              )}
            </Section>
          </>
        ),
    });
  });
}

function Lead({ pulses }: { pulses: readonly TopicPulse[] }) {
  return (
    <>
      {leadOf(pulses)}
      {pulses.every(({ simulated }) => simulated) ? (
        <>
          {' '}
          All that stands here is invented by the sandbox, to look around in
          <May scope={WATCHES}>
            : <a href="/new">watch something of your own</a>
          </May>
          .
        </>
      ) : null}
    </>
  );
}

function CurrentSpikes({
  spikes,
  more,
}: {
  spikes: readonly Parameters<typeof Spike>[0]['spike'][];
  more: number;
}) {
  if (spikes.length === 0) return null;
  return (
    <Section title="Unusual in the last 24 hours" id="unusual" live>
      <div class="columns">
        {spikes.map((spike) => (
          <Spike spike={spike} />
        ))}
      </div>
      {more === 0 ? null : <p class="hint">and {more} more; each topic shows its own.</p>}
    </Section>
  );
}

const ORDERS: Readonly<Record<(typeof SORTS)[number], (a: TopicPulse, b: TopicPulse) => number>> = {
  unusual: (a, b) => (b.pulse.ratio ?? -1) - (a.pulse.ratio ?? -1),
  posts: (a, b) => b.pulse.posts - a.pulse.posts,
  name: () => 0,
};

function sorted(pulses: readonly TopicPulse[], sort: (typeof SORTS)[number]): TopicPulse[] {
  return pulses.toSorted((a, b) => ORDERS[sort](a, b) || a.topic.name.localeCompare(b.topic.name, 'en'));
}
