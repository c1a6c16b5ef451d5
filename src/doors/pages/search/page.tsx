/** One saved search: what it finds, and how it runs. */
import { findSearchRow } from '../../../monitor/topic/find.ts';
import { countSince } from '../../../store/reads/of-searches.ts';
import type { App, WebHome } from '../../routes.ts';
import { slugParams } from '../actions/given.ts';
import { Badge } from '../kit/badge.tsx';
import { Outside } from '../kit/outside.tsx';
import { showPage } from '../kit/show.tsx';
import { Buttons } from '../topic/buttons.tsx';
import { querystring } from '../topic/page.tsx';
import { rangeOf, usualRange } from '../topic/range.ts';
import { readScope } from '../topic/read.ts';
import { RunsSection, ScopeView } from '../topic/scope-view.tsx';
import { scheduleWords, SearchState } from '../topic/searches-section.tsx';
import { visitOf } from '../topic/visit.ts';
import { Definition } from './definition.tsx';

export function searchPage(app: App, { ctx }: WebHome): void {
  const schema = { params: slugParams, querystring };
  app.get('/searches/:slug', { schema, config: { scope: 'read' } }, async (request, reply) => {
    const { slug } = request.params;
    const { now, seen } = request.frame;
    const search = await findSearchRow(ctx.db, slug);
    const range = rangeOf(request.query.range ?? usualRange([search], now), now);
    const scope = { topic: search.topic, search: slug, searches: [search] };
    const read = await readScope(ctx, scope, range, now);
    const visit = visitOf(request, reply, { now, last: seen });
    const fresh = visit.since === null ? null : await countSince(ctx.db, [search.id], visit.since);
    return showPage(request, reply, {
      title: slug,
      here: '',
      above: (
        <>
          <a href="/">Overview</a> / <a href={`/topics/${search.topic}`}>{search.topic}</a>
        </>
      ),
      lead: (
        <>
          “<Outside text={search.prompt} />
          ”, {scheduleWords(search)} <SearchState search={search} />{' '}
          {search.service_kind === 'sandbox' ? (
            <Badge state="simulated" why="its posts are invented by the sandbox" />
          ) : null}
        </>
      ),
      aside:
        search.archived_at === null ? <Buttons place={`/searches/${slug}`} searches={[search]} /> : undefined,
      charts: true,
      live: { search: slug },
      body: (
        <>
          <ScopeView scope={scope} range={range} read={read} visit={visit} fresh={fresh} />
          <RunsSection scope={scope} read={read} />
          <Definition search={search} />
        </>
      ),
    });
  });
}
