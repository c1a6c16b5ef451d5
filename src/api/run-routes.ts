import { finished } from 'node:stream';
import { z } from 'zod';
import { awaitMembers } from '../lib/await-members.ts';
import { Refused, RUN_CODE_NAMES } from '../model/errors.ts';
import { replayRun } from '../monitor/runs/late-and-replay.ts';
import { previewRequest } from '../monitor/runs/request-preview.ts';
import { findRunRow, findScope } from '../monitor/topics/find-by-slug.ts';
import { loadNewestResponse } from '../store/runs/responses.ts';
import { readCalls, readRejects, readResponseNote, readRunPage } from '../store/queries/run-list.ts';
import { readRunTools } from '../store/queries/run-tools.ts';
import { RUN_STATUSES } from '../model/closed-lists.ts';
import { timeShape, idParam, timeParam } from '../model/value-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { operation } from './operation.ts';
import { createIdCursor, defineListQuery, defineListReply } from './pagination.ts';
import { scopeParams } from '../monitor/common-inputs.ts';
import { Call, Reject, Run, RunTool } from '../monitor/runs/run-shapes.ts';
import { Bytes } from './reply-shapes.ts';
import { defineRowWith } from '../store/db/row-shapes.ts';

const tags = ['runs'];
const params = z.strictObject({ run: idParam });
const cursor = createIdCursor('runs');
const rejectCursor = createIdCursor('rejects');
const runCode = z.enum(RUN_CODE_NAMES);

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
});

export function runRoutes(app: App, routeContext: RouteContext): void {
  runListRoutes(app, routeContext);
  singleRunRoutes(app, routeContext);
}

function runListRoutes(app: App, { ctx: { db } }: RouteContext): void {
  app.get(
    '/api/v1/runs',
    operation({
      scope: 'read',
      operationId: 'listRuns',
      summary: 'List runs',
      description: 'Newest first. Includes skipped slots, with `reason`. `code` explains why a run failed.',
      tags,
      querystring: defineListQuery(cursor, {
        ...scopeParams,
        status: z.enum(RUN_STATUSES).optional(),
        code: runCode.optional().describe('Failure code.'),
        since: timeParam.optional().describe('Created at or after this time.'),
      }),
      response: { 200: defineListReply(Run) },
    }),
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      const { topic, search, ...others } = filter;
      const scope = await findScope(db, { topic, search });
      const { runs } = await readRunPage(db, { ...others, ...scope, before: after?.[0], limit });
      return reply(runs, ({ id }) => [id]);
    },
  );

  app.get(
    '/api/v1/runs/:run/rejects',
    operation({
      scope: 'read',
      operationId: 'listRejects',
      summary: 'List the rejected items of a run',
      description:
        'Items of the response that could not be parsed, each with its path, the reason and a sample.',
      tags,
      params,
      querystring: defineListQuery(rejectCursor, {}),
      response: { 200: defineListReply(Reject) },
    }),
    async ({ params: path, query }) => {
      const { limit, after, reply } = rejectCursor.pageOf(query, path);
      await findRunRow(db, path.run);
      const rows = await readRejects(db, path.run, { after: after?.[0], limit });
      return reply(rows, ({ id }) => [id]);
    },
  );
}

function singleRunRoutes(app: App, { ctx }: RouteContext): void {
  const { db } = ctx;
  app.get(
    '/api/v1/runs/:run',
    operation({
      scope: 'read',
      operationId: 'getRun',
      summary: 'Get a run',
      description:
        'With the request (without the API key), its tools and calls, and the size and type of the stored response. `getRunAnswer` returns the response itself.',
      tags,
      params,
      response: { 200: RunWhole },
    }),
    async ({ params: { run: id } }) => {
      const run = await findRunRow(db, id);
      const parts = await awaitMembers({
        request: previewRequest(ctx, id),
        tools: readRunTools(db, [id]),
        call_rows: readCalls(db, id),
        answer: readResponseNote(db, id),
      });
      return { ...run, ...parts, answer: parts.answer ?? null };
    },
  );

  app.get(
    '/api/v1/runs/:run/answer',
    operation({
      scope: 'read',
      sends: ['Content-Disposition'],
      operationId: 'getRunAnswer',
      summary: 'Download the raw response of a run',
      description:
        'The bytes that the service sent, as a download. Treat them as untrusted. Returns 404 once they have expired.',
      tags,
      params,
      response: {
        200: {
          description: 'The raw response. `getRun` returns its content type.',
          content: { 'application/octet-stream': { schema: Bytes } },
        },
      },
    }),
    async (request, reply) => {
      const { run: id } = request.params;
      await findRunRow(db, id);
      finished(reply.raw, app.shares.answers.take(request));
      const answer = await loadNewestResponse(db, id);
      if (answer === null) throw new Refused('not_found', `run ${id} has no stored response`);
      return reply
        .type('application/octet-stream')
        .header('content-disposition', `attachment; filename="run-${id}-answer"`)
        .header('x-content-type-options', 'nosniff')
        .send(answer.body);
    },
  );

  app.post(
    '/api/v1/runs/:run/replay',
    operation({
      scope: 'write',
      callsService: true,
      operationId: 'replayRun',
      summary: 'Parse the stored response of a run again',
      description:
        'Uses the current parser and makes no call. If the response still cannot be parsed, `type` contains the code.',
      tags,
      params,
      response: { 200: Run },
    }),
    async ({ params: { run: id }, acting }) => {
      await replayRun(acting, id);
      return findRunRow(db, id);
    },
  );
}
