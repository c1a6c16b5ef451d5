/** Feeds: list, create, revoke. */
import { SearchLink, TopicLink } from '../components/scope-names.tsx';
import type { Problem } from '../../model/errors.ts';
import { cleanLine } from '../../lib/text.ts';
import { writeFeedPath, writeOpenFeedPath } from '../../monitor/feeds/feed-address.ts';
import { createFeed, describeFeed, revokeFeed } from '../../monitor/feeds/manage-feeds.ts';
import { idKey } from '../../model/value-shapes.ts';
import { readPublicBase } from '../../monitor/http/public-address.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { type FeedRow, readFeeds } from '../../store/access/feeds.ts';
import { Table } from '../components/data-table.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, Form, type FormValues, TopicFilter } from '../components/form.tsx';
import { Badge } from '../components/icons.tsx';
import { IfAllowed, useFrame } from '../components/page-frame.tsx';
import { preventCaching, renderPage } from '../components/page-layout.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { emptyField, formBody, readField, toFormOutcome } from '../request-input.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

const MAX_FEEDS = 200;

/** What the page of a topic, a search or a query proposes. */
const proposal = z.object({
  topic: emptyField.or(z.string().max(63)).optional(),
  search: emptyField.or(z.string().max(63)).optional(),
  query: z.string().optional(),
});
const params = z.object({ id: idKey });

export function addFeedPages(app: App, home: RouteContext): void {
  const { ctx } = home;
  app.get(
    '/alerts/feeds',
    { schema: { querystring: proposal }, config: { scope: 'read' } },
    async (request, reply) => show(request, reply, request.query),
  );

  app.post(
    '/alerts/feeds',
    { schema: { body: formBody }, config: { scope: 'admin' }, onSend: preventCaching },
    async (request, reply) => {
      const values = request.body;
      try {
        const { feed, key } = await createFeed(request.acting, parseForm(values));
        return renderAddress(request, reply, feed, `${readPublicBase(request, home)}${writeFeedPath(key)}`);
      } catch (error) {
        const { problems, status } = toFormOutcome(error, values, undefined, {
          topic: 'topic',
          search: 'search',
        });
        return show(request, reply, values, { problems, status });
      }
    },
  );

  app.post(
    '/alerts/feeds/:id/revoke',
    { schema: { params }, config: { scope: 'admin' } },
    async (request, reply) => {
      await revokeFeed(request.acting, request.params.id);
      return redirectWithFlash(reply, '/alerts/feeds', 'feed_revoked');
    },
  );

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    values: FormValues,
    { problems = [], status = 200 }: { problems?: readonly Problem[]; status?: number } = {},
  ): Promise<FastifyReply> {
    const feeds = await readFeeds(ctx.db, { limit: MAX_FEEDS });
    const base = readPublicBase(request, home);
    return renderPage(request, reply, {
      title: 'Feeds',
      here: '/alerts/feeds',
      status,
      lead: 'Read what is new in a feed reader (Atom or RSS). Each feed has an address of its own, which needs no token and shows this feed only.',
      body: (
        <div class="columns">
          <IfAllowed
            scope="admin"
            otherwise={<p class="hint">Creating a feed needs a token with the scope admin.</p>}
          >
            <Section title="New feed">
              <NewFeedForm values={values} problems={problems} />
            </Section>
          </IfAllowed>
          <div>
            <OpenFeedSection values={values} base={base} />
            <Section title="Feeds">
              {feeds.length === 0 ? <EmptyState words="No feeds yet." /> : <FeedTable feeds={feeds} />}
            </Section>
          </div>
        </div>
      ),
    });
  }
}

function parseForm(values: FormValues): Parameters<typeof createFeed>[1] {
  const text = (name: string) => readField(values, name)?.toWellFormed();
  const name = text('name');
  return {
    name: name === undefined ? undefined : cleanLine(name),
    topic: text('topic'),
    search: text('search'),
    query: text('query'),
  };
}

function NewFeedForm({ values, problems }: { values: FormValues; problems: readonly Problem[] }) {
  const search = readField(values, 'search');
  return (
    <Form
      action="/alerts/feeds"
      values={values}
      problems={problems}
      label="New feed"
      labels={{ name: 'Name', topic: 'Topic', search: 'Search', query: 'Query' }}
    >
      {search === undefined ? (
        <TopicFilter chosen={readField(values, 'topic')} />
      ) : (
        <Field name="search" label="Search" value={search} help="Shows everything that this search finds." />
      )}
      <Field
        name="query"
        label="Query"
        placeholder='"night ferry" -cancelled lang:en'
        autocomplete="off"
        help="Only posts and links that match. Empty: all new posts, links and spikes."
      />
      <Field
        name="name"
        label="Name"
        autocomplete="off"
        help="Shown in the feed reader. Derived from topic and query if empty."
      />
      <div class="buttons">
        <Button words="Create feed" kind="main" />
      </div>
    </Form>
  );
}

/** While no token exists, a reader on this machine needs no key. */
function OpenFeedSection({ values, base }: { values: FormValues; base: string }) {
  const { visitor } = useFrame();
  if (visitor.kind !== 'local') return null;
  const [topic, search, query] = ['topic', 'search', 'query'].map((name) => readField(values, name));
  const path = writeOpenFeedPath(search === undefined ? { topic, query } : { search, query });
  return (
    <Section
      title="On this machine"
      note="Until you create the first token, feed readers on this machine can also read this address."
    >
      <p>
        <a href={path}>{`${base}${path}`}</a>
      </p>
    </Section>
  );
}

function FeedTable({ feeds }: { feeds: readonly FeedRow[] }) {
  return (
    <Table
      caption="Feeds, newest first"
      rows={feeds}
      columns={[
        { head: 'Name', cell: ({ name }) => <UntrustedText text={name} most={100} /> },
        { head: 'Shows', cell: (feed) => <FeedScope feed={feed} /> },
        { head: 'Key', cell: ({ prefix }) => <code>{prefix}</code>, wide: true },
        {
          head: 'State',
          cell: ({ revoked_at }) =>
            revoked_at === null ? (
              <Badge state="active" words="active" />
            ) : (
              <Badge state="removed" words="revoked" />
            ),
        },
        {
          head: 'Last read',
          cell: ({ last_read_at: at }) => <Timestamp at={at} never="never" />,
          wide: true,
        },
        {
          head: <span class="unseen">Change</span>,
          cell: ({ id, revoked_at }) =>
            revoked_at === null ? (
              <IfAllowed scope="admin">
                <ActionButton action={`/alerts/feeds/${id}/revoke`} words="Revoke" kind="quiet" />
              </IfAllowed>
            ) : null,
        },
      ]}
    />
  );
}

function FeedScope({ feed: { topic, search, query } }: { feed: FeedRow }) {
  return (
    <>
      {search !== null ? (
        <SearchLink slug={search} />
      ) : topic !== null ? (
        <TopicLink slug={topic} />
      ) : (
        'all topics'
      )}
      {query === '' ? null : (
        <>
          : <UntrustedText text={query} most={120} />
        </>
      )}
    </>
  );
}

function renderAddress(
  request: FastifyRequest,
  reply: FastifyReply,
  feed: FeedRow,
  url: string,
): FastifyReply {
  return renderPage(request, reply, {
    title: 'Feed created',
    here: '/alerts/feeds',
    above: <a href="/alerts/feeds">Feeds</a>,
    lead: <UntrustedText text={describeFeed(feed)} most={200} />,
    body: (
      <>
        <p>Address for a feed reader, shown once. Anyone who has it can read this feed:</p>
        <p class="secret">
          <code>{url}</code>
        </p>
        <p>
          This is Atom. For RSS, end the address with <code>.rss</code> instead of <code>.atom</code>.
        </p>
        <div class="buttons">
          <a href="/alerts/feeds">Back to feeds</a>
        </div>
      </>
    ),
  });
}
