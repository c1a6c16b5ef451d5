/** Operations on stories: items of a topic that say the same thing. */
import { z } from 'zod';
import { flagParam, idParam, timeParam, topicSlug } from '../../model/value-shapes.ts';
import { defineRow } from '../../store/db/row-shapes.ts';
import {
  readStories,
  readStory,
  readStoryHours,
  readStoryItems,
  type StoryHourRow,
  type StoryItemRow,
  type StoryRow,
} from '../../store/queries/stories.ts';
import { RELEVANCES } from '../../store/queries/judgements.ts';
import { followStories } from '../../store/stories/follow-stories.ts';
import { BY_ID, lastIdOf, pastTime } from '../common-inputs.ts';
import type { Context } from '../context.ts';
import { findById } from '../http/find-by-id.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { findTopicRow } from '../topics/find-by-slug.ts';

const Story = defineRow('Story', 'stories');
const StoryItem = defineRow('StoryItem', 'story_items');
const StoryHour = defineRow('StoryHour', 'story_hours');

const about = { tag: 'stories', scope: 'read' } as const;

/** Batches of a thousand items that a list decides before it reads; a worker decides the rest. */
const MAX_BATCHES_BEFORE_LIST = 3;

const catchUp = ({ db }: Pick<Context, 'db'>) => followStories(db, { batches: MAX_BATCHES_BEFORE_LIST });

export const STORY_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'listStories',
    route: 'GET /api/v1/topics/{topic}/stories',
    command: 'stories',
    does: 'List the stories of a topic',
    more: 'The last news first. A story is at least two posts or links of the topic that say the same thing: with one address, with a link to the same page, or with nearly the same words.',
    input: z.strictObject({
      topic: topicSlug.clone().register(commandWords, { argument: 'topic', help: 'topic; see: topic list' }),
      since: pastTime(
        'With news at or after this time.',
        'only stories with news since, such as 1d or yesterday',
      ),
      hidden: flagParam
        .optional()
        .describe('Only stories that a person marked as not relevant. Default: all others.')
        .register(commandWords, { flag: '--hidden', help: 'only those marked as not relevant' }),
      relevance: z
        .enum(RELEVANCES)
        .optional()
        .describe('Only stories that the goal of the topic judges so. Default: all.')
        .register(commandWords, {
          value: 'which',
          help: 'by the goal of the topic: relevant, irrelevant or not_judged',
        }),
    }),
    output: Story,
    list: {
      cursor: z.tuple([timeParam, idParam]),
      key: ({ last_news_at, id }: StoryRow) => [last_news_at, id],
      shown: 20,
    },
    example: 'strandline stories harbour-ferry --since yesterday',
    run: async ({ ctx, page: { limit, after } }, { topic, since, hidden, relevance }) => {
      const { slug } = await findTopicRow(ctx.db, topic);
      await catchUp(ctx);
      return readStories(ctx.db, {
        topic: slug,
        since,
        isHidden: hidden,
        relevance,
        after: after as [Date, bigint] | undefined, // as `list` declares it
        limit,
      });
    },
  }),
  declareOperation({
    ...about,
    id: 'listStoryItems',
    route: 'GET /api/v1/stories/{id}/items',
    command: 'stories show',
    does: 'List the posts and links of a story',
    more: 'In the order in which the topic found them.',
    input: z.strictObject({
      id: idParam
        .meta({ examples: ['10'] })
        .register(commandWords, { argument: 'story', help: 'story id; see: stories TOPIC' }),
    }),
    output: StoryItem,
    list: { ...BY_ID, key: ({ discovery_id }: StoryItemRow) => [discovery_id], shown: 50 },
    run: async (call, { id }) => {
      const { db } = call.ctx;
      await findById('story', id, readStory(db, id));
      return readStoryItems(db, { id, after: lastIdOf(call), limit: call.page.limit });
    },
  }),
  declareOperation({
    ...about,
    id: 'listStoryHours',
    route: 'GET /api/v1/stories/{id}/hours',
    does: 'List how a story grew',
    more: 'Its posts and links by the hour in which the topic found them, the oldest first. Hours without any are left out.',
    input: z.strictObject({ id: idParam.meta({ examples: ['10'] }) }),
    output: StoryHour,
    list: { cursor: z.tuple([timeParam]), key: ({ hour }: StoryHourRow) => [hour] },
    run: async ({ ctx: { db }, page: { limit, after } }, { id }) => {
      await findById('story', id, readStory(db, id));
      const [last] = (after as [Date] | undefined) ?? []; // as `list` declares it
      return readStoryHours(db, { id, after: last, limit });
    },
  }),
];
