/** Operations that delete what is stored: what has expired, and everything about an author. */
import { z } from 'zod';
import { textParam } from '../../model/value-shapes.ts';
import type { Context } from '../context.ts';
import { declareOperation } from '../operation.ts';

// Lists of operations need neither.
const loadRetention = () => import('../../store/erase/retention.ts');
const loadForgetting = () => import('../../store/erase/forget-author.ts');

const counts = {
  answers: z.int().describe('Raw responses.'),
  rejects: z.int().describe('Rejected items.'),
  messages: z.int().describe('Bodies of messages.'),
  audit: z.int().describe('Entries of the audit log.'),
};
const words = z.string().describe('The same in words.');
const days = z.int().describe('Days for which it is kept.');

async function readDue({ db, clock, config }: Context) {
  const { countDue, describeDue, retentionLimitsAt } = await loadRetention();
  const due = await countDue(db, retentionLimitsAt(clock.now(), config));
  return { due, words: describeDue(due) };
}

const namedAuthor = z
  .strictObject({
    service: textParam(100)
      .min(1)
      .meta({ description: 'Name of the service that returned the author.', examples: ['hosted'] }),
    author: textParam(200)
      .min(1)
      .meta({ description: '@username, or the id on the service.', examples: ['91'] }),
  })
  .meta({ examples: [{ service: 'hosted', author: '91' }] });
const authorMembers = {
  author: z.string().describe('Id on the service; of a forgotten author as it was given.'),
  username: z.string().nullable(),
  service: z.string(),
};

export const ERASE_OPERATIONS = [
  declareOperation({
    tag: 'retention',
    scope: 'read',
    id: 'getRetention',
    route: 'GET /api/v1/retention',
    does: 'Get retention periods, table sizes and expired data',
    more: 'Workers delete expired data once an hour.',
    input: z.strictObject({}),
    output: z.object({
      answer_days: days,
      reject_days: days,
      message_days: days,
      audit_days: days,
      snapshot_days: days.nullable().describe('Days, by month; null: kept indefinitely.'),
      due: z
        .object({
          ...counts,
          answer_bytes: z.number().describe('Size of the raw responses.'),
          months: z
            .array(z.object({ name: z.string(), due: z.boolean() }).loose())
            .describe('Months of snapshots.'),
        })
        .describe('What has expired.'),
      words,
      tables: z
        .array(z.object({ table: z.string(), bytes: z.number(), rows: z.number().nullable() }).loose())
        .describe('Sizes; `rows` is an estimate.'),
    }),
    runsIn: 'server',
    run: async ({ ctx }) => {
      const { readTableSizes } = await loadRetention();
      const { answerDays, rejectDays, messageDays, auditDays, snapshotDays = null } = ctx.config;
      return {
        answer_days: answerDays,
        reject_days: rejectDays,
        message_days: messageDays,
        audit_days: auditDays,
        snapshot_days: snapshotDays,
        ...(await readDue(ctx)),
        tables: await readTableSizes(ctx.db),
      };
    },
  }),
  declareOperation({
    tag: 'retention',
    scope: 'admin',
    id: 'runRetention',
    route: 'POST /api/v1/retention/run',
    does: 'Delete expired data now',
    more: 'What is not finished, because a partition is locked, is deleted by workers.',
    input: z.strictObject({}),
    output: z.object({
      ...counts,
      months: z.array(z.string()).describe('Months of snapshots.'),
      done: z.boolean().describe('False: workers delete the rest.'),
      words,
    }),
    callsService: true,
    run: async ({ ctx, stopping }) => {
      const { applyRetention, describeExpired, retentionLimitsAt } = await loadRetention();
      const limits = retentionLimitsAt(ctx.clock.now(), ctx.config);
      const gone = await applyRetention(ctx.db, limits, () => stopping?.aborted !== true);
      return { ...gone, words: describeExpired(gone, gone.months) };
    },
  }),
  declareOperation({
    tag: 'authors',
    scope: 'read',
    id: 'previewForget',
    route: 'GET /api/v1/authors/forget',
    does: 'Preview forgetting an author',
    more: 'What would be deleted. Changes nothing.',
    input: namedAuthor,
    output: z.object({
      ...authorMembers,
      forgotten: z.boolean().describe('True: the author is forgotten already.'),
      stored: z.object({ posts: z.int(), links: z.int() }),
    }),
    run: async ({ ctx }, { service, author }) => {
      const { countStored, findAuthor } = await loadForgetting();
      const row = await findAuthor(ctx.db, service, author);
      if (row === undefined)
        return { author, username: null, service, forgotten: true, stored: { posts: 0, links: 0 } };
      const { external_id: id, username } = row;
      return { author: id, username, service, forgotten: false, stored: await countStored(ctx, row) };
    },
  }),
  declareOperation({
    tag: 'authors',
    scope: 'admin',
    id: 'forgetAuthor',
    route: 'POST /api/v1/authors/forget',
    does: 'Delete an author and everything stored about them, for good',
    more: 'Posts and reposts of them, counters, links to them, and raw responses that name them. Later runs do not store them again.',
    input: namedAuthor,
    output: z.object({
      ...authorMembers,
      removed: z.record(z.string(), z.int()).describe('Deleted rows, by what they were.'),
    }),
    callsService: true,
    run: async ({ ctx }, { service, author }) => {
      const { findAuthor, forgetAuthor } = await loadForgetting();
      const row = await findAuthor(ctx.db, service, author);
      if (row === undefined) return { author, username: null, service, removed: {} };
      const { external_id: id, username } = row;
      return { author: id, username, service, removed: await forgetAuthor(ctx, row) };
    },
  }),
];
