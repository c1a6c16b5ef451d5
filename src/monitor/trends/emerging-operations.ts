/** What a topic began to speak of, day by day. */
import { z } from 'zod';
import { EMERGING_KINDS } from '../../model/closed-lists.ts';
import { countParam, idShape, timeShape, topicSlug } from '../../model/value-shapes.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { findTopicRow } from '../topics/find-by-slug.ts';
import { ABOUT_TRENDS } from './trend-operation.ts';

/** A page shows as many, and a longer time is for SQL: each day is counted anew. */
export const MAX_EMERGING_DAYS = 14;
export const USUAL_EMERGING_DAYS = 7;

const EmergingName = z
  .object({
    kind: z.enum(EMERGING_KINDS).describe('`name`: two to four words in a row with capital letters.'),
    name: z.string().describe('Words and hashtags without case and accents, a name as it was written.'),
    authors: z.int().describe('Distinct authors of the day that use it.'),
    share: z.number().describe('Their share of all authors of the day, 0 to 1.'),
    share_before: z.number().describe('The same of the week before.'),
    first_post_id: idShape.describe('The earliest post of the day with it.'),
    first_post_at: timeShape,
  })
  .meta({ id: 'EmergingName' });

const EmergingDay = z
  .object({
    day: timeShape.describe('Start of the day (UTC).'),
    posts: z
      .int()
      .nullable()
      .describe('Posts that were compared: the newest, at most about 1,000. Null: nothing was observed.'),
    authors: z.int().nullable(),
    compared_days: z.int().describe('How many of the seven days before were observed.'),
    names: z
      .array(EmergingName)
      .nullable()
      .describe(
        'The largest difference first, at most 20. Null: the day, or the week before it, was not observed.',
      ),
  })
  .meta({ id: 'EmergingDay' });

export const EMERGING_OPERATIONS = [
  declareOperation({
    ...ABOUT_TRENDS,
    id: 'listEmergingNames',
    route: 'GET /api/v1/topics/{topic}/emerging',
    command: 'emerging',
    does: 'List what a topic began to speak of, by day',
    more: 'Names, words, hashtags and domains that more distinct authors of a day (UTC) use than of the week before, by the logarithm of the odds ratio; at most one in twenty is expected to be chance. Of names that exactly the same authors use, as the words of a repeated text, there is one. Newest day first; today so far. Posts of microblog searches are compared.',
    input: z.strictObject({
      topic: topicSlug.clone().register(commandWords, { argument: 'topic', help: 'topic slug' }),
      days: countParam(MAX_EMERGING_DAYS, USUAL_EMERGING_DAYS).meta({
        description: 'Number of days back from today.',
        examples: [USUAL_EMERGING_DAYS],
      }),
    }),
    output: z.object({ items: z.array(EmergingDay) }),
    example: 'strandline emerging harbour-ferry --days 3',
    run: async ({ ctx }, { topic, days }) => {
      const { readEmerging } = await import('./read-emerging.ts');
      return { items: await readEmerging(ctx, (await findTopicRow(ctx.db, topic)).slug, days) };
    },
  }),
];
