/** A topic: what is happening to it, over all of its searches. */
import { z } from 'zod';
import { findTopicRow } from '../../../monitor/topic/find.ts';
import { countSince } from '../../../store/reads/of-searches.ts';
import { readSearches } from '../../../store/reads/searches.ts';
import type { App, WebHome } from '../../routes.ts';
import { slugParams } from '../actions/given.ts';
import { Badge } from '../kit/badge.tsx';
import { counted } from '../kit/number.tsx';
import { showPage } from '../kit/show.tsx';
import { When } from '../kit/when.tsx';
import { Buttons } from './buttons.tsx';
import { RANGES, rangeOf, usualRange } from './range.ts';
import { readScope } from './read.ts';
import { RunsSection, ScopeView } from './scope-view.tsx';
import { SearchesSection } from './searches-section.tsx';
import { visitOf } from './visit.ts';

/** More searches than a topic has. */
const MOST_SEARCHES = 200;

export const querystring = z.object({ range: z.enum(RANGES).optional() });

export function topicPage(app: App, { ctx }: WebHome): void {
  const schema = { params: slugParams, querystring };
  app.get('/topics/:slug', { schema, config: { scope: 'read' } }, async (request, reply) => {
    const { slug } = request.params;
    const { now, seen } = request.frame;
    const [topic, searches] = await Promise.all([
      findTopicRow(ctx.db, slug),
      readSearches(ctx.db, { topic: slug, limit: MOST_SEARCHES }),
    ]);
    const range = rangeOf(request.query.range ?? usualRange(searches, now), now);
    const scope = { topic: slug, searches };
    const read = await readScope(ctx, scope, range, now);
    const visit = visitOf(request, reply, { now, last: seen });
    const ids = searches.map(({ id }) => id);
    const fresh = visit.since === null ? null : await countSince(ctx.db, ids, visit.since);
    const simulated = searches.length > 0 && searches.every(({ service_kind }) => service_kind === 'sandbox');
    return showPage(request, reply, {
      title: topic.name,
      here: '',
      above: <a href="/">Overview</a>,
      lead: (
        <>
          {counted(searches.length, 'search', 'searches')}, watched since <When at={topic.created_at} exact />{' '}
          {simulated ? <Badge state="simulated" why="its posts are invented by the sandbox" /> : null}
          {topic.archived_at === null ? null : <Badge state="removed" />}
        </>
      ),
      aside:
        topic.archived_at === null ? <Buttons place={`/topics/${slug}`} searches={searches} /> : undefined,
      charts: true,
      live: { topic: slug },
      body: (
        <>
          <ScopeView scope={scope} range={range} read={read} visit={visit} fresh={fresh} />
          <SearchesSection topic={slug} searches={searches} />
          <RunsSection scope={scope} read={read} />
        </>
      ),
    });
  });
}
