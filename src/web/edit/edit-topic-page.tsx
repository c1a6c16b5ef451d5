/** Edit a topic: its name, the language of its readers, and actions on all its searches. */
import { SearchLink, TopicLink } from '../components/scope-names.tsx';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readSearchStatuses, type SearchStatus } from '../../monitor/status/search-status.ts';
import { assertTopicNotRemoved } from '../../monitor/topics/find-by-slug.ts';
import { renameTopic } from '../../monitor/topics/save-topic.ts';
import { describeMissingTranslator, setLanguage } from '../../monitor/topics/topic-language.ts';
import { readSearches, type SearchRow } from '../../store/queries/search-list.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { type FormOutcome, formBody, readField, slugParams, toFormOutcome } from '../request-input.ts';
import { assertNotEdited, OpenedField } from './opened-field.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, Form } from '../components/form.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { Section } from '../components/section.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { SearchStatusCell } from '../components/status-line.tsx';
import { Table } from '../components/data-table.tsx';
import { PurgeLink } from '../topic/purge-pages.tsx';

const MAX_SEARCHES = 1_000;

export function addTopicEditPages(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };

  app.get('/topics/:slug/edit', { schema, config: { scope: 'write' } }, async (request, reply) =>
    show(request, reply, request.params.slug),
  );

  app.post(
    '/topics/:slug/rename',
    { schema: { ...schema, body: formBody }, config: { scope: 'write' } },
    async (request, reply) => {
      const { slug } = request.params;
      try {
        const topic = await assertTopicNotRemoved(ctx.db, slug);
        assertNotEdited(request.body, describeNames(topic));
        const names = { name: readField(request.body, 'name') ?? '', slug: readField(request.body, 'slug') };
        const renamed = await renameTopic(request.acting, slug, names);
        return redirectWithFlash(reply, `/topics/${renamed}`, 'renamed');
      } catch (error) {
        return show(request, reply, slug, toFormOutcome(error, request.body));
      }
    },
  );

  app.post(
    '/topics/:slug/language',
    { schema: { ...schema, body: formBody }, config: { scope: 'write' } },
    async (request, reply) => {
      const { slug } = request.params;
      try {
        const { topic } = await setLanguage(
          request.acting,
          slug,
          readField(request.body, 'language') ?? null,
        );
        return redirectWithFlash(reply, `/topics/${topic}/edit`, 'saved');
      } catch (error) {
        return show(request, reply, slug, toFormOutcome(error, request.body));
      }
    },
  );

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    named: string,
    { values, problems = [], status = 200 }: FormOutcome = {},
  ): Promise<FastifyReply> {
    const topic = await assertTopicNotRemoved(ctx.db, named);
    const { slug } = topic;
    const searches = await readSearches(ctx.db, {
      topic: slug,
      limit: MAX_SEARCHES,
    });
    const ids = searches.map(({ id }) => id);
    const statuses = await readSearchStatuses(ctx, ids);
    return renderPage(request, reply, {
      title: `Edit ${topic.name}`,
      here: '',
      above: <TopicLink slug={slug} />,
      status,
      body: (
        <>
          <Form
            action={`/topics/${slug}/rename`}
            class="form long"
            values={values}
            problems={problems}
            label="Rename the topic"
            labels={{ name: 'Name', slug: 'Short name' }}
          >
            <OpenedField edited={describeNames(topic)} values={values} problems={problems} />
            <Field name="name" label="Name" value={topic.name} />
            <Field
              name="slug"
              label="Short name"
              value={slug}
              autocomplete="off"
              help="In addresses. The former one continues to work. Those of its searches stay."
            />
            <div class="buttons">
              <Button words="Rename" kind="main" />
            </div>
          </Form>
          <Section title="Translation" id="translation">
            <Form
              action={`/topics/${slug}/language`}
              values={values}
              problems={problems}
              label="Language of its readers"
              labels={{ language: 'Translate into' }}
            >
              <Field
                name="language"
                label="Translate into"
                value={topic.language ?? ''}
                placeholder="en"
                autocomplete="off"
                help={describeLanguageField(ctx)}
              />
              <div class="buttons">
                <Button words="Save" />
              </div>
            </Form>
          </Section>
          <SearchTable topic={slug} searches={searches} statuses={statuses} />
          <WholeTopic topic={slug} searches={searches} />
        </>
      ),
    });
  }
}

/** Help of the field, which says what is missing. */
function describeLanguageField(ctx: Pick<RouteContext['ctx'], 'translator' | 'kind'>): string {
  if (describeMissingTranslator(ctx) === undefined)
    return 'Language tag, such as en, de or zh-Hant: titles, posts and statements in other languages get a translation beside them. Empty: none.';
  return ctx.kind === 'sandbox'
    ? 'Simulated texts are not sent to a language model.'
    : 'Needs a language model: set LLM_BASE_URL and LLM_MODEL, and restart.';
}

/** `"Tide news" as tides` */
function describeNames({ name, slug }: TopicRow): string {
  return `${JSON.stringify(name)} as ${slug}`;
}

function SearchTable({
  topic,
  searches,
  statuses,
}: {
  topic: string;
  searches: readonly SearchRow[];
  statuses: readonly SearchStatus[];
}) {
  const add = { words: 'Add a search', href: `/new?topic=${topic}` };
  return (
    <Section title="Searches" aside={searches.length === 0 ? undefined : <a href={add.href}>{add.words}</a>}>
      <Table
        empty="This topic has no searches."
        todo={add}
        caption="Searches of this topic"
        rows={searches}
        columns={[
          { head: 'Search', cell: ({ slug }) => <SearchLink slug={slug} within="topic" /> },
          {
            head: 'Status',
            cell: ({ id }) => (
              <SearchStatusCell status={statuses.find(({ search_id }) => search_id === id)} />
            ),
          },
          { head: 'Prompt', cell: ({ prompt }) => <UntrustedText text={prompt} most={80} />, wide: true },
          {
            head: <span class="unseen">Change</span>,
            cell: ({ slug, state }) => (
              <span class="buttons">
                <a href={`/searches/${slug}/edit`}>Edit</a>
                {state === 'active' ? (
                  <ActionButton action={`/searches/${slug}/pause`} words="Pause" kind="quiet" />
                ) : (
                  <ActionButton action={`/searches/${slug}/resume`} words="Resume" kind="quiet" />
                )}
                <ActionButton action={`/searches/${slug}/run`} words="Run now" kind="quiet" />
                <a href={`/searches/${slug}/remove`}>Remove</a>
                <PurgeLink target={{ kind: 'search', slug }} />
              </span>
            ),
          },
        ]}
      />
    </Section>
  );
}

function WholeTopic({ topic, searches }: { topic: string; searches: readonly SearchRow[] }) {
  return (
    <Section title="All searches">
      <div class="buttons">
        {searches.some(({ state }) => state !== 'paused') ? (
          <ActionButton action={`/topics/${topic}/pause`} words="Pause all" icon="pause" />
        ) : null}
        {searches.some(({ state }) => state !== 'active') ? (
          <ActionButton action={`/topics/${topic}/resume`} words="Resume all" icon="play" />
        ) : null}
        <ActionButton action={`/topics/${topic}/run`} words="Run all now" icon="run" />
        <a href={`/topics/${topic}/remove`}>Remove the topic</a>
        <PurgeLink target={{ kind: 'topic', slug: topic }} />
      </div>
    </Section>
  );
}
