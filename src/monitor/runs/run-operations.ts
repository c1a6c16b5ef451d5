/** Operations on runs: list them, show a run with its calls and rejects, and parse a stored response again. */
import { z } from 'zod';
import { awaitMembers } from '../../lib/await-members.ts';
import { RUN_STATUSES } from '../../model/closed-lists.ts';
import { RUN_CODE_NAMES } from '../../model/errors.ts';
import { idParam, timeShape } from '../../model/value-shapes.ts';
import type { Id } from '../../store/db/database.ts';
import { defineRowWith } from '../../store/db/row-shapes.ts';
import { readRunCompletion } from '../../store/queries/completions.ts';
import { readCalls, readRejects, readResponseNote, readRunPage } from '../../store/queries/run-list.ts';
import { readRunTools } from '../../store/queries/run-tools.ts';
import { BY_ID, lastIdOf, pastTime, scopeParams, TIME_EXAMPLES } from '../common-inputs.ts';
import { Completion } from '../items/item-shapes.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { findRunRow, findScope, isFreeSearch } from '../topics/find-by-slug.ts';
import { Call, Reject, Run, RunTool } from './run-shapes.ts';

const RunWhole = defineRowWith('RunWhole', 'runs', {
  request: z
    .object({
      method: z.string(),
      path: z.string().describe('Path at the service. Its host is part of the configuration.'),
      headers: z.record(z.string(), z.string()).describe('Headers, without the API key.'),
      body: z.string().describe('JSON.'),
    })
    .nullable()
    .describe('The request, in the current dialect of the service.'),
  tools: z.array(RunTool).describe('Tools that it asked, and whether they responded.'),
  call_rows: z.array(Call).describe('Calls of the run, in order.'),
  answer: z
    .object({
      n: z.int().describe('Number of its call.'),
      content_type: z.string().nullable(),
      bytes: z.int().describe('Size, decoded.'),
      stored_bytes: z.int().describe('Size as stored.'),
      received_at: timeShape,
    })
    .nullable()
    .describe('The stored response; null if there is none or it has expired.'),
  free: z.boolean().describe('Whether calls of its search are known to cost nothing.'),
  completion: Completion.nullable().describe('The text that it returned; null: none.'),
});

const about = { tag: 'runs', scope: 'read' } as const;
const named = z.strictObject({ run: idParam.meta({ examples: ['3'] }) });

/**
 * The commands `runs show` and `runs replay` are written by hand: `show` prints a response as it was sent, `replay` derives
 * figures where no worker does.
 */
export const RUN_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'listRuns',
    route: 'GET /api/v1/runs',
    command: 'runs list',
    does: 'List runs, newest first',
    more: 'Newest first. Includes skipped slots, with `reason`. `code` explains why a run failed.',
    input: z.strictObject({
      ...scopeParams,
      status: z.enum(RUN_STATUSES).optional().register(commandWords, { help: 'only runs with this status' }),
      code: z.enum(RUN_CODE_NAMES).optional().describe('Failure code.'),
      since: pastTime('Created at or after this time.', `only runs created since: ${TIME_EXAMPLES}`),
    }),
    output: Run,
    list: { ...BY_ID, shown: 20 },
    run: async (call, { topic, search, ...filter }) => {
      const { db } = call.ctx;
      const scope = await findScope(db, { topic, search });
      const page = { before: lastIdOf(call), limit: call.page.limit };
      return (await readRunPage(db, { ...filter, ...scope, ...page })).runs;
    },
  }),
  declareOperation({
    ...about,
    id: 'listRejects',
    route: 'GET /api/v1/runs/{run}/rejects',
    does: 'List the rejected items of a run',
    more: 'Items of the response that could not be parsed, each with its path, the reason and a sample.',
    input: named,
    output: Reject,
    list: BY_ID,
    run: async (call, { run }) => {
      const { db } = call.ctx;
      await findRunRow(db, run);
      return readRejects(db, run, { after: lastIdOf(call), limit: call.page.limit });
    },
  }),
  declareOperation({
    ...about,
    id: 'getRun',
    route: 'GET /api/v1/runs/{run}',
    does: 'Get a run',
    more: 'With the request (without the API key), its tools and calls, and the size and type of the stored response. `getRunAnswer` returns the response itself.',
    input: named,
    output: RunWhole,
    run: async ({ ctx }, { run: id }) => {
      const { db } = ctx;
      const run = await findRunRow(db, id);
      const { previewRequest } = await import('./request-preview.ts');
      const parts = await awaitMembers({
        request: previewRequest(ctx, id),
        tools: readRunTools(db, [id]),
        call_rows: readCalls(db, id),
        answer: readResponseNote(db, id),
        free: isFreeSearch(ctx, run.search),
        completion: readRunCompletion(db, id),
      });
      return { ...run, ...parts, answer: parts.answer ?? null, completion: parts.completion ?? null };
    },
  }),
  declareOperation({
    ...about,
    id: 'replayRun',
    route: 'POST /api/v1/runs/{run}/replay',
    scope: 'write',
    does: 'Parse the stored response of a run again',
    more: 'Uses the current parser and makes no call. If the response still cannot be parsed, `type` contains the code.',
    input: named,
    output: defineRowWith('ReplayedRun', 'runs', {
      replayed: z
        .object({
          posts: z.int(),
          links: z.int(),
          fresh: z.int().describe('Of these, what was not known from an earlier response.'),
        })
        .describe('What the response contains.'),
    }),
    callsService: true,
    run: async ({ ctx }, { run: id }: { run: Id }) => {
      const { replayRun } = await import('./late-and-replay.ts');
      const { findings, diff } = await replayRun(ctx, id);
      const replayed = {
        posts: findings.posts.length,
        links: findings.links.length,
        fresh: diff.newPosts.length + diff.newLinks.length,
      };
      return { ...(await findRunRow(ctx.db, id)), replayed };
    },
  }),
];
