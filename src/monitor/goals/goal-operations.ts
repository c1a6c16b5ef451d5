/** Operations on the goal of a topic: what its news is about, in words, as a language model judges it. */
import { describeVerdict } from '../../model/judging.ts';
import { z } from 'zod';
import {
  idParam,
  idShape,
  MAX_GOAL_LENGTH,
  textParam,
  timeShape,
  topicSlug,
} from '../../model/value-shapes.ts';
import { defineRow } from '../../store/db/row-shapes.ts';
import { type JudgementRow, readJudgements, RELEVANCES } from '../../store/queries/judgements.ts';
import { lastIdOf } from '../common-inputs.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { findTopicRow } from '../topics/find-by-slug.ts';

// A list needs neither.
const loadGoal = () => import('../topics/topic-goal.ts');
const loadTrial = () => import('./try-goal.ts');

const topic = topicSlug.clone().register(commandWords, { argument: 'topic', help: 'topic slug' });
const goal = textParam(4 * MAX_GOAL_LENGTH)
  .min(1)
  .meta({
    description: `What the news of the topic is about: one line of at most ${MAX_GOAL_LENGTH} characters.`,
    examples: ['rulings and filings, not opinion'],
  })
  .register(commandWords, { argument: 'goal', help: 'what its news is about, in words' });

const TopicGoal = z
  .object({
    topic: z.string().describe('Slug.'),
    goal: z.string().nullable().describe('Null: everything the topic finds is news.'),
  })
  .meta({ id: 'TopicGoal' });

const GoalTrial = z
  .object({
    topic: z.string().describe('Slug.'),
    goal: z.string(),
    since: timeShape.describe('Stories that were found since then were read.'),
    found: z.int().describe('How many those are. The newest are judged, at most 40.'),
    problem: z.string().nullable().describe('Why some were not judged. Null: all were.'),
    stories: z.array(
      z.object({
        kind: z.enum(['post', 'link']),
        id: idShape,
        text: z.string(),
        url: z.string().nullable(),
        relevant: z.boolean().nullable().describe('Whether it would be reported. Null: not judged.'),
        why: z.string().nullable().describe('In at most a dozen words of the model.'),
      }),
    ),
  })
  .meta({ id: 'GoalTrial' });

const Judgement = defineRow('Judgement', 'judgements');

const about = { tag: 'goals', scope: 'write' } as const;
/** UTF-16 units of a text in a reply. */
const MAX_TEXT = 400;

export const GOAL_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'listJudgements',
    route: 'GET /api/v1/topics/{topic}/judgements',
    command: 'goal list',
    scope: 'read',
    does: 'List what a topic found, as its goal judges it',
    more: 'The newest first. A language model judges each new story once: relevant or not, and why. Rules and digests use what is relevant; everything stays in lists and SQL.',
    input: z.strictObject({
      topic,
      relevance: z
        .enum(RELEVANCES)
        .optional()
        .describe('Only these. Default: all.')
        .register(commandWords, { value: 'which', help: 'only relevant, irrelevant or not_judged' }),
    }),
    output: Judgement,
    list: {
      cursor: z.tuple([idParam]),
      key: ({ discovery_id }: JudgementRow) => [discovery_id],
      shown: 20,
    },
    run: async (call, { topic: slug, relevance }) => {
      const { db } = call.ctx;
      const row = await findTopicRow(db, slug);
      return readJudgements(db, {
        topic: row.slug,
        relevance,
        after: lastIdOf(call),
        limit: call.page.limit,
      });
    },
  }),
  declareOperation({
    ...about,
    id: 'setTopicGoal',
    route: 'POST /api/v1/topics/{topic}/goal',
    command: 'goal set',
    does: 'Set what the news of a topic is about',
    more: 'New stories are judged by it, and the newest 100 items of the last day. It applies to all searches of the topic. Refused without a language model (`LLM_BASE_URL`).',
    input: z.strictObject({ topic, goal }).meta({ examples: [{ goal: 'rulings and filings, not opinion' }] }),
    output: TopicGoal,
    example: 'strandline goal set harbour-ferry "rulings and filings, not opinion"',
    run: async ({ ctx }, input) => (await loadGoal()).setGoal(ctx, input.topic, input.goal),
  }),
  declareOperation({
    ...about,
    id: 'removeTopicGoal',
    route: 'DELETE /api/v1/topics/{topic}/goal',
    command: 'goal remove',
    does: 'Remove the goal of a topic',
    more: 'Everything that the topic finds is news again. Its judgements are kept: the same goal has them again.',
    input: z.strictObject({ topic }),
    output: TopicGoal,
    run: async ({ ctx }, input) => (await loadGoal()).setGoal(ctx, input.topic, null),
  }),
  declareOperation({
    ...about,
    id: 'tryTopicGoal',
    route: 'POST /api/v1/topics/{topic}/goal/try',
    command: 'goal try',
    scope: ['write', 'run'],
    does: 'Try a goal on what a topic found in the last day',
    more: 'Asks the language model about the newest 40 stories, in at most two requests, which count. Saves nothing else.',
    input: z.strictObject({ topic, goal }).meta({ examples: [{ goal: 'rulings and filings, not opinion' }] }),
    output: GoalTrial,
    callsService: true,
    endsWithClient: true,
    runsIn: 'server',
    example: 'strandline goal try harbour-ferry "rulings and filings, not opinion"',
    run: async ({ ctx, stopping }, input) => {
      const { stories, ...trial } = await (await loadTrial()).tryGoal(
        ctx,
        input.topic,
        input.goal,
        stopping ?? new AbortController().signal,
      );
      return {
        ...trial,
        stories: stories.map(({ verdict, text, ...story }) => ({
          ...story,
          text: text.slice(0, MAX_TEXT).toWellFormed(),
          ...describeVerdict(verdict),
        })),
      };
    },
  }),
];
