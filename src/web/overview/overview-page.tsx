/** The overview: what needs a person, and every topic in a line. */
import { z } from 'zod';
import { findEarliest } from '../../lib/time.ts';
import { findDefaultKind } from '../../monitor/topics/service-choice.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { sumHeatParts } from '../components/heat-strip.tsx';
import { writeAddress } from '../components/list-address.ts';
import { renderPage } from '../components/page-layout.tsx';
import { emptyField } from '../request-input.ts';
import { UnresponsiveToolsNotice } from '../runs/tool-table.tsx';
import { markVisit } from '../topic/last-visit.ts';
import { PauseOfAllNotice } from '../topic/pause-pages.tsx';
import { buildCards } from './attention-cards.ts';
import { AttentionSection } from './attention-section.tsx';
import { renderFirstStart } from './first-start.tsx';
import { readPageTranslations, TranslationsOf } from '../components/translation.tsx';
import { NewStoriesSection } from './new-stories-section.tsx';
import { readOverview } from './overview-data.ts';
import { resolveOverviewRange, writeRange } from './overview-range.ts';
import { RangeTabs } from './range-tabs.tsx';
import { chooseTopics, SORTS, type TopicChoice, TopicTable, writeChoice } from './topic-table.tsx';
import { ViewLinks } from './view-pages.tsx';
import { WatchField } from './watch-field.tsx';

const text = emptyField.or(z.string().max(100)).optional();
const querystring = z.object({
  range: text,
  from: text,
  to: text,
  sort: z.enum(SORTS).default(SORTS[0]).catch(SORTS[0]),
  label: text,
  q: text,
  /** New stories that a person hides, instead of those that are shown. */
  hidden: z.literal('yes').optional().catch(undefined),
});

export function addOverviewPage(app: App, routeContext: RouteContext): void {
  const { ctx } = routeContext;
  app.get('/', { schema: { querystring }, config: { scope: 'read' } }, async (request, reply) => {
    const { now, zone, topics } = request.frame;
    if (topics.length === 0) return renderFirstStart(request, reply, routeContext);
    const { sort, label, q: filter, hidden, ...address } = request.query;
    const isHidden = hidden === 'yes';
    const choice: TopicChoice = { sort, label, filter };
    const visit = markVisit(request, reply);
    const range = resolveOverviewRange(address, { now, zone }, visit);
    const { pulses, cardFacts, stories, tools, pause, views } = await readOverview(ctx, {
      topics,
      now,
      range,
      isHidden,
    });
    const translations = await readPageTranslations(
      ctx,
      null,
      stories.stories.map((story) => story.text),
    );
    return renderPage(request, reply, {
      title: 'Overview',
      here: '/',
      feed: {},
      live: true,
      statusLine: pause === null ? undefined : <PauseOfAllNotice pause={pause} />,
      aside: (
        <RangeTabs
          range={range}
          hasVisit={visit !== null}
          write={(name) => writeAddress('/', { range: name, ...writeChoice(choice) })}
          kept={writeChoice(choice)}
        />
      ),
      body: (
        <>
          <WatchField service={findDefaultKind(ctx)} />
          <ViewLinks views={views} />
          {range.note === null ? null : <p class="advice">{range.note}</p>}
          <UnresponsiveToolsNotice tools={tools} />
          <AttentionSection
            cards={buildCards(cardFacts, { now, zone })}
            calm={{
              range,
              runs: sumHeatParts(pulses.flatMap(({ runs }) => runs)),
              isActive: cardFacts.searches.some(({ state }) => state === 'active'),
              nextRunAt: findEarliest(pulses.map(({ status }) => status.next_due_at)),
              isPartial: tools.length > 0,
            }}
          />
          <TranslationsOf.Provider value={translations}>
            <NewStoriesSection
              news={stories}
              names={topics}
              words={range.words}
              isHidden={isHidden}
              other={writeAddress('/', {
                ...writeRange(range),
                ...writeChoice(choice),
                hidden: isHidden ? undefined : 'yes',
              })}
            />
          </TranslationsOf.Provider>
          <TopicTable
            pulses={chooseTopics(pulses, choice)}
            labels={[...new Set(pulses.flatMap(({ labels }) => labels))].toSorted()}
            choice={choice}
            range={range}
          />
        </>
      ),
    });
  });
}
