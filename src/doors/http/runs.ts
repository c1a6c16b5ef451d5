import { finished } from 'node:stream';
import { z } from 'zod';
import { Refused, RUN_CODE_NAMES } from '../../errors.ts';
import { replayRun } from '../../monitor/run/replay.ts';
import { sentRequest } from '../../monitor/run/sent.ts';
import { assertFilter, findRunRow } from '../../monitor/topic/find.ts';
import type { Database, Id } from '../../store/database.ts';
import { loadNewestResponse } from '../../store/responses.ts';
import { readAnswerNote, readRunPage } from '../../store/reads/run-pages.ts';
import { readCalls, readRejects } from '../../store/reads/runs.ts';
import { readSearches } from '../../store/reads/searches.ts';
import { RUN_STATUSES } from '../../store/schema/analytics/runs.ts';
import { timeShape } from '../../store/shapes.ts';
import type { App, WebHome } from '../routes.ts';
import { idCursor } from './cursor.ts';
import { givenId, givenTime, searchSlug, topicSlug } from './given.ts';
import { listOf, listQuery, noQuery } from './listing.ts';
import { Bytes, Call, Reject, Run, rowWith } from './shapes.ts';

const tags = ['runs'];
const params = z.strictObject({ run: givenId });
const cursor = idCursor('runs');
const rejectCursor = idCursor('rejects');
const code = z.enum(RUN_CODE_NAMES);

const RunWhole = rowWith('RunWhole', 'runs', {
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

export function runRoutes(app: App, home: WebHome): void {
  listRoutes(app, home);
  oneRoutes(app, home);
}

function listRoutes(app: App, { ctx: { db } }: WebHome): void {
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
        querystring: listQuery(cursor, {
          topic: topicSlug.optional(),
          search: searchSlug.optional(),
          status: z.enum(RUN_STATUSES).optional(),
          code: code.optional().describe('Why they failed.'),
          since: givenTime.optional().describe('Made at this time or later.'),
        }),
        response: { 200: listOf(Run) },
      },
    },
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      const { topic, search, ...others } = filter;
      const searches = await searchIds(db, { topic, search });
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
        querystring: listQuery(rejectCursor, {}),
        response: { 200: listOf(Reject) },
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

function oneRoutes(app: App, { ctx }: WebHome): void {
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
        querystring: noQuery,
        response: { 200: RunWhole },
      },
    },
    async ({ params: { run: id } }) => {
      const run = await findRunRow(db, id);
      const [request, call_rows, answer] = await Promise.all([
        sentRequest(ctx, id),
        readCalls(db, id),
        readAnswerNote(db, id),
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
        querystring: noQuery,
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
        querystring: noQuery,
        response: { 200: Run },
      },
    },
    async ({ params: { run: id }, acting }) => {
      await replayRun(acting, id);
      return findRunRow(db, id);
    },
  );
}

/** Of the searches that are meant, those that were removed included; undefined: of all. @throws Refused `not_found` */
async function searchIds(
  db: Database,
  { topic, search }: { topic: string | undefined; search: string | undefined },
): Promise<readonly Id[] | undefined> {
  if (topic === undefined && search === undefined) return undefined;
  await assertFilter(db, { topic, search });
  const rows = await readSearches(db, { topic, removed: true, limit: ALL });
  return rows.flatMap(({ id, slug }) => (search === undefined || slug === search ? [id] : []));
}

/** More searches than anybody has. */
const ALL = 100_000;
