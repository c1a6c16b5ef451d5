/** Before something is removed for good: what goes, and what stays. */
import type { ComponentChildren } from 'preact';
import { assertKept, assertTopicKept, findSearchRow, findTopicRow } from '../../../monitor/topic/find.ts';
import { readSearches } from '../../../store/reads/searches.ts';
import type { App, WebHome } from '../../routes.ts';
import { Button, Form } from '../kit/form.tsx';
import { counted } from '../kit/number.tsx';
import { showPage } from '../kit/show.tsx';
import { slugParams } from './given.ts';

const ALL = 1_000;

export function removePages(app: App, { ctx }: WebHome): void {
  const schema = { params: slugParams };

  app.get('/searches/:slug/remove', { schema, config: { scope: 'write' } }, async (request, reply) => {
    const { slug } = request.params;
    await assertKept(ctx.db, slug);
    const search = await findSearchRow(ctx.db, slug);
    return showPage(request, reply, {
      title: `Remove ${slug}?`,
      here: '',
      above: (
        <>
          <a href={`/topics/${search.topic}`}>{search.topic}</a> / <a href={`/searches/${slug}`}>{slug}</a>
        </>
      ),
      body: (
        <Confirm
          action={`/searches/${slug}/remove`}
          words="Remove this search"
          back={`/searches/${slug}`}
          goes="Its schedule, and runs that wait. A run under way ends by itself."
        />
      ),
    });
  });

  app.get('/topics/:slug/remove', { schema, config: { scope: 'write' } }, async (request, reply) => {
    const { slug } = request.params;
    await assertTopicKept(ctx.db, slug);
    const [topic, searches] = await Promise.all([
      findTopicRow(ctx.db, slug),
      readSearches(ctx.db, { topic: slug, limit: ALL }),
    ]);
    return showPage(request, reply, {
      title: `Remove ${topic.name}?`,
      here: '',
      above: <a href={`/topics/${slug}`}>{topic.name}</a>,
      body: (
        <Confirm
          action={`/topics/${slug}/remove`}
          words="Remove this topic"
          back={`/topics/${slug}`}
          goes={
            <>
              The schedules of {counted(searches.length, 'search', 'searches')}
              {searches.length === 0 ? '' : ` (${searches.map((one) => one.slug).join(', ')})`}, and runs that
              wait. Runs under way end by themselves.
            </>
          }
        />
      ),
    });
  });
}

function Confirm({
  action,
  words,
  back,
  goes,
}: {
  action: string;
  words: string;
  back: string;
  goes: ComponentChildren;
}) {
  return (
    <Form action={action} label={words}>
      <dl class="facts">
        <dt>What goes</dt>
        <dd>{goes}</dd>
        <dt>What stays</dt>
        <dd>
          Everything that was found: posts, links, completions, their history, and every run. It can still be
          read, exported and asked by SQL.
        </dd>
        <dt>For good</dt>
        <dd>
          Nothing that was removed is watched again under the same short name. To rest for a while, pause.
        </dd>
      </dl>
      <div class="buttons">
        <Button words={words} kind="danger" />
        <a href={back}>Keep it</a>
      </div>
    </Form>
  );
}
