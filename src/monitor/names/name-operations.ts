/** Operations on the names that a topic lists, and on the answers that have them. */
import { z } from 'zod';
import { MAX_NAME_FORMS } from '../../model/answer-names.ts';
import { NAME_SIDES, SERVICE_KINDS } from '../../model/closed-lists.ts';
import { idShape, searchSlug, textParam, timeShape, topicSlug } from '../../model/value-shapes.ts';
import { isReadingAgain, readNamesInAnswers } from '../../store/queries/names-in-answers.ts';
import { listTopicNames } from '../../store/topics/topic-names.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { findSearchRow, findTopicRow } from '../topics/find-by-slug.ts';
import { countDaysBack, defineDays, readDerived } from '../trends/trend-operation.ts';

// Reads do not need it.
const loadManagement = () => import('./manage-names.ts');

const TopicName = z
  .object({
    id: idShape,
    name: z.string(),
    side: z.enum(NAME_SIDES),
    aliases: z.array(z.string()).describe('Further forms that count as the name.'),
    domains: z.array(z.string()).describe('Domains whose links count as citing it, with their subdomains.'),
    added_at: timeShape,
  })
  .meta({ id: 'TopicName' });

const counts = {
  answers: z.int().describe('Answers that were read. Failed runs and answers without a text are none.'),
  named: z.int().describe('Answers whose text has the name or an alias.'),
  cited: z.int().describe('Answers that cite a link of its domains.'),
  present: z.int().describe('Answers that name it, cite it, or both.'),
  share: z.number().describe('`present` / `answers`, from 0 to 1.'),
};
const NameInAnswers = z
  .object({
    service: z.string().describe('The search service that wrote the answers.'),
    service_kind: z.enum(SERVICE_KINDS),
    name_id: idShape,
    name: z.string(),
    side: z.enum(NAME_SIDES),
    ...counts,
    buckets: z
      .array(z.object({ bucket_at: timeShape, ...counts }))
      .describe('Days (UTC) with answers, oldest first. A day without answers is missing; it is not zero.'),
  })
  .meta({ id: 'NameInAnswers' });

const topic = topicSlug.clone().register(commandWords, { argument: 'topic', help: 'topic slug' });
/** `manage-names.ts` checks it. */
const MAX_GIVEN = 1_000;
const name = textParam(MAX_GIVEN)
  .min(1)
  .meta({ description: 'A name, as answers write it.', examples: ['Harbour Line'] })
  .register(commandWords, { argument: 'name', help: 'the name, as answers write it' });
const forms = z.array(textParam(MAX_GIVEN)).max(5 * MAX_NAME_FORMS);

const about = { tag: 'names', scope: 'write' } as const;

export const NAME_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'listTopicNames',
    route: 'GET /api/v1/topics/{topic}/names',
    command: 'names list',
    scope: 'read',
    does: 'List the names that a topic looks for in answers',
    more: 'Its own names first, then those of rivals, in the order in which they were added.',
    input: z.strictObject({ topic }),
    output: z.object({ names: z.array(TopicName) }),
    run: async ({ ctx: { db } }, input) => {
      const { id } = await findTopicRow(db, input.topic);
      return { names: await listTopicNames(db.pool, id) };
    },
  }),
  declareOperation({
    ...about,
    id: 'setTopicName',
    route: 'POST /api/v1/topics/{topic}/names',
    command: 'names set',
    does: 'Add a name to a topic, or replace it',
    more: 'A name is found in the answers of AI searches as whole words, in any case, with or without accents. A name inside of a longer listed name counts for the longer one. All answers of the topic are read again, which takes minutes at most; nothing is requested from a service.',
    input: z
      .strictObject({
        topic,
        name,
        side: z
          .enum(NAME_SIDES)
          .default('own')
          .describe('Whose name it is.')
          .register(commandWords, { value: 'own|rival', help: 'whose name it is (default: own)' }),
        aliases: forms.default([]).describe('Further forms that count as the name.').register(commandWords, {
          value: 'names',
          help: 'further forms that count as it, comma-separated',
        }),
        domains: forms
          .default([])
          .describe('Domains whose links count as citing it, with their subdomains.')
          .register(commandWords, { help: 'domains whose links count as citing it, comma-separated' }),
      })
      .meta({
        examples: [
          { name: 'Harbour Line', side: 'rival', aliases: ['HL'], domains: ['harbourline.example'] },
        ],
      }),
    output: TopicName,
    shortcuts: { '--rival': { help: 'it is the name of a rival', sets: { side: 'rival' } } },
    example:
      'strandline names set harbour-ferry "Harbour Line" --aliases HL --domains harbourline.example\nstrandline names set harbour-ferry "Island Ferries" --rival',
    run: async ({ ctx }, { topic: slug, ...written }) => (await loadManagement()).setName(ctx, slug, written),
  }),
  declareOperation({
    ...about,
    id: 'removeTopicName',
    route: 'DELETE /api/v1/topics/{topic}/names/{name}',
    command: 'names remove',
    does: 'Remove a name from a topic',
    more: 'Its figures go with it; adding it again brings them back.',
    input: z.strictObject({ topic, name }),
    output: TopicName,
    run: async ({ ctx }, input) => (await loadManagement()).removeName(ctx, input.topic, input.name),
  }),
  declareOperation({
    ...about,
    id: 'getNamesInAnswers',
    route: 'GET /api/v1/topics/{topic}/names-in-answers',
    command: 'names answers',
    scope: 'read',
    does: 'Show in what share of answers each name is',
    more: 'Of the answers of AI searches of the topic, by service: how many name each listed name, cite its domains, or both, in all and per day (UTC). Services are never added together, and a service says nothing about another one.',
    input: z.strictObject({
      topic,
      search: searchSlug
        .optional()
        .describe('Only answers of this AI search.')
        .register(commandWords, { help: 'only answers of this AI search' }),
      days: defineDays(366, 30),
    }),
    output: z.object({
      items: z.array(NameInAnswers),
      reading: z
        .boolean()
        .describe(
          'True while earlier answers are read again, because names changed: the newest count already.',
        ),
      as_of: timeShape
        .nullable()
        .describe('When the oldest response was received that is not read yet; null: all are.'),
    }),
    example: 'strandline names answers harbour-ferry --days 90',
    run: async ({ ctx }, { topic: named, search: namedSearch, days }) => {
      const { db } = ctx;
      const { slug } = await findTopicRow(db, named);
      const search = namedSearch === undefined ? undefined : (await findSearchRow(db, namedSearch)).slug;
      const reading = await isReadingAgain(db, slug);
      const figures = await readDerived(ctx, { topic: slug, search }, () =>
        readNamesInAnswers(db, { topic: slug, search, ...countDaysBack(ctx, days) }),
      );
      return { ...figures, reading };
    },
  }),
];
