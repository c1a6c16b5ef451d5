/** What a search is written as. Its values are checked by the verbs, which say all that is wrong at once. */
import { z } from 'zod';
import { DATE_FILTERS, MODELS, OPERATIONS, TOOLS } from '../../contract/enumerations.ts';
import { PROMPT_MAX } from '../../contract/request.ts';
import { SERVICE_KINDS } from '../../store/services.ts';
import { SENSITIVITIES } from '../../store/schema/analytics/topics.ts';
import { givenText, searchSlug, topicSlug } from './given.ts';

const request = {
  prompt: givenText(PROMPT_MAX).describe('What is asked.'),
  tools: z.array(z.enum(TOOLS)).max(TOOLS.length).describe('Of an AI search; left out: all.'),
  model: z.enum(MODELS).describe('How long an answer may take; NOVA where it is left out.'),
  date_filter: z
    .enum(DATE_FILTERS)
    .describe('How far back an AI search looks; PAST_24_HOURS where it is left out.'),
  streaming: z.boolean().describe('Whether the answer of an AI search comes as a stream.'),
  extra: z
    .record(z.string(), z.unknown())
    .transform((members) => JSON.stringify(members))
    .describe('Members of the request beyond the specification.'),
};

const when = {
  cron: givenText(200).describe('Five fields, such as 0 8 * * 1-5; or every, not both.'),
  tz: givenText(60).describe('Time zone of cron, such as Europe/Berlin; UTC where it is left out.'),
  every: givenText(60).describe('A rhythm, such as 90s, 15m or 1h30m; or cron, not both.'),
};

const rest = {
  labels: z.array(givenText(60)).max(50),
  sensitivity: z.enum(SENSITIVITIES).describe('How unusual is worth a spike; normal where it is left out.'),
};

export const serviceKind = z
  .enum(SERVICE_KINDS)
  .describe(
    'Who is asked, for ever; left out: hosted where it is set up, otherwise own where a public source answers, otherwise sandbox.',
  );

const operation = z.enum(OPERATIONS).describe('microblog: posts; ai: all sources.');
const members = z.strictObject({ ...request, ...when, ...rest }).partial();

/** A search of a topic that is being made. */
export const searchOfTopic = members.extend({
  operation,
  prompt: request.prompt,
  slug: searchSlug.optional().describe('Made from the slug of the topic where it is left out.'),
});

export const newSearch = members
  .extend({
    operation,
    prompt: request.prompt,
    slug: searchSlug,
    topic: topicSlug
      .optional()
      .describe('Made where there is none; the slug of the search where it is left out.'),
    service: serviceKind.optional(),
  })
  .meta({
    examples: [
      {
        slug: 'harbour-news',
        topic: 'harbour-ferry',
        service: 'sandbox',
        operation: 'ai',
        prompt: 'harbour ferry',
        tools: ['Web Search', 'News Forum Search'],
        date_filter: 'PAST_WEEK',
        cron: '0 8 * * 1-5',
        tz: 'Europe/Berlin',
      },
    ],
  });

export const editedSearch = members.meta({ examples: [{ every: '30m', labels: ['harbour'] }] });

/** A schedule that is not saved. */
export const previewed = z
  .strictObject({
    ...z.strictObject(when).partial().shape,
    operation: operation.default('microblog'),
    model: request.model.default('NOVA'),
    service: serviceKind.optional(),
    count: z.int().min(1).max(100).default(5).describe('How many runs to tell.'),
  })
  .meta({ examples: [{ cron: '0 8 * * 1-5', tz: 'Europe/Berlin', service: 'sandbox' }] });

export const tried = z
  .strictObject({
    ...z.strictObject(request).partial().shape,
    operation,
    prompt: request.prompt,
    service: serviceKind.optional(),
    shown: z.int().min(0).max(200).default(20).describe('Most posts and most links that come back.'),
  })
  .meta({ examples: [{ operation: 'microblog', prompt: 'harbour ferry', service: 'hosted' }] });
