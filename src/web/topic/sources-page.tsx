/** Sources of a topic: add, test, switch and remove its own; switch off those of the service; what a key would add. */

import { TopicLink } from '../components/scope-names.tsx';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { InvalidInput } from '../../model/errors.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { listSources, type TopicSource } from '../../monitor/sources/list-sources.ts';
import {
  type AddedSources,
  addSource,
  importSources,
  removeSource,
  switchSource,
  testSource,
} from '../../monitor/sources/manage-sources.ts';
import { assertTopicNotRemoved } from '../../monitor/topics/find-by-slug.ts';
import { Table } from '../components/data-table.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, Form } from '../components/form.tsx';
import { Count, formatCount } from '../components/numbers.tsx';
import { IfAllowed, useFrame } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import {
  formBody,
  type FormOutcome,
  isChecked,
  readField,
  slugParams,
  toFormOutcome,
} from '../request-input.ts';

const SCOPE = 'write';
const MAX_SHOWN = 20;
const namedSource = z.object({ source: z.string().max(40), to: z.enum(['on', 'off']).optional() });

/** What was just done, in sentences. */
type Said = { words: readonly string[] };

export function addSourcesPage(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };
  const formSchema = { ...schema, body: formBody };

  app.get('/topics/:slug/sources', { schema, config: { scope: 'read' } }, async (request, reply) =>
    show(request, reply, request.params.slug),
  );

  app.post(
    '/topics/:slug/sources',
    { schema: formSchema, config: { scope: SCOPE } },
    async (request, reply) => {
      const { slug } = request.params;
      const address = readField(request.body, 'address') ?? '';
      const all = isChecked(request.body, 'all');
      try {
        const added = /[\n<]/.test(address)
          ? await importSources(request.acting, slug, { opml: address, all })
          : await addSource(request.acting, slug, { address, all });
        return await show(request, reply, slug, { words: describeAdded(added) });
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        const moved = new InvalidInput(error.problems.map((problem) => ({ ...problem, path: 'address' })));
        return show(request, reply, slug, undefined, toFormOutcome(moved, request.body));
      }
    },
  );

  const actSchema = { ...schema, body: namedSource };
  app.post(
    '/topics/:slug/sources/test',
    { schema: actSchema, config: { scope: SCOPE } },
    async (request, reply) => {
      const { slug } = request.params;
      const { says } = await testSource(request.acting, slug, request.body.source);
      return show(request, reply, slug, { words: [`Source ${request.body.source}: ${says}`] });
    },
  );

  app.post(
    '/topics/:slug/sources/switch',
    { schema: actSchema, config: { scope: SCOPE } },
    async (request, reply) => {
      const { slug } = request.params;
      const { source, to } = request.body;
      await switchSource(request.acting, slug, source, to !== 'off');
      return redirectWithFlash(reply, `/topics/${slug}/sources`, 'saved');
    },
  );

  app.post(
    '/topics/:slug/sources/remove',
    { schema: actSchema, config: { scope: SCOPE } },
    async (request, reply) => {
      const { slug } = request.params;
      await removeSource(request.acting, slug, request.body.source);
      return redirectWithFlash(reply, `/topics/${slug}/sources`, 'removed');
    },
  );

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    named: string,
    said?: Said,
    { values, problems = [], status = 200 }: FormOutcome = {},
  ): Promise<FastifyReply> {
    const topic = await assertTopicNotRemoved(ctx.db, named);
    const { slug } = topic;
    const { sources, notes } = await listSources(ctx, slug);
    const own = sources.filter(({ kind }) => kind !== 'service');
    const service = sources.filter(({ kind }) => kind === 'service');
    return renderPage(request, reply, {
      status,
      title: `Sources of ${topic.name}`,
      here: '',
      above: <TopicLink slug={slug} />,
      lead: 'AI searches of this topic read these sources in addition to the sources of the service, from their next run on. A hosted service is never sent their addresses.',
      body: (
        <>
          {said === undefined ? null : (
            <div class="done" role="status">
              {said.words.slice(0, MAX_SHOWN).map((words) => (
                <p>
                  <UntrustedText text={words} most={600} />
                </p>
              ))}
              {said.words.length > MAX_SHOWN ? <p>And {said.words.length - MAX_SHOWN} more.</p> : null}
            </div>
          )}
          {notes.map((note) => (
            <p class="advice">{note}</p>
          ))}
          <div class="columns">
            <Section title="Its own" id="own">
              <Table
                empty="None yet."
                caption="Sources of this topic"
                rows={own}
                columns={[
                  { head: 'Source', cell: (row) => <SourceName row={row} /> },
                  {
                    head: 'Entries',
                    number: true,
                    wide: true,
                    cell: ({ entries }) => (entries === null ? '' : <Count of={entries} />),
                  },
                  { head: 'Newest', cell: ({ newest_at }) => <Time at={newest_at} /> },
                  { head: 'Last read', wide: true, cell: ({ read_at }) => <Time at={read_at} /> },
                  { head: 'State', cell: (row) => <SourceState row={row} /> },
                  { head: '', cell: (row) => <SourceActions slug={slug} row={row} /> },
                ]}
              />
              <IfAllowed scope={SCOPE}>
                <Form
                  action={`/topics/${slug}/sources`}
                  values={said === undefined ? values : {}}
                  problems={problems}
                  label="Add a source"
                  labels={{ address: 'Address' }}
                >
                  <Field
                    name="address"
                    label="Address"
                    kind="textarea"
                    rows={2}
                    placeholder="https://news.example"
                    help="A feed, a site, a page, or a search feed with {query} in place of the search words. To add several, paste OPML, or one address per line."
                  />
                  <Field
                    name="all"
                    label="All its items, not only those with the words of a search"
                    kind="checkbox"
                  />
                  <div class="buttons">
                    <Button words="Add" kind="main" />
                  </div>
                </Form>
              </IfAllowed>
            </Section>
            <Section title="Of the service" id="service" note={describeService(service)}>
              <Table
                empty="The own service has no sources here."
                caption="Sources of the service"
                rows={service}
                columns={[
                  { head: 'Source', cell: ({ title, id }) => <UntrustedText text={title || id} most={90} /> },
                  { head: 'Tool', wide: true, cell: ({ address }) => address },
                  { head: 'State', cell: (row) => <SourceState row={row} /> },
                  { head: '', cell: (row) => <SourceActions slug={slug} row={row} /> },
                ]}
              />
            </Section>
          </div>
        </>
      ),
    });
  }
}

function describeAdded({ added, present, refused, notes }: AddedSources): string[] {
  const counts = [
    [added.length, 'added'],
    [present.length, 'already there'],
    [refused.length, 'refused'],
  ] as const;
  return [
    `${counts
      .filter(([count]) => count > 0)
      .map(([count, words]) => `${count} ${words}`)
      .join(', ')}.`,
    ...notes,
    ...refused.map(({ address, reason }) => `Refused: ${address}: ${reason}`),
  ];
}

/** `12 on; 3 need a key.` */
function describeService(rows: readonly TopicSource[]): string {
  const needy = rows.filter(({ needs }) => needs !== null).length;
  const on = rows.filter((row) => row.on).length;
  return `${on} on${needy === 0 ? '' : `; ${formatCount(needy, 'needs', 'need')} a variable to be set`}.`;
}

const KINDS = {
  feed: 'feed',
  site: 'site with a feed',
  page: 'watched page',
  search: 'search',
  service: '',
} as const satisfies Record<TopicSource['kind'], string>;

function SourceName({ row: { id, kind, title, address, all } }: { row: TopicSource }) {
  return (
    <>
      <UntrustedText text={title === '' ? address : title} most={90} />
      <div class="hint">
        {id}, {KINDS[kind]}
        {all ? ', all items' : ''}: <UntrustedText text={address} most={120} />
      </div>
    </>
  );
}

function Time({ at }: { at: Date | null }) {
  return at === null ? <span class="hint">unknown</span> : <Timestamp at={at} />;
}

function SourceState({ row: { on, problem, needs, failed_at } }: { row: TopicSource }) {
  if (needs !== null) return <>off: set {needs}</>;
  return (
    <>
      {on ? 'on' : 'off'}
      {problem === null ? null : (
        <div class="hint">
          <UntrustedText text={problem} most={200} />
          {failed_at === null ? null : (
            <>
              {' '}
              (<Timestamp at={failed_at} />)
            </>
          )}
        </div>
      )}
    </>
  );
}

function SourceActions({ slug, row: { id, kind, on, needs } }: { slug: string; row: TopicSource }) {
  const { visitor } = useFrame();
  if (!hasScopes(visitor, SCOPE) || needs !== null) return null;
  const at = `/topics/${slug}/sources`;
  return (
    <span class="buttons">
      {kind === 'service' ? null : (
        <ActionButton action={`${at}/test`} words="Test" fields={{ source: id }} />
      )}
      <ActionButton
        action={`${at}/switch`}
        words={on ? 'Switch off' : 'Switch on'}
        fields={{ source: id, to: on ? 'off' : 'on' }}
      />
      {kind === 'service' ? null : (
        <ActionButton action={`${at}/remove`} words="Remove" fields={{ source: id }} />
      )}
    </span>
  );
}
