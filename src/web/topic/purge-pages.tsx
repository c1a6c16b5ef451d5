/** Purges of topics and searches: a page that shows what goes, with a form to confirm. */

import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { findSearchRow, findTopicRow } from '../../monitor/topics/find-by-slug.ts';
import { previewPurge, type PurgeTarget, requestPurge } from '../../monitor/topics/purge-topic.ts';
import type { PurgeCounts } from '../../store/erase/orphans.ts';
import { Facts } from '../components/fact-list.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { Button, Form } from '../components/form.tsx';
import { formatCount } from '../components/numbers.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { nameSearchOf } from '../components/scope-names.tsx';
import { slugParams } from '../request-input.ts';

const PLACES = { topic: 'topics', search: 'searches' } as const;
const SCOPE = 'admin';

export function addPurgePages(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };
  for (const kind of ['topic', 'search'] as const) {
    const path = `/${PLACES[kind]}/:slug/purge`;
    app.get(path, { schema, config: { scope: SCOPE } }, async (request, reply) => {
      const find = kind === 'topic' ? findTopicRow : findSearchRow;
      const row = await find(ctx.db, request.params.slug);
      const target = { kind, slug: row.slug };
      const counts = await previewPurge(ctx.db, target);
      const name = 'name' in row ? row.name : nameSearchOf(request.frame, row.slug);
      return renderPage(request, reply, {
        title: `Purge ${name}?`,
        here: '',
        above: <a href={`/${PLACES[kind]}/${target.slug}`}>{name}</a>,
        body: <ConfirmPurge target={target} counts={counts} />,
      });
    });
    app.post(path, { schema, config: { scope: SCOPE } }, async (request, reply) => {
      const { slug } = request.params;
      const topic = kind === 'search' ? (await findSearchRow(ctx.db, slug)).topic : null;
      await requestPurge(request.acting, { kind, slug });
      return redirectWithFlash(reply, topic === null ? '/' : `/topics/${topic}`, 'purging');
    });
  }
}

function ConfirmPurge({ target: { kind, slug }, counts }: { target: PurgeTarget; counts: PurgeCounts }) {
  const { searches, runs, completions, posts, links } = counts;
  const words = `Purge this ${kind}`;
  return (
    <Form action={`/${PLACES[kind]}/${slug}/purge`} label={words}>
      <Facts
        label={words}
        facts={[
          [
            'Deleted',
            `${
              kind === 'search'
                ? 'The search'
                : `The topic with ${formatCount(searches, 'search', 'searches')}`
            }, ${formatCount(runs, 'run')}, ${formatCount(completions, 'answer')}, and what only ${
              searches === 1 ? 'it' : 'they'
            } found: ${formatCount(posts, 'post')} and ${formatCount(links, 'link')}.`,
          ],
          ['Kept', 'What other searches found, too.'],
          [
            'Permanent',
            'Nothing of it can be restored. The short name can be used again. To stop for a while, pause instead; to keep what was found, remove.',
          ],
        ]}
      />
      <div class="buttons">
        <Button words={words} kind="danger" />
        <a href={`/${PLACES[kind]}/${slug}`}>Cancel</a>
      </div>
    </Form>
  );
}

/** A link to the page, for those who may. */
export function PurgeLink({ target: { kind, slug } }: { target: PurgeTarget }) {
  return (
    <IfAllowed scope={SCOPE}>
      <a href={`/${PLACES[kind]}/${slug}/purge`}>Purge…</a>
    </IfAllowed>
  );
}
