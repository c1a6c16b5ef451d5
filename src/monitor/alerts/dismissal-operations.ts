/** Operations on what is dismissed as not relevant. */
import { z } from 'zod';
import { idParam, idShape, timeShape, topicSlug } from '../../model/value-shapes.ts';
import { listDismissals } from '../../store/alerts/dismissals.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { findScope } from '../topics/find-by-slug.ts';
import { type Dismissal, dismiss, dismissStory, restore, restoreStory } from './dismissals.ts';

const idOf = (kind: 'post' | 'link') =>
  idParam
    .clone()
    .optional()
    .describe(`Id of the ${kind}.`)
    .register(commandWords, { flag: `--${kind} <id>`, help: `id of the ${kind}` });

const target = z
  .strictObject({
    topic: topicSlug.clone().register(commandWords, { argument: 'topic', help: 'topic slug' }),
    post: idOf('post'),
    link: idOf('link'),
  })
  .refine(({ post, link }) => (post === undefined) !== (link === undefined), {
    error: 'the id of a post or of a link',
    path: ['post'],
  })
  .meta({ examples: [{ topic: 'harbour-ferry', post: '1' }] });

function readTarget({ topic, post, link }: z.output<typeof target>): Dismissal {
  if (post !== undefined) return { topic, kind: 'post', id: post };
  if (link === undefined) throw new Error('its schema refuses neither');
  return { topic, kind: 'link', id: link };
}

const story = z.strictObject({
  id: idParam
    .meta({ examples: ['10'] })
    .register(commandWords, { argument: 'story', help: 'story id; see: stories TOPIC' }),
});
const LEFT_OUT =
  'Lists, feeds, rules, digests, and messages that are not composed yet leave it out. Charts, exports and SQL keep it.';
const RESTORED =
  'It can be listed and reported again. What messages left out in the meantime is not sent later.';

const MAX_LISTED = 500;
const about = { tag: 'alerts', scope: 'write' } as const;

export const DISMISSAL_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'dismissItem',
    route: 'POST /api/v1/dismiss',
    command: 'digest dismiss',
    does: 'Mark a post or link as not relevant for a topic',
    more: `${LEFT_OUT} So are copies of it, now and later.`,
    input: target,
    output: z.object({ changed: z.boolean().describe('False if it was dismissed already.') }),
    example: 'strandline digest dismiss harbour-ferry --post 1204',
    run: async ({ ctx }, input) => ({ changed: await dismiss(ctx, readTarget(input)) }),
  }),
  declareOperation({
    ...about,
    id: 'restoreItem',
    route: 'POST /api/v1/restore',
    command: 'digest restore',
    does: 'Undo that a post or link is not relevant for a topic',
    more: RESTORED,
    input: target,
    output: z.object({ changed: z.boolean().describe('False if it was not dismissed.') }),
    run: async ({ ctx }, input) => ({ changed: await restore(ctx, readTarget(input)) }),
  }),
  declareOperation({
    ...about,
    id: 'dismissStory',
    route: 'POST /api/v1/stories/{id}/dismiss',
    command: 'stories dismiss',
    does: 'Mark a story as not relevant',
    more: `${LEFT_OUT} So are items that join it later, and a story that merges with it.`,
    input: story,
    output: z.object({ changed: z.boolean().describe('False if it was dismissed already.') }),
    example: 'strandline stories dismiss 10',
    run: async ({ ctx }, { id }) => ({ changed: await dismissStory(ctx, id) }),
  }),
  declareOperation({
    ...about,
    id: 'restoreStory',
    route: 'POST /api/v1/stories/{id}/restore',
    command: 'stories restore',
    does: 'Undo that a story is not relevant',
    more: RESTORED,
    input: story,
    output: z.object({ changed: z.boolean().describe('False if it was not dismissed.') }),
    run: async ({ ctx }, { id }) => ({ changed: await restoreStory(ctx, id) }),
  }),
  declareOperation({
    ...about,
    id: 'listDismissed',
    route: 'GET /api/v1/dismissed',
    command: 'digest dismissed',
    scope: 'read',
    does: 'List what was dismissed as not relevant, newest first',
    more: `Posts and links with the topic and the time, at most ${MAX_LISTED}.`,
    input: z.strictObject({
      topic: topicSlug.optional().describe('Only of this topic.').register(commandWords, {
        flag: '--topic <topic>',
        help: 'only of this topic',
      }),
    }),
    output: z.object({
      dismissed: z.array(
        z.object({
          topic: z.string().describe('Slug.'),
          kind: z.enum(['post', 'link']),
          id: idShape,
          text: z.string().nullable().describe('Text of the post, or title of the link.'),
          url: z.string().nullable(),
          story_id: idShape
            .nullable()
            .describe('The story that is hidden with it. Null if nothing else says the same.'),
          at: timeShape.describe('When it was dismissed (UTC).'),
          by: z.string().nullable().describe('Who dismissed it. Null: not recorded.'),
        }),
      ),
    }),
    run: async ({ ctx }, { topic }) => {
      await findScope(ctx.db, { topic });
      return { dismissed: await listDismissals(ctx.db, { topic, limit: MAX_LISTED }) };
    },
  }),
];
