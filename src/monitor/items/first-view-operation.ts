/** The operation that shows a new topic until it has a history, while its first runs are under way. */
import { z } from 'zod';
import { timeShape } from '../../model/value-shapes.ts';
import { readSearches } from '../../store/queries/search-list.ts';
import { declareOperation } from '../operation.ts';
import { AskedSource } from '../runs/trial-shapes.ts';
import { findTopicRow } from '../topics/find-by-slug.ts';
import { readFirstRuns, readFirstView } from '../topics/first-view.ts';
import { MissingTools } from '../topics/search-shapes.ts';
import { atTopic } from '../topics/topic-inputs.ts';
import { Discovery } from './discovery-operations.ts';

const MAX_SEARCHES = 10;

export const FIRST_VIEW_OPERATIONS = [
  declareOperation({
    id: 'getFirstView',
    tag: 'topics',
    scope: 'read',
    route: 'GET /api/v1/topics/{topic}/first-view',
    does: 'Get what a new topic shows first',
    more: 'What is known, what was published this week, and which sources its first runs asked.',
    input: z.strictObject(atTopic),
    output: z.object({
      pending: z.boolean().describe('Whether first runs are still under way.'),
      each_asking: z.boolean().describe('Whether each run has asked its sources, or has ended.'),
      asked: z.array(AskedSource),
      known: z
        .array(
          z.object({
            text: z.string(),
            citations: z.array(z.object({ address: z.string() }).loose()),
          }),
        )
        .describe('Sentences of the answer with their citations.'),
      no_answer: z.string().nullable().describe('The answer if none of its sentences has a source.'),
      week: z.array(Discovery).describe('Published in the past seven days, sources in turn.'),
      more_of_week: z.int().describe('How many more there are of that week, at least.'),
      missing_tools: MissingTools,
      since: timeShape.nullable().describe('From then on only what is new is reported; null: not yet.'),
      next: timeShape.nullable().describe('The next run; null: none.'),
    }),
    run: async ({ ctx }, { topic }) => {
      const { slug } = await findTopicRow(ctx.db, topic);
      const searches = await readSearches(ctx.db, { topic: slug, limit: MAX_SEARCHES });
      const now = ctx.clock.now();
      const { isEachAsking } = await readFirstRuns(ctx, searches, now);
      const { noAnswer, moreOfWeek, missing, ...view } = await readFirstView(ctx, searches, now);
      return {
        ...view,
        each_asking: isEachAsking,
        no_answer: noAnswer,
        more_of_week: moreOfWeek,
        missing_tools: missing,
      };
    },
  }),
];
