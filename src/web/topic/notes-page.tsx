/** The notes of a topic: what people know about a time, such as the start of a campaign. The chart of the topic shows them. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MINUTE } from '../../lib/time.ts';
import { InvalidInput } from '../../model/errors.ts';
import { idKey } from '../../model/value-shapes.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { addNote, editNote, removeNote } from '../../monitor/notes/manage-notes.ts';
import { findTopicRow } from '../../monitor/topics/find-by-slug.ts';
import { listTopicNotes, MAX_NOTE_LENGTH, type TopicNoteRow } from '../../store/topics/topic-notes.ts';
import { Table } from '../components/data-table.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, Form } from '../components/form.tsx';
import { IfAllowed, useFrame } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { ScopeLinks, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { formatLocalTime, parseLocalTime } from '../lists/list-range.ts';
import {
  formBody,
  type FormOutcome,
  readField,
  readKey,
  slugParams,
  toFormOutcome,
} from '../request-input.ts';

const SCOPE = 'write';
/** `at`: the time of a new note. `edit`: the note that is edited. */
const notesQuery = z.object({ at: z.string().max(40).optional(), edit: idKey.optional() });

export function addNotesPage(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };
  const changing = { schema: { ...schema, body: formBody }, config: { scope: SCOPE } } as const;

  app.get(
    '/topics/:slug/notes',
    { schema: { ...schema, querystring: notesQuery }, config: { scope: 'read' } },
    async (request, reply) => show(request, reply, request.params.slug, request.query),
  );

  app.post('/topics/:slug/notes', changing, async (request, reply) => {
    const { slug } = request.params;
    const { body, acting, frame } = request;
    const edit = readKey(readField(body, 'edit') ?? '');
    try {
      const note = { text: readField(body, 'text') ?? '', at: readTime(readField(body, 'at'), frame.zone) };
      await (edit === undefined ? addNote(acting, slug, note) : editNote(acting, edit, note));
    } catch (error) {
      return show(request, reply, slug, { edit }, toFormOutcome(error, body, 'text'));
    }
    return redirectWithFlash(reply, `/topics/${slug}/notes`, 'saved');
  });

  app.post('/topics/:slug/notes/remove', changing, async (request, reply) => {
    const id = readKey(readField(request.body, 'note') ?? '');
    if (id !== undefined) await removeNote(request.acting, id);
    return redirectWithFlash(
      reply,
      `/topics/${request.params.slug}/notes`,
      id === undefined ? 'unchanged' : 'note_removed',
    );
  });

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    named: string,
    { at, edit }: z.output<typeof notesQuery>,
    { values, problems = [], status = 200 }: FormOutcome = {},
  ): Promise<FastifyReply> {
    const topic = await findTopicRow(ctx.db, named);
    const { slug } = topic;
    const notes = await listTopicNotes(ctx.db, topic.id);
    const edited = notes.find(({ id }) => id === edit);
    return renderPage(request, reply, {
      status,
      title: `Notes of ${topic.name}`,
      here: '',
      above: <ScopeLinks scope={{ topic: slug }} />,
      lead: 'What you know about a time. The chart of the topic shows it there.',
      body: (
        <div class="columns">
          {topic.archived_at === null ? (
            <IfAllowed scope={SCOPE}>
              <NoteForm
                slug={slug}
                at={edited?.at ?? readGiven(at) ?? toMinute(request.frame.now)}
                edited={edited}
                outcome={{ problems, ...(values === undefined ? {} : { values }) }}
              />
            </IfAllowed>
          ) : null}
          <Notes slug={slug} notes={notes.toReversed()} />
        </div>
      ),
    });
  }
}

/** Of the address: a time with its zone. */
function readGiven(text: string | undefined): Date | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at);
}

const toMinute = (at: Date) => new Date(Math.floor(at.getTime() / MINUTE) * MINUTE);

/** @throws InvalidInput */
function readTime(text: string | undefined, zone: string): Date {
  const at = text === undefined ? undefined : parseLocalTime(text, zone);
  if (at !== undefined) return at;
  throw new InvalidInput([{ path: 'at', given: text, expected: 'a date and time' }]);
}

function NoteForm({
  slug,
  at,
  edited,
  outcome: { values, problems },
}: {
  slug: string;
  at: Date;
  edited: TopicNoteRow | undefined;
  outcome: FormOutcome;
}) {
  const { zone } = useFrame();
  return (
    <Form
      action={`/topics/${slug}/notes`}
      values={values}
      problems={problems}
      label={edited === undefined ? 'Add a note' : 'Edit the note'}
      labels={{ at: 'Time', text: 'Note' }}
    >
      {edited === undefined ? null : <input type="hidden" name="edit" value={String(edited.id)} />}
      <Field name="at" label="Time" kind="datetime-local" value={formatLocalTime(at, zone)} />
      <Field
        name="text"
        label="Note"
        value={edited?.text}
        placeholder="Campaign started"
        help={`At most ${MAX_NOTE_LENGTH} characters.`}
      />
      <div class="buttons">
        <Button words={edited === undefined ? 'Add' : 'Save'} kind="main" />
        {edited === undefined ? null : <a href={`/topics/${slug}/notes`}>Cancel</a>}
      </div>
    </Form>
  );
}

function Notes({ slug, notes }: { slug: string; notes: readonly TopicNoteRow[] }) {
  return (
    <Section title="Notes" id="notes">
      <Table
        empty="None yet."
        caption="Notes, newest time first"
        rows={notes}
        columns={[
          { head: 'Time', cell: ({ at }) => <Timestamp at={at} exact /> },
          { head: 'Note', cell: ({ text }) => <UntrustedText text={text} most={2 * MAX_NOTE_LENGTH} /> },
          { head: 'By', wide: true, cell: ({ added_by }) => <UntrustedText text={added_by} most={60} /> },
          {
            head: <span class="unseen">Actions</span>,
            cell: ({ id }) => (
              <IfAllowed scope={SCOPE}>
                <a href={`/topics/${slug}/notes?edit=${id}`}>Edit</a>{' '}
                <ActionButton
                  action={`/topics/${slug}/notes/remove`}
                  words="Remove"
                  kind="quiet"
                  fields={{ note: String(id) }}
                />
              </IfAllowed>
            ),
          },
        ]}
      />
    </Section>
  );
}
