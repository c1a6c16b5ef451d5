/** Operations on mutes: of a rule, of a topic in all messages, and of everything. */
import { z } from 'zod';
import { MUTE_SCOPES } from '../../model/alerts.ts';
import { futureTimeParam, ruleSlug, timeShape, topicSlug } from '../../model/value-shapes.ts';
import { listMutes } from '../../store/alerts/mutes.ts';
import { declareOperation } from '../operation.ts';
import { mute, type MuteTarget, unmute } from './manage-mutes.ts';

const Mute = z
  .object({
    scope: z.enum(MUTE_SCOPES),
    slug: z.string().nullable().describe('Slug of the rule or topic; null for everything.'),
    until: timeShape.describe('When it ends by itself (UTC).'),
    held: z.int().describe('Number of discoveries that it holds back.'),
  })
  .meta({ id: 'Mute' });

const until = futureTimeParam.describe(
  'When the mute ends by itself, at most 366 days ahead: a time such as 2026-11-30T09:00Z, a duration such as 8h, or a time or weekday of UTC such as friday 9:00.',
);

const target = {
  rule: ruleSlug.optional().describe('Mute the messages of this rule.'),
  topic: topicSlug.optional().describe('Mute what is about this topic, in the messages of all rules.'),
};

/** Without a rule and a topic: everything. */
function ofOneScope<S extends z.ZodObject>(input: S): S {
  return input.refine(({ rule, topic }) => rule === undefined || topic === undefined, {
    error: 'a rule or a topic, not both',
    path: ['topic'],
  });
}

const muted = ofOneScope(z.strictObject({ until, ...target })).meta({
  examples: [{ topic: 'harbour-ferry', until: 'friday 9:00' }],
});
const unmuted = ofOneScope(z.strictObject(target)).meta({ examples: [{ topic: 'harbour-ferry' }] });

function findTarget({ rule, topic }: { rule?: string | undefined; topic?: string | undefined }): MuteTarget {
  if (rule !== undefined) return { scope: 'rule', slug: rule };
  return topic === undefined ? { scope: 'all' } : { scope: 'topic', slug: topic };
}

const about = { tag: 'alerts', scope: 'write' } as const;

/** The command line has its own (`cli/mute-commands.ts`), which reads times of the terminal's zone. */
export const MUTE_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'mute',
    route: 'POST /api/v1/mute',
    does: 'Mute a rule, a topic, or everything until a time',
    more: 'Collection goes on. When the mute ends, also early, one message for each rule and channel sums up what was held back. A topic that is muted concerns only what is about it, in rules of wider scope, too.',
    input: muted,
    output: Mute,
    run: ({ ctx }, input) => mute(ctx, findTarget(input), input.until),
  }),
  declareOperation({
    ...about,
    id: 'unmute',
    route: 'POST /api/v1/unmute',
    does: 'End a mute now',
    more: 'What it held back is sent at once, summed up, unless quiet hours or a limit hold it back.',
    input: unmuted,
    output: z.object({ unmuted: Mute.nullable().describe('The mute as it was; null if there was none.') }),
    run: async ({ ctx }, input) => ({ unmuted: await unmute(ctx, findTarget(input)) }),
  }),
  declareOperation({
    ...about,
    id: 'listMutes',
    route: 'GET /api/v1/mutes',
    scope: 'read',
    does: 'List what is muted',
    more: 'Everything first, then topics and rules by slug.',
    input: z.strictObject({}),
    output: z.object({ mutes: z.array(Mute) }),
    run: async ({ ctx }) => ({ mutes: await listMutes(ctx.db, ctx.clock.now()) }),
  }),
];
