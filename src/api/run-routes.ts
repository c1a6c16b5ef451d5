import { finished } from 'node:stream';
import { z } from 'zod';
import { Refused, RUN_CODE_NAMES } from '../domain/errors.ts';
import { replayRun } from '../monitor/runs/late-and-replay.ts';
import { previewRequest } from '../monitor/runs/request-preview.ts';
import { assertFilterExists, findRunRow } from '../monitor/topics/find-by-slug.ts';
import type { Database, Id } from '../store/database.ts';
import { loadNewestResponse } from '../store/responses.ts';
import { readCalls, readRejects, readResponseNote, readRunPage } from '../store/queries/run-list.ts';
import { readSearches } from '../store/queries/search-list.ts';
import { RUN_STATUSES } from '../store/schema/analytics/run-views.ts';
import { timeShape } from '../store/row-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createIdCursor, defineListQuery, defineListReply, emptyQuery } from './pagination.ts';
import { idParam, timeParam, searchSlug, topicSlug } from './request-shapes.ts';
import { Bytes, Call, Reject, Run, defineRowWith } from './reply-shapes.ts';

const tags = ['runs'];
const params = z.strictObject({ run: idParam });
const cursor = createIdCursor('runs');
const rejectCursor = createIdCursor('rejects');
const runCode = z.enum(RUN_CODE_NAMES);

const RunWhole = defineRowWith('RunWhole', 'runs', {
  request: z
    .object({
      method: z.string(),
      path: z.string().describe('Of the service; its host is set up where strandline runs.'),
      headers: z.record(z.string(), z.string()).describe('Without the key.'),
      body: z.string().describe('JSON.'),
    })
    .nullable()
    .describe('What was or will be sent, in the words of its service as they are today.'),
  call_rows: z.array(Call).describe('Its calls, in order.'),
  answer: z
    .object({
      n: z.int().describe('Number of the call that brought it.'),
      content_type: z.string().nullable(),
      bytes: z.int().describe('Decoded.'),
      stored_bytes: z.int().describe('As it is stored.'),
      received_at: timeShape,
    })
    .nullable()
    .describe('What is kept of its answer; null where it expired or never came.'),
});

export function runRoutes(app: App, routeContext: RouteContext): void {
  runListRoutes(app, routeContext);
  singleRunRoutes(app, routeContext);
}

function runListRoutes(app: App, { ctx: { db } }: RouteContext): void {
  app.get(
    '/api/v1/runs',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listRuns',
        summary: 'Runs, the newest first',
        description:
          'Runs that were skipped are rows too, with `reason`. A run that failed says why in `code`.',
        tags,
        querystring: defineListQuery(cursor, {
          topic: topicSlug.optional(),
          search: searchSlug.optional(),
          status: z.enum(RUN_STATUSES).optional(),
          code: runCode.optional().describe('Why they failed.'),
          since: timeParam.optional().describe('Made at this time or later.'),
        }),
        response: { 200: defineListReply(Run) },
      },
    },
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      const { topic, search, ...others } = filter;
      const searches = await findSearchIds(db, { topic, search });
      const { runs } = await readRunPage(db, { ...others, searches, before: after?.[0], limit: limit + 1 });
      return reply(runs, ({ id }) => [id]);
    },
  );

  app.get(
    '/api/v1/runs/:run/rejects',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listRejects',
        summary: 'What of the answer of a run could not be read',
        description:
          'Each is one item of the response with its path, the reason and a sample; the rest of the response was read.',
        tags,
        params,
        querystring: defineListQuery(rejectCursor, {}),
        response: { 200: defineListReply(Reject) },
      },
    },
    async ({ params: path, query }) => {
      const { limit, after, reply } = rejectCursor.pageOf(query, path);
      await findRunRow(db, path.run);
      const rows = await readRejects(db, path.run, { after: after?.[0], limit: limit + 1 });
      return reply(rows, ({ id }) => [id]);
    },
  );
}

function singleRunRoutes(app: App, { ctx }: RouteContext): void {
  const { db } = ctx;
  app.get(
    '/api/v1/runs/:run',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getRun',
        summary: 'A run with what was asked, its calls, and what is kept of its answer',
        description:
          'The request as it is sent today, without the key; the paid calls in order; and a note of the stored response, whose bytes `getRunAnswer` returns.',
        tags,
        params,
        querystring: emptyQuery,
        response: { 200: RunWhole },
      },
    },
    async ({ params: { run: id } }) => {
      const run = await findRunRow(db, id);
      const [request, call_rows, answer] = await Promise.all([
        previewRequest(ctx, id),
        readCalls(db, id),
        readResponseNote(db, id),
      ]);
      return { ...run, request, call_rows, answer: answer ?? null };
    },
  );

  app.get(
    '/api/v1/runs/:run/answer',
    {
      config: { scope: 'read', sends: ['Content-Disposition'] },
      schema: {
        operationId: 'getRunAnswer',
        summary: 'The kept answer of a run, as it came: text from outside, to be saved and not shown',
        description:
          'The bytes of the response as the service sent them. Treat them as untrusted: they are sent as a download. 404 once they have expired.',
        tags,
        params,
        querystring: emptyQuery,
        response: {
          200: {
            description: 'The bytes; of what type the service said they are stands with the run.',
            content: { 'application/octet-stream': { schema: Bytes } },
          },
        },
      },
    },
    async (request, reply) => {
      const { run: id } = request.params;
      await findRunRow(db, id);
      finished(reply.raw, app.shares.answers.take(request));
      const answer = await loadNewestResponse(db, id);
      if (answer === null) throw new Refused('not_found', `run ${id} has no kept answer`);
      return reply
        .type('application/octet-stream')
        .header('content-disposition', `attachment; filename="run-${id}-answer"`)
        .header('x-content-type-options', 'nosniff')
        .send(answer.body);
    },
  );

  app.post(
    '/api/v1/runs/:run/replay',
    {
      config: { scope: 'write', callsService: true },
      schema: {
        operationId: 'replayRun',
        summary: 'Read the kept answer of a run again, with the reader of today; nobody is called',
        description: 'Where the answer still cannot be read, the code of the failure is in type.',
        tags,
        params,
        querystring: emptyQuery,
        response: { 200: Run },
      },
    },
    async ({ params: { run: id }, acting }) => {
      await replayRun(acting, id);
      return findRunRow(db, id);
    },
  );
}

/** Ids of the searches that the filter names, removed ones included; undefined: all. @throws Refused `not_found` */
async function findSearchIds(
  db: Database,
  { topic, search }: { topic: string | undefined; search: string | undefined },
): Promise<readonly Id[] | undefined> {
  if (topic === undefined && search === undefined) return undefined;
  await assertFilterExists(db, { topic, search });
  const rows = await readSearches(db, { topic, removed: true, limit: MAX_SEARCHES });
  return rows.flatMap(({ id, slug }) => (search === undefined || slug === search ? [id] : []));
}

/** More searches than anybody has. */
const MAX_SEARCHES = 100_000;
