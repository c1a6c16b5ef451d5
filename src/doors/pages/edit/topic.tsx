/** A topic as it is, to be changed: its name, and what is done to all its searches. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput, type Problem } from '../../../errors.ts';
import { assertTopicKept, findTopicRow } from '../../../monitor/topic/find.ts';
import { renameTopic } from '../../../monitor/topic/rename.ts';
import { readSearches, type SearchRow } from '../../../store/reads/searches.ts';
import type { App, WebHome } from '../../routes.ts';
import { formBody, one, slugParams } from '../actions/given.ts';
import { Badge } from '../kit/badge.tsx';
import { goOn } from '../kit/done.tsx';
import { Act, Button, Field, Form, type Given } from '../kit/form.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Table } from '../kit/table.tsx';

const ALL = 1_000;

export function topicEditPages(app: App, { ctx }: WebHome): void {
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
        await renameTopic(request.acting, slug, one(request.body, 'name') ?? '');
        return goOn(reply, `/topics/${slug}`, 'renamed');
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        return show(request, reply, slug, { given: request.body, problems: error.problems });
      }
    },
  );

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    slug: string,
    { given, problems = [] }: { given?: Given; problems?: readonly Problem[] } = {},
  ): Promise<FastifyReply> {
    await assertTopicKept(ctx.db, slug);
    const [topic, searches] = await Promise.all([
      findTopicRow(ctx.db, slug),
      readSearches(ctx.db, { topic: slug, limit: ALL }),
    ]);
    return showPage(request, reply, {
      title: `Edit ${topic.name}`,
      here: '',
      above: <a href={`/topics/${slug}`}>{slug}</a>,
      status: problems.length === 0 ? 200 : 400,
      body: (
        <>
          <Form action={`/topics/${slug}/rename`} given={given} problems={problems} label="Rename the topic">
            <Field
              name="name"
              label="Name"
              value={topic.name}
              help="Its short name and its addresses stay."
            />
            <div class="buttons">
              <Button words="Rename" kind="main" />
            </div>
          </Form>
          <Searches topic={slug} searches={searches} />
          <All topic={slug} searches={searches} />
        </>
      ),
    });
  }
}

function Searches({ topic, searches }: { topic: string; searches: readonly SearchRow[] }) {
  const add = { words: 'Add a search', href: `/new?topic=${topic}` };
  if (searches.length === 0)
    return (
      <Section title="Searches">
        <Empty words="This topic has no search." todo={add} />
      </Section>
    );
  return (
    <Section title="Searches" aside={<a href={add.href}>{add.words}</a>}>
      <Table
        caption="Searches of this topic"
        rows={searches}
        columns={[
          { head: 'Search', cell: ({ slug }) => <a href={`/searches/${slug}`}>{slug}</a> },
          { head: 'State', cell: ({ state, state_reason: why }) => <Badge state={state} why={why} /> },
          { head: 'Asks', cell: ({ prompt }) => <Outside text={prompt} most={80} />, wide: true },
          {
            head: <span class="unseen">Change</span>,
            cell: ({ slug, state }) => (
              <span class="buttons">
                <a href={`/searches/${slug}/edit`}>Edit</a>
                {state === 'active' ? (
                  <Act action={`/searches/${slug}/pause`} words="Pause" kind="quiet" />
                ) : (
                  <Act action={`/searches/${slug}/resume`} words="Resume" kind="quiet" />
                )}
                <Act action={`/searches/${slug}/run`} words="Run now" kind="quiet" />
                <a href={`/searches/${slug}/remove`}>Remove</a>
              </span>
            ),
          },
        ]}
      />
    </Section>
  );
}

function All({ topic, searches }: { topic: string; searches: readonly SearchRow[] }) {
  return (
    <Section title="The whole topic">
      <div class="buttons">
        {searches.some(({ state }) => state !== 'paused') ? (
          <Act action={`/topics/${topic}/pause`} words="Pause all" icon="pause" />
        ) : null}
        {searches.some(({ state }) => state !== 'active') ? (
          <Act action={`/topics/${topic}/resume`} words="Resume all" icon="play" />
        ) : null}
        <Act action={`/topics/${topic}/run`} words="Run all now" icon="run" />
        <a href={`/topics/${topic}/remove`}>Remove the topic</a>
      </div>
    </Section>
  );
}
