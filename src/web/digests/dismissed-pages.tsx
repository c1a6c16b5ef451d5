/** What is not relevant for a topic: a page with a button, to which digests lead, and the list, to undo it. */
import { z } from 'zod';
import { idKey } from '../../model/value-shapes.ts';
import { type Dismissal, dismiss, restore } from '../../monitor/alerts/dismissals.ts';
import { readOwnAddress } from '../../monitor/access/manage-views.ts';
import { findById } from '../../monitor/http/find-by-id.ts';
import { decodeInput } from '../../monitor/http/request-problems.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { assertTopicNotRemoved } from '../../monitor/topics/find-by-slug.ts';
import { type DismissalRow, listDismissals } from '../../store/alerts/dismissals.ts';
import { readLink } from '../../store/queries/links.ts';
import { readPost } from '../../store/queries/post-detail.ts';
import { Table } from '../components/data-table.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton } from '../components/form.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { formBody, slugParams } from '../request-input.ts';

const item = z.object({ post: idKey.optional(), link: idKey.optional() });
/** `back`: the page of the button. */
const change = item.extend({ back: z.string().optional() });
const MAX_LISTED = 500;
/** In UTF-16 code units. */
const MAX_SHOWN = 300;

export function addDismissedPages(app: App, { ctx }: RouteContext): void {
  const scope = 'write';
  const schema = { params: slugParams };

  app.get(
    '/topics/:slug/dismissed',
    { schema: { ...schema, querystring: item }, config: { scope } },
    async (request, reply) => {
      const { slug, name } = await assertTopicNotRemoved(ctx.db, request.params.slug);
      const rows = await listDismissals(ctx.db, { topic: slug, limit: MAX_LISTED });
      const requested = findItem(slug, request.query);
      const isListed = rows.some(({ kind, id }) => kind === requested?.kind && id === requested.id);
      return renderPage(request, reply, {
        title: `Not relevant for ${name}`,
        here: '/digests',
        above: <a href={`/topics/${slug}`}>{name}</a>,
        lead: 'Lists, rules, digests and feeds of this topic leave these out, and what says the same, now and later. Charts, exports and SQL keep them.',
        body: (
          <>
            {requested === null || isListed ? null : (
              <Asked dismissal={requested} text={await readText(requested)} topic={name} />
            )}
            <Dismissed rows={rows} slug={slug} />
          </>
        ),
      });
    },
  );

  for (const [path, write, code] of [
    ['dismiss', dismiss, 'dismissed'],
    ['restore', restore, 'restored'],
  ] as const)
    app.post(
      `/topics/:slug/${path}`,
      { schema: { ...schema, body: formBody }, config: { scope } },
      async (request, reply) => {
        const { slug } = request.params;
        const { back = '', ...which } = decodeInput(change, request.body);
        const target = findItem(slug, which);
        const isChanged = target !== null && (await write(request.acting, target));
        return redirectWithFlash(
          reply,
          readOwnAddress(back) ?? `/topics/${slug}/dismissed`,
          isChanged ? code : 'unchanged',
        );
      },
    );

  async function readText({ kind, id }: Dismissal): Promise<string> {
    if (kind === 'link') {
      const { title, url } = await findById('link', id, readLink(ctx.db, id));
      return title ?? url;
    }
    return (await findById('post', id, readPost(ctx.db, id))).text;
  }
}

function findItem(topic: string, { post, link }: z.infer<typeof item>): Dismissal | null {
  if (post !== undefined) return { topic, kind: 'post', id: post };
  return link === undefined ? null : { topic, kind: 'link', id: link };
}

function Asked({ dismissal, text, topic }: { dismissal: Dismissal; text: string; topic: string }) {
  const { kind, id } = dismissal;
  return (
    <section>
      <p class="dismissing">
        <a href={`/${kind}s/${id}`}>
          <UntrustedText text={text} most={MAX_SHOWN} />
        </a>
      </p>
      <div class="buttons">
        <ActionButton
          action={`/topics/${dismissal.topic}/dismiss`}
          words={`Not relevant for ${topic}`}
          kind="main"
          fields={{ [kind]: String(id) }}
        />
        <a href={`/topics/${dismissal.topic}`}>Cancel</a>
      </div>
    </section>
  );
}

function Dismissed({ rows, slug }: { rows: readonly DismissalRow[]; slug: string }) {
  return (
    <Section title="Dismissed">
      <Table
        caption="Posts and links that are not relevant, newest first"
        empty="None."
        rows={rows}
        columns={[
          {
            head: 'Post or link',
            cell: ({ kind, id, text, url }) => (
              <a href={`/${kind}s/${id}`}>
                <UntrustedText text={text ?? url ?? `${kind} ${id}`} most={MAX_SHOWN} />
              </a>
            ),
          },
          {
            head: 'Story',
            wide: true,
            cell: ({ story_id }) => (story_id === null ? '' : <a href={`/stories/${story_id}`}>Story</a>),
          },
          { head: 'Since', cell: ({ at }) => <Timestamp at={at} /> },
          {
            head: 'By',
            wide: true,
            cell: ({ by }) => <UntrustedText text={by ?? 'not recorded'} most={60} />,
          },
          {
            head: <span class="unseen">Change</span>,
            cell: ({ kind, id }) => (
              <ActionButton
                action={`/topics/${slug}/restore`}
                words="Undo"
                kind="quiet"
                fields={{ [kind]: String(id) }}
              />
            ),
          },
        ]}
      />
    </Section>
  );
}
