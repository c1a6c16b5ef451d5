/** The names that a topic looks for in answers: add, replace and remove them, and in what share of answers each is. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../model/answer-names.ts';
import { InvalidInput } from '../../model/errors.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { removeName, setName } from '../../monitor/names/manage-names.ts';
import { findTopicRow } from '../../monitor/topics/find-by-slug.ts';
import { isReadingAgain } from '../../store/queries/names-in-answers.ts';
import { listTopicNames, type TopicNameRow } from '../../store/topics/topic-names.ts';
import { Table } from '../components/data-table.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, Form } from '../components/form.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { ScopeLinks, Section } from '../components/section.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import {
  formBody,
  type FormOutcome,
  isChecked,
  readField,
  slugParams,
  toFormOutcome,
} from '../request-input.ts';
import { MAX_SHOWN_NAME, NameCharts, readNamesOverTime } from './names-section.tsx';

const SCOPE = 'write';
const MAX_FIELD = 1_000;
const namedBody = z.object({ name: z.string().max(MAX_FIELD) });

export function addNamesPage(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };

  app.get('/topics/:slug/names', { schema, config: { scope: 'read' } }, async (request, reply) =>
    show(request, reply, request.params.slug),
  );

  app.post(
    '/topics/:slug/names',
    { schema: { ...schema, body: formBody }, config: { scope: SCOPE } },
    async (request, reply) => {
      const { slug } = request.params;
      const { body } = request;
      const name = {
        name: readField(body, 'name') ?? '',
        side: isChecked(body, 'rival') ? ('rival' as const) : ('own' as const),
        aliases: splitLines(readField(body, 'aliases')),
        domains: splitLines(readField(body, 'domains')),
      };
      try {
        await setName(request.acting, slug, name);
      } catch (error) {
        return show(request, reply, slug, toFormOutcome(toFields(error), body, 'name'));
      }
      return redirectWithFlash(reply, `/topics/${slug}/names`, 'saved');
    },
  );

  app.post(
    '/topics/:slug/names/remove',
    { schema: { ...schema, body: namedBody }, config: { scope: SCOPE } },
    async (request, reply) => {
      const { slug } = request.params;
      await removeName(request.acting, slug, request.body.name);
      return redirectWithFlash(reply, `/topics/${slug}/names`, 'saved');
    },
  );

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    named: string,
    { values, problems = [], status = 200 }: FormOutcome = {},
  ): Promise<FastifyReply> {
    const topic = await findTopicRow(ctx.db, named);
    const { slug } = topic;
    const names = await listTopicNames(ctx.db.pool, topic.id);
    const reading = await isReadingAgain(ctx.db, slug);
    const shown = await readNamesOverTime(ctx.db, slug, request.frame.now);
    return renderPage(request, reply, {
      status,
      title: `Names in answers about ${topic.name}`,
      here: '',
      charts: true,
      above: <ScopeLinks scope={{ topic: slug }} />,
      lead: 'In what share of the answers of AI searches each name is: named in the text, or cited by a link to one of its domains.',
      body: (
        <>
          {reading ? (
            <p class="advice">Names changed: earlier answers are being read, the newest first.</p>
          ) : null}
          {names.length === 0 ? null : <NameCharts shown={shown} />}
          <Section
            title="Names"
            id="listed"
            note="Found as whole words, in any case, with or without accents. Where two names overlap, the longer name counts."
          >
            <Table
              empty="None yet."
              caption="Names of this topic"
              rows={names}
              columns={[
                { head: 'Name', cell: ({ name }) => <UntrustedText text={name} most={MAX_SHOWN_NAME} /> },
                { head: 'Whose', cell: ({ side }) => side },
                {
                  head: 'Also written',
                  wide: true,
                  cell: ({ aliases }) => <FurtherForms forms={aliases} />,
                },
                {
                  head: 'Domains',
                  wide: true,
                  cell: ({ domains }) => <FurtherForms forms={domains} />,
                },
                { head: 'Actions', cell: (row) => <RemoveButton slug={slug} row={row} /> },
              ]}
            />
            {topic.archived_at === null ? (
              <IfAllowed scope={SCOPE}>
                <Form
                  action={`/topics/${slug}/names`}
                  class="form long"
                  values={values}
                  problems={problems}
                  label="Add or replace a name"
                  labels={{ name: 'Name', aliases: 'Also written', domains: 'Domains' }}
                >
                  <Field
                    name="name"
                    label="Name"
                    placeholder="Harbour Line"
                    help={`As answers write it, at most ${MAX_NAME_LENGTH} characters. A name that is listed already is replaced.`}
                  />
                  <Field
                    name="aliases"
                    label="Also written"
                    kind="textarea"
                    rows={2}
                    help="Further forms that count as the name, on a line each or separated by commas."
                  />
                  <Field
                    name="domains"
                    label="Domains"
                    kind="textarea"
                    rows={2}
                    placeholder="harbourline.example"
                    help="A link to one of these domains, or to a subdomain, counts as citing it."
                  />
                  <Field name="rival" label="The name of a rival" kind="checkbox" />
                  <div class="buttons">
                    <Button words="Save" kind="main" />
                  </div>
                </Form>
              </IfAllowed>
            ) : null}
          </Section>
        </>
      ),
    });
  }
}

function FurtherForms({ forms }: { forms: readonly string[] }) {
  return forms.length === 0 ? 'none' : <UntrustedText text={forms.join(', ')} most={2 * MAX_SHOWN_NAME} />;
}

const splitLines = (text = ''): string[] =>
  text
    .split(/[\n,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** A problem of one form or domain is a problem of its field. */
function toFields(error: unknown): unknown {
  if (!(error instanceof InvalidInput)) return error;
  return new InvalidInput(
    error.problems.map((problem) => ({ ...problem, path: problem.path.replace(/\[\d+\]$/, '') })),
  );
}

function RemoveButton({ slug, row }: { slug: string; row: TopicNameRow }) {
  return (
    <IfAllowed scope={SCOPE}>
      <ActionButton action={`/topics/${slug}/names/remove`} fields={{ name: row.name }} words="Remove" />
    </IfAllowed>
  );
}
