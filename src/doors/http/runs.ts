import { z } from 'zod';
import { Refused, RUN_CODES, type RunCode } from '../../errors.ts';
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
import { CALL_FAILURES } from './failures.ts';
import { givenId, givenTime, searchSlug, topicSlug } from './given.ts';
import { listOf, listQuery, noQuery, pageOf } from './listing.ts';
import { Call, Reject, Run, rowWith } from './shapes.ts';

const tags = ['runs'];
const params = z.strictObject({ run: givenId });
const cursor = idCursor('runs');
const rejectCursor = idCursor('rejects');
const code = z.enum(Object.keys(RUN_CODES) as RunCode[]); // Object.keys forgets the key type

/** The bytes of a reply. */
const Bytes: z.core.$ZodType = z.string().meta({ format: 'binary' });

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
    async ({ query: { limit, cursor: after, topic, search, ...filter } }) => {
      const searches = await searchIds(db, { topic, search });
      const { runs, more } = await readRunPage(db, { ...filter, searches, before: after?.[0], limit });
      const last = more ? runs.at(-1) : undefined;
      return { items: runs, next_cursor: last === undefined ? null : z.encode(cursor, [last.id]) };
    },
  );

  app.get(
    '/api/v1/runs/:run/rejects',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listRejects',
        summary: 'What of the answer of a run could not be read',
        tags,
        params,
        querystring: listQuery(rejectCursor, {}),
        response: { 200: listOf(Reject) },
      },
    },
    async ({ params: { run }, query: { limit, cursor: after } }) => {
      await findRunRow(db, run);
      const rows = await readRejects(db, run, { after: after?.[0], limit: limit + 1 });
      return pageOf(rows, limit, ({ id }) => z.encode(rejectCursor, [id]));
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
      config: { scope: 'read' },
      schema: {
        operationId: 'getRunAnswer',
        summary: 'The kept answer of a run, as it came: text from outside, to be saved and not shown',
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
    async ({ params: { run: id } }, reply) => {
      await findRunRow(db, id);
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
      config: { scope: 'write' },
      schema: {
        operationId: 'replayRun',
        summary: 'Read the kept answer of a run again, with the reader of today; nobody is called',
        description: 'Where the answer still cannot be read, the code of the failure is in type.',
        tags,
        params,
        querystring: noQuery,
        response: { 200: Run, ...CALL_FAILURES },
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
