/** Operations on notes: what people know about a time of a topic. */
import { z } from 'zod';
import { idParam, idShape, textParam, timeParam, timeShape, topicSlug } from '../../model/value-shapes.ts';
import { listTopicNotes, MAX_NOTE_LENGTH } from '../../store/topics/topic-notes.ts';
import { pastTimeWords } from '../common-inputs.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { findTopicRow } from '../topics/find-by-slug.ts';

// Reads do not need it.
const loadManagement = () => import('./manage-notes.ts');

const TopicNote = z
  .object({
    id: idShape,
    topic: z.string().describe('Slug.'),
    at: timeShape.describe('Time that the note is about (UTC).'),
    text: z.string(),
    added_at: timeShape,
    added_by: z.string().describe('An account, or the prefix of a token.'),
    edited_at: timeShape.nullable().describe('When time or text changed last. Null: never.'),
  })
  .meta({ id: 'TopicNote' });

const topic = topicSlug.clone().register(commandWords, { argument: 'topic', help: 'topic slug' });
const id = idParam
  .clone()
  .register(commandWords, { argument: 'note', help: 'note id; see: notes list TOPIC' });
/** Bounds the request: `manage-notes.ts` says what is wrong with a longer note. */
const MAX_WRITTEN = 2_000;
const text = textParam(MAX_WRITTEN)
  .min(1)
  .meta({
    description: `One line of at most ${MAX_NOTE_LENGTH} characters.`,
    examples: ['Campaign started'],
  });
const at = timeParam.optional();

const about = { tag: 'notes', scope: 'write' } as const;

export const NOTE_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'listTopicNotes',
    route: 'GET /api/v1/topics/{topic}/notes',
    command: 'notes list',
    scope: 'read',
    does: 'List the notes of a topic',
    more: 'In the order of the times that the notes are about. The chart of the topic shows them.',
    input: z.strictObject({ topic }),
    output: z.object({ notes: z.array(TopicNote) }),
    run: async ({ ctx: { db } }, input) => {
      const { id: topicId, slug } = await findTopicRow(db, input.topic);
      const notes = await listTopicNotes(db, topicId);
      return { notes: notes.map((note) => ({ ...note, topic: slug })) };
    },
  }),
  declareOperation({
    ...about,
    id: 'addTopicNote',
    route: 'POST /api/v1/topics/{topic}/notes',
    command: 'notes add',
    does: 'Add a note to a time of a topic',
    more: 'The chart of the topic shows it at that time.',
    input: z
      .strictObject({
        topic,
        text: text.clone().register(commandWords, { argument: 'text', help: 'one line' }),
        at: at
          .describe('Time that the note is about. Default: now.')
          .register(commandWords, pastTimeWords('time that the note is about (default: now)')),
      })
      .meta({ examples: [{ text: 'Campaign started', at: '2026-11-21T09:00:00Z' }] }),
    output: TopicNote,
    created: true,
    idempotent: true,
    example: 'strandline notes add harbour-ferry "Campaign started" --at 2026-11-21T09:00Z',
    run: async ({ ctx }, { topic: slug, ...note }) => (await loadManagement()).addNote(ctx, slug, note),
  }),
  declareOperation({
    ...about,
    id: 'editTopicNote',
    route: 'PATCH /api/v1/notes/{id}',
    command: 'notes edit',
    does: 'Change the text or the time of a note',
    more: 'What is omitted stays.',
    input: z
      .strictObject({
        id,
        text: text.clone().optional().register(commandWords, { value: 'text', help: 'the new text' }),
        at: at.describe('Time that the note is about.').register(commandWords, pastTimeWords('the new time')),
      })
      .meta({ examples: [{ text: 'Campaign started in Bremen' }] }),
    output: TopicNote,
    run: async ({ ctx }, { id: note, ...change }) => (await loadManagement()).editNote(ctx, note, change),
  }),
  declareOperation({
    ...about,
    id: 'removeTopicNote',
    route: 'DELETE /api/v1/notes/{id}',
    command: 'notes remove',
    does: 'Remove a note',
    more: 'The chart no longer shows it; the audit log keeps its text.',
    input: z.strictObject({ id }),
    output: TopicNote,
    run: async ({ ctx }, { id: note }) => (await loadManagement()).removeNote(ctx, note),
  }),
];
