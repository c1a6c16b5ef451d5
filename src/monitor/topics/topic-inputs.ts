/** Inputs of operations on topics and searches. Pure. */
import { z } from 'zod';
import { SENSITIVITIES, SERVICE_KINDS } from '../../model/closed-lists.ts';
import { DATE_FILTERS, MODELS, OPERATIONS, TOOLS } from '../../model/enumerations.ts';
import { MAX_GOAL_LENGTH, searchSlug, textParam, topicSlug } from '../../model/value-shapes.ts';
import { MAX_PROMPT_LENGTH } from '../../protocol/specification.ts';
import { commandWords } from '../operation.ts';
import { DEFAULT_EVERY } from '../schedule/schedule.ts';

/** For the descriptions of operations that rename. */
export const FORMER_SLUGS =
  'A former slug continues to work in every path, query and body until something else takes it.';

const namedTopic = topicSlug.clone().register(commandWords, { argument: 'topic', help: 'topic slug' });
/** A topic that a path names. */
export const atTopic = { topic: namedTopic };
/** A search that a path names. */
export const atSearch = {
  search: searchSlug.clone().register(commandWords, { argument: 'search', help: 'search slug' }),
};

/** The request of a search. The monitor checks its values and reports all problems at once. */
const requestMembers = {
  prompt: textParam(MAX_PROMPT_LENGTH).describe('Prompt that is sent to the service.'),
  tools: z.array(z.enum(TOOLS)).max(TOOLS.length).describe('Tools of an AI search. Default: all.'),
  model: z.enum(MODELS).describe('Model, which sets how long a response may take. Default: NOVA.'),
  date_filter: z.enum(DATE_FILTERS).describe('Time range of an AI search. Default: PAST_24_HOURS.'),
  streaming: z.boolean().describe('Request a streamed response from an AI search.'),
  extra: z
    .record(z.string(), z.unknown(), 'a JSON object')
    .transform((members) => JSON.stringify(members))
    .describe('Additional members of the request, beyond the specification.'),
};

const scheduleMembers = {
  cron: textParam(200).describe(
    'Cron expression with five fields, such as 0 8 * * 1-5. Use either cron or every.',
  ),
  tz: textParam(60).describe('Time zone of cron, such as Europe/Berlin. Default: UTC.'),
  every: textParam(60).describe(
    'Interval, such as 90s, 15m or 1h30m, or `auto`: as often as something is posted, optionally with bounds and calls per day (`auto 5m-2h 48/day`). Use either every or cron.',
  ),
};

/** A schedule in the query of a preview. */
export const scheduleQuery = z.strictObject(scheduleMembers).partial().shape;

const otherMembers = {
  labels: z.array(textParam(60)).max(50),
  sensitivity: z.enum(SENSITIVITIES).describe('Sensitivity of spike detection. Default: normal.'),
};

const serviceKind = z
  .enum(SERVICE_KINDS)
  .describe(
    'Search service; cannot be changed later. Default: hosted if configured, otherwise own; while no public source is reachable, its runs wait for one.',
  );

const operationMember = z.enum(OPERATIONS).describe('microblog: posts. ai: all sources, with a completion.');
const searchMembers = z.strictObject({ ...requestMembers, ...scheduleMembers, ...otherMembers }).partial();

/** A search of a new topic. */
const topicSearch = searchMembers.extend({
  operation: operationMember,
  prompt: requestMembers.prompt,
  slug: searchSlug.optional().describe('Default: derived from the slug of the topic.'),
});

export const newSearch = searchMembers
  .extend({
    operation: operationMember,
    prompt: requestMembers.prompt,
    slug: searchSlug,
    topic: topicSlug
      .optional()
      .describe('Topic; created if it does not exist. Default: the slug of the search.'),
    service: serviceKind.optional(),
  })
  .meta({
    examples: [
      {
        slug: 'harbour-news',
        topic: 'harbour-ferry',
        service: 'hosted',
        operation: 'ai',
        prompt: 'harbour ferry',
        tools: ['Web Search', 'News Forum Search'],
        date_filter: 'PAST_WEEK',
        cron: '0 8 * * 1-5',
        tz: 'Europe/Berlin',
      },
    ],
  });

/** A search at its slug. */
export const writtenSearch = newSearch.omit({ slug: true }).meta({
  examples: [{ topic: 'harbour-ferry', operation: 'microblog', prompt: 'harbour ferry', every: '30m' }],
});

export const editedSearch = searchMembers
  .extend({
    slug: searchSlug.optional().describe('New slug.'),
  })
  .meta({ examples: [{ every: '30m', labels: ['harbour'] }] });

/** A schedule that is not saved. */
export const schedulePreviewBody = z
  .strictObject({
    ...z.strictObject(scheduleMembers).partial().shape,
    operation: operationMember.default('microblog'),
    model: requestMembers.model.default('NOVA'),
    tools: requestMembers.tools.optional(),
    service: serviceKind.optional(),
    count: z.int().min(1).max(100).default(5).describe('Number of runs to list.'),
  })
  .meta({ examples: [{ cron: '0 8 * * 1-5', tz: 'Europe/Berlin' }] });

export const searchTrialBody = z
  .strictObject({
    ...z.strictObject(requestMembers).partial().shape,
    operation: operationMember,
    prompt: requestMembers.prompt,
    service: serviceKind.optional(),
    shown: z
      .int()
      .min(0)
      .max(200)
      .default(20)
      .describe('Maximum number of posts, and of links, in the reply.'),
  })
  .meta({ examples: [{ operation: 'microblog', prompt: 'harbour ferry', service: 'hosted' }] });

const language = textParam(60).describe(
  'Language tag of its readers, such as en, de or zh-Hant: a language model translates titles, posts and statements in other languages. Default: none, and nothing is translated.',
);
const topicName = textParam(200).describe('Display name.');
const goal = textParam(4 * MAX_GOAL_LENGTH).describe(
  `What its news is about, in words of at most ${MAX_GOAL_LENGTH} characters, such as "rulings and filings, not opinion": a language model judges each new story, and only relevant stories are reported. Default: everything is news.`,
);
/** Of a topic that is created or replaced; null is none. */
const topicGoal = goal.nullish();
/** Of a topic that is created or replaced; null is none. */
const topicLanguage = language.nullish();
const newTopicSlug = topicSlug.optional().describe('Default: derived from the name or text.');

export const newTopic = z
  .strictObject({
    name: topicName,
    slug: newTopicSlug,
    service: serviceKind.optional(),
    goal: topicGoal,
    language: topicLanguage,
    searches: z.array(topicSearch).max(20),
  })
  .meta({
    examples: [
      {
        name: 'Night train',
        searches: [{ operation: 'microblog', prompt: 'night train', every: '15m' }],
      },
    ],
  });

/** A topic at its slug. */
export const writtenTopic = newTopic.omit({ slug: true }).meta({
  examples: [
    {
      name: 'Harbour ferry',
      goal: 'delays and cancellations, not opinion',
      searches: [
        { operation: 'microblog', prompt: 'harbour ferry', every: '15m' },
        { operation: 'ai', prompt: 'harbour ferry', every: '1h' },
      ],
    },
  ],
});

export const watchedText = z
  .strictObject({
    text: textParam(MAX_PROMPT_LENGTH).describe('Text to search for.'),
    name: topicName.optional().describe('Default: the text.'),
    slug: newTopicSlug,
    service: serviceKind.optional(),
    goal: goal.optional(),
    posts_every: textParam(60)
      .optional()
      .describe(`Interval of the microblog search. Default: ${DEFAULT_EVERY.microblog}.`),
    ai_every: textParam(60).optional().describe(`Interval of the AI search. Default: ${DEFAULT_EVERY.ai}.`),
  })
  .meta({ examples: [{ text: 'tide pools' }] });

/** The language of a topic, as a command and a request set it. */
export const translatedTopic = z
  .strictObject({
    topic: namedTopic,
    language: textParam(60)
      .meta({
        description: 'Language tag such as en, de or zh-Hant; `none` ends translation.',
        examples: ['en'],
      })
      .register(commandWords, {
        argument: 'language',
        help: 'such as en, de or zh-Hant; none ends translation',
      }),
  })
  .meta({ examples: [{ language: 'en' }] });

export const rewatchedTopic = z
  .strictObject({
    service: z.enum(['own', 'hosted']).optional().describe('Default: hosted if configured, otherwise own.'),
    slug: topicSlug.optional().describe('Default: the slug with a number.'),
  })
  .meta({ examples: [{ service: 'hosted' }] });

export const renamedTopic = z
  .strictObject({
    topic: namedTopic,
    name: topicName.optional().register(commandWords, { help: 'new display name' }),
    slug: topicSlug
      .optional()
      .describe('New slug.')
      .register(commandWords, { help: 'new slug; the slugs of its searches stay' }),
  })
  .meta({ examples: [{ name: 'Ferries of the harbour' }] });
