/** Operations on topics: list, show, create, replace, rename, and start again on another service. */
import { z } from 'zod';
import { Brief, flagParam, topicSlug } from '../../model/value-shapes.ts';
import { readTopics } from '../../store/queries/topic-list.ts';
import type { Context } from '../context.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { addTopicStatus, readTopicStatuses, readTopicWithStatus } from '../status/search-status.ts';
import { Topic } from '../status/status-shapes.ts';
import { findTopicRow } from './find-by-slug.ts';
import { NOTE_MEMBERS } from './note-members.ts';
import {
  atTopic,
  FORMER_SLUGS,
  newTopic,
  renamedTopic,
  translatedTopic,
  rewatchedTopic,
  watchedText,
  writtenTopic,
} from './topic-inputs.ts';

// A list needs neither.
const loadChanges = () => import('./save-topic.ts');
const loadBriefs = () => import('../../store/queries/briefs.ts');

const about = { tag: 'topics', scope: ['write', 'run'] } as const;
const locate = ({ slug }: { slug: string }) => `/api/v1/topics/${slug}`;
const SLUG_RULE = 'Slugs are unique: one that exists, or that something removed keeps, returns 409.';

const CreatedTopic = Topic.extend(NOTE_MEMBERS).meta({ id: 'CreatedTopic', 'x-view': 'topics' });

const ShownTopic = Topic.extend({
  brief: Brief.nullable().describe(
    'What a language model wrote about its last 24 hours, each sentence with its sources; null if nothing was written within a day.',
  ),
}).meta({ id: 'ShownTopic', 'x-view': 'topics' });

const TopicLanguage = z
  .object({
    topic: z.string().describe('Slug.'),
    language: z.string().nullable().describe('Language tag; null: nothing is translated.'),
  })
  .meta({ id: 'TopicLanguage' });

const readTopic = async (ctx: Context, slug: string) =>
  readTopicWithStatus(ctx, await findTopicRow(ctx.db, slug));

export const TOPIC_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'listTopics',
    route: 'GET /api/v1/topics',
    command: 'topic list',
    scope: 'read',
    does: 'List topics',
    more: 'Ordered by slug. Omits removed topics unless `removed` is true.',
    input: z.strictObject({
      removed: flagParam
        .optional()
        .describe('Include removed topics.')
        .register(commandWords, { flag: '--all' }),
    }),
    output: Topic,
    list: { cursor: topicSlug, key: ({ slug }: { slug: string }) => slug },
    runsIn: 'server',
    run: async ({ ctx, page: { limit, after } }, filter) => {
      const rows = await readTopics(ctx.db, { ...filter, after: after as string | undefined, limit }); // as `list` declares it
      const statuses = await readTopicStatuses(ctx);
      return rows.map((row) => addTopicStatus(row, statuses.get(row.slug)));
    },
  }),
  declareOperation({
    ...about,
    id: 'getTopic',
    route: 'GET /api/v1/topics/{topic}',
    command: 'topic show',
    scope: 'read',
    does: 'Show a topic and its searches',
    more: 'The topic as in the view `topics`; `listSearches` has its searches. A removed topic keeps its history; `archived_at` is when it was removed.',
    input: z.strictObject(atTopic),
    output: ShownTopic,
    run: async ({ ctx }, { topic }) => {
      const { db, briefWriter, clock } = ctx;
      const row = await findTopicRow(db, topic);
      const [shown, briefs] = await Promise.all([
        readTopicWithStatus(ctx, row),
        briefWriter === null ? null : (await loadBriefs()).readTopicBriefs(db, row.id, clock.now()),
      ]);
      return { ...shown, brief: briefs?.topic ?? null };
    },
  }),
  declareOperation({
    ...about,
    id: 'createTopic',
    route: 'POST /api/v1/topics',
    does: 'Create a topic with its searches',
    more: `Saves everything or nothing, and runs each search immediately. ${SLUG_RULE}`,
    input: newTopic,
    output: Topic,
    idempotent: true,
    created: locate,
    run: async ({ ctx }, written) =>
      readTopic(ctx, (await (await loadChanges()).createTopic(ctx, written)).topic),
  }),
  declareOperation({
    ...about,
    id: 'putTopic',
    route: 'PUT /api/v1/topics/{topic}',
    does: 'Create or replace a topic with its searches',
    more: 'Saves everything or nothing. Each search is created or replaced as by `putSearch`; searches of the topic that are not in the request are removed, and keep their results. Repeating the request changes nothing.',
    input: writtenTopic.extend(atTopic).meta({ examples: writtenTopic.meta()?.examples }),
    output: Topic,
    created: locate,
    run: async ({ ctx, onlyCreate = false }, { topic, ...written }) => {
      const { isNew, made } = await (await loadChanges()).putTopic(ctx, topic, written, { onlyCreate });
      return { isNew, made: await readTopic(ctx, made) };
    },
  }),
  // The command `watch` executes the first runs, and prints their results.
  declareOperation({
    ...about,
    id: 'watchTopic',
    route: 'POST /api/v1/topics/watch',
    does: 'Watch a text',
    more: `Creates a topic with a microblog search and an AI search, and runs both immediately. A search is left out if none of its tools has a source, unless its interval is given. If the text is an address (https://...), the page or its feed becomes the only source of the topic, and one AI search returns all of its items. ${SLUG_RULE}`,
    input: watchedText,
    output: CreatedTopic,
    idempotent: true,
    created: locate,
    run: async ({ ctx }, { posts_every: postsEvery, ai_every: aiEvery, ...written }) => {
      const [{ watch }, { describeNewSearches }] = await Promise.all([
        import('../sources/watch-address.ts'),
        import('./new-search-notes.ts'),
      ]);
      const { topic, created, notes } = await watch(ctx, { ...written, postsEvery, aiEvery });
      const searches = created.map(({ search }) => search);
      return { ...(await readTopic(ctx, topic)), ...(await describeNewSearches(ctx, searches, notes)) };
    },
  }),
  // The command `topic rewatch` executes the first runs.
  declareOperation({
    ...about,
    id: 'rewatchTopic',
    route: 'POST /api/v1/topics/{topic}/rewatch',
    does: 'Start the searches of a topic on another service',
    more: 'Creates a topic with the same searches (requests, schedules, labels) on another service, and runs each immediately. Pauses the topic; its `successor` is the new one. Rules stay with the old topic.',
    input: rewatchedTopic.extend(atTopic).meta({ examples: rewatchedTopic.meta()?.examples }),
    output: CreatedTopic,
    idempotent: true,
    created: locate,
    run: async ({ ctx }, { topic, ...how }) => {
      const [{ rewatchTopic }, { describeNewSearches }] = await Promise.all([
        import('./rewatch-topic.ts'),
        import('./new-search-notes.ts'),
      ]);
      const { topic: made, created } = await rewatchTopic(ctx, topic, how);
      const searches = created.map(({ search }) => search);
      return { ...(await readTopic(ctx, made)), ...(await describeNewSearches(ctx, searches)) };
    },
  }),
  declareOperation({
    ...about,
    id: 'renameTopic',
    route: 'PATCH /api/v1/topics/{topic}',
    command: 'topic rename',
    scope: 'write',
    does: 'Change the name or the slug of a topic; its former slug continues to work',
    more: `Changes the name, the slug, or both. ${FORMER_SLUGS} The slugs of its searches stay.`,
    input: renamedTopic,
    output: Topic,
    run: async ({ ctx }, { topic, ...names }) =>
      readTopic(ctx, await (await loadChanges()).renameTopic(ctx, topic, names)),
  }),
  declareOperation({
    ...about,
    id: 'setTopicLanguage',
    route: 'POST /api/v1/topics/{topic}/language',
    command: 'topic language',
    scope: 'write',
    does: 'Set the language of the readers of a topic',
    more: 'A language model translates titles, posts and statements in other languages, which pages and digests show beside the original: what is new, and what was found in the last week. Refused without a language model (`LLM_BASE_URL`).',
    input: translatedTopic,
    output: TopicLanguage,
    example: 'strandline topic language harbour-ferry en',
    run: async ({ ctx }, { topic, language }) =>
      (await import('./topic-language.ts')).setLanguage(ctx, topic, language),
  }),
];
