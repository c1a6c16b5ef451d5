/** Operations on files: what is watched, as a text that people keep and edit. */
import { z } from 'zod';
import { topicSlug } from '../../model/value-shapes.ts';
import { SERVICE_KINDS } from '../../model/closed-lists.ts';
import { InvalidInput } from '../../model/errors.ts';
import { isPlain, own } from '../../lib/json-values.ts';
import { Denied, hasScopes } from '../access/visitor-scopes.ts';
import { type Call, declareOperation } from '../operation.ts';
import { ABSENT } from './plan.ts';
import { STEP_ACTIONS } from './step.ts';

// Lists of operations need none of it.
const loadPlan = () => import('./plan.ts');
const loadApply = () => import('./apply.ts');

const PlanStep = z
  .object({
    action: z
      .enum(STEP_ACTIONS)
      .describe(
        '`adopt`: it exists without an owner and becomes that of `name`, with its changes. `keep`: `name` owns it, and it is not in the file.',
      ),
    kind: z.string().describe('channel, topic, source, search or rule.'),
    key: z.string().describe('Its slug; of a source its address.'),
    topic: z.string().nullable().describe('Of a search or source.'),
    changes: z
      .record(z.string(), z.object({ before: z.unknown().optional(), after: z.unknown().optional() }))
      .describe('Settings that differ. Secrets are hidden.'),
    baseline: z.boolean().describe('Its next run is a new baseline.'),
    note: z.string().nullable(),
  })
  .meta({ id: 'PlanStep' });

const Plan = z
  .object({
    name: z.string().nullable(),
    fingerprint: z
      .string()
      .describe('Changes if anything that the plan depends on does: `applyFile` takes it.'),
    steps: z.array(PlanStep).describe('In the order in which they are applied.'),
    differs: z.boolean().describe('False: applying it does nothing.'),
    removes_most: z.boolean().describe('True: it removes more than half of what `name` owns.'),
    calls: z
      .array(
        z.object({
          service: z.enum(SERVICE_KINDS),
          free: z.boolean(),
          before: z.number(),
          after: z.number(),
          limit: z.int().nullable().describe('Of a day; null: no limit.'),
        }),
      )
      .describe('Planned calls a day of all running searches.'),
  })
  .meta({ id: 'Plan' });

const Applied = z
  .object({
    name: z.string().nullable(),
    applied: z.array(PlanStep),
    failed: z
      .object({ step: PlanStep, status: z.int(), code: z.string(), detail: z.string() })
      .nullable()
      .describe(
        'The step at which it stopped, with the status and code of its problem; null: all were applied.',
      ),
    left: z.array(PlanStep).describe('Steps after it, which were not tried.'),
    secrets: z
      .array(z.object({ channel: z.string(), secret: z.string() }))
      .describe('Signing secrets of new channels, shown once.'),
  })
  .meta({ id: 'Applied' });

const Description = z
  .object({
    file: z
      .record(z.string(), z.unknown())
      .describe('As `planFile` and `applyFile` take it. Secrets are `keep`.'),
    left_out: z.array(z.string()).describe('What no file can describe.'),
  })
  .meta({ id: 'Description' });

const file = z
  .record(z.string(), z.unknown())
  .describe(
    'Members `name`, `channels`, `topics` and `rules`: docs/how-to/files.md. Omitted settings get their defaults.',
  );
const absent = z
  .enum(ABSENT)
  .default('keep')
  .describe(
    'What becomes of what `name` owns and the file does not have. `release`: it stays, without an owner.',
  );
const EXAMPLE = {
  name: 'team-ferry',
  topics: {
    'old-lighthouse': {
      searches: { 'old-lighthouse-posts': { prompt: 'old lighthouse', every: '1h', service: 'hosted' } },
    },
  },
};

const about = { tag: 'files' } as const;

/** Channels need `admin`, as their own operations do; values of secrets are compared with the stored ones. */
function assertMayRead({ visitor }: Call, given: Record<string, unknown>): void {
  const channels = own(given, 'channels');
  const hasChannels = isPlain(channels) && Object.keys(channels).length > 0;
  if (hasChannels && !hasScopes(visitor, 'admin'))
    throw new Denied('scope', 'a file with channels needs the scope admin');
}

/** Problems of the file are at its member of the request. */
async function placingProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(error.problems.map((problem) => ({ ...problem, path: `file.${problem.path}` })));
  }
}

export const WATCH_FILE_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'planFile',
    route: 'POST /api/v1/plan',
    scope: 'read',
    does: 'Show what applying a file would do',
    more: 'Changes nothing. All problems of the file are reported at once. A file with channels needs the scope `admin`.',
    input: z.strictObject({ file, absent }).meta({ examples: [{ file: EXAMPLE }] }),
    output: Plan,
    run: async (call, input) => {
      assertMayRead(call, input.file);
      const { planFile } = await loadPlan();
      return placingProblems(() => planFile(call.ctx, input.file, input.absent));
    },
  }),
  declareOperation({
    ...about,
    id: 'applyFile',
    route: 'POST /api/v1/apply',
    scope: ['write', 'run'],
    does: 'Apply a file',
    more: 'Creates and changes channels, topics, sources, searches and rules, each in a transaction of its own, and stops at the first failure; repeating the request continues. With `fingerprint`, 412 and no change if the plan is another one by now. What was changed since the plan is never overwritten. Removing keeps what was found. A file with channels needs the scope `admin`.',
    input: z
      .strictObject({
        file,
        absent,
        fingerprint: z.string().max(100).optional().describe('Of the plan that you have seen.'),
        remove_most: z
          .boolean()
          .optional()
          .describe('Also if it removes more than half of what `name` owns.'),
      })
      .meta({ examples: [{ file: EXAMPLE }] }),
    output: Applied,
    once: 'secrets',
    run: async (call, { file: given, ...options }) => {
      assertMayRead(call, given);
      const { applyFile } = await loadApply();
      return placingProblems(() => applyFile(call.ctx, given, options));
    },
  }),
  declareOperation({
    ...about,
    id: 'describeFile',
    route: 'GET /api/v1/describe',
    scope: 'read',
    does: 'Describe what is watched as a file',
    more: 'Applying the file changes nothing. Secrets are `keep`.',
    input: z.strictObject({
      topic: topicSlug.optional().describe('Only this topic, with rules about it and their channels.'),
    }),
    output: Description,
    run: async ({ ctx }, { topic }) => (await import('./describe.ts')).describeAll(ctx, topic),
  }),
];
