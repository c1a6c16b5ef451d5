/** What a search will do, would do, and does at once. */
import { z } from 'zod';
import { enqueueNewRuns } from '../../monitor/enqueue.ts';
import { FAR_FUTURE } from '../../monitor/schedule/cadence.ts';
import { trySearch } from '../../monitor/run/try.ts';
import { findRunRow, findSearchRow } from '../../monitor/topic/find.ts';
import { costPerDay, type Preview, previewSearch, previewWritten } from '../../monitor/topic/preview.ts';
import { insertManualRun } from '../../monitor/topic/run-now.ts';
import { serviceKindFor } from '../../monitor/topic/service-for.ts';
import { type CallCost, readCallCost } from '../../store/reads/call-costs.ts';
import { timeShape } from '../../store/shapes.ts';
import type { App, WebHome } from '../routes.ts';
import { untilGone } from './gone.ts';
import { searchSlug } from './given.ts';
import { noQuery } from './listing.ts';
import { previewed, tried } from './search-bodies.ts';
import { rowWith } from './shapes.ts';
import { Trial } from './trial-shape.ts';

const tags = ['searches'];
const params = z.strictObject({ search: searchSlug });

const PreviewShape = z
  .object({
    words: z.string().describe('The schedule in words.'),
    next: z
      .array(z.object({ at: timeShape, local: z.string().describe('On the clock of its zone.') }))
      .describe('The next runs; none where there will be none.'),
    runs_per_day: z.int().describe('Runs in the 24 hours from now.'),
    most_runs_per_day: z.int().describe('Runs on the busiest of the seven days from its next run on.'),
    most_calls_per_day: z
      .int()
      .describe('Calls that those of the busiest day may make at most, tries after a failure included.'),
    calls_per_day_limit: z
      .int()
      .nullable()
      .describe('Calls of its whole service per UTC day; null: no limit.'),
    cost_per_day: z
      .object({
        usual_usd: z.number().describe('One call per run, at what is usual of late. US dollars.'),
        most_usd: z.number().describe('All calls, each at the most that one has cost of late. US dollars.'),
      })
      .nullable()
      .describe('Null where the service never told what such a call costs.'),
  })
  .meta({ id: 'Preview' });

const RequestedRun = rowWith('RequestedRun', 'runs', {
  already_queued: z.boolean().describe('Whether this run was queued before; then none was created.'),
});

export function searchPlanRoutes(app: App, home: WebHome): void {
  previewRoutes(app, home);
  runRoutes(app, home);
}

function previewRoutes(app: App, { ctx }: WebHome): void {
  app.get(
    '/api/v1/searches/:search/preview',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'previewSearch',
        summary: 'When a search runs next, how often, and what that may cost',
        description:
          'Times are those of its schedule, in its time zone; costs are what such calls cost lately, and null where the service never says.',
        tags,
        params,
        querystring: z.strictObject({
          count: z.coerce.number().int().min(1).max(100).default(5).describe('How many runs to tell.'),
        }),
        response: { 200: PreviewShape },
      },
    },
    async ({ params: { search: slug }, query: { count } }) => {
      const search = await findSearchRow(ctx.db, slug);
      const { service_kind: service, operation, model } = search;
      const cost = await readCallCost(ctx.db, { service, operation, model });
      return told(previewSearch(ctx, search, count), cost);
    },
  );

  app.post(
    '/api/v1/searches/preview',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'previewSchedule',
        summary: 'The same for a schedule that no search has yet',
        description:
          'Nothing is saved and nothing is called. Send a schedule (`cron` with `tz`, or `every`) to check it before creating a search.',
        tags,
        querystring: noQuery,
        body: previewed,
        response: { 200: PreviewShape },
      },
    },
    async ({ body: { service, operation, model, count, ...when } }) => {
      const kind = await serviceKindFor(ctx, service);
      const preview = previewWritten(ctx, { ...when, service_kind: kind }, count);
      return told(preview, await readCallCost(ctx.db, { service: kind, operation, model }));
    },
  );
}

function told(preview: Preview, cost: CallCost | null) {
  return {
    words: preview.words,
    next: preview.next.filter(({ at }) => at.getTime() < FAR_FUTURE),
    runs_per_day: preview.runsPerDay,
    most_runs_per_day: preview.mostRunsPerDay,
    most_calls_per_day: preview.mostCallsPerDay,
    calls_per_day_limit: preview.callsPerDayLimit,
    cost_per_day: costPerDay(preview, cost),
  };
}

function runRoutes(app: App, { ctx }: WebHome): void {
  app.post(
    '/api/v1/searches/:search/run',
    {
      config: { scope: 'run', idempotent: true, sends: ['Location'] },
      schema: {
        operationId: 'runSearch',
        summary: 'Run a search now: a worker takes it',
        description:
          'While a run of the search is queued, that run is returned and no other is created. How it goes is told by the run, and by events.',
        tags,
        params,
        querystring: noQuery,
        response: { 202: RequestedRun },
      },
    },
    async ({ params: { search }, execution, acting }, reply) => {
      const { runId, alreadyQueued } = await insertManualRun(acting, search, execution);
      if (!alreadyQueued) await enqueueNewRuns(ctx, [runId], 'manual');
      return reply
        .code(202)
        .header('location', `/api/v1/runs/${runId}`)
        .send({ ...(await findRunRow(ctx.db, runId)), already_queued: alreadyQueued });
    },
  );

  app.post(
    '/api/v1/searches/try',
    {
      config: { scope: 'run', idempotent: true, callsService: true },
      schema: {
        operationId: 'trySearch',
        summary: 'Try out a search that is not saved: one call, shown and not kept',
        description:
          'Counts as a call of the day, whether or not anybody waits for its end. Where the call fails, the code of the failure is in type.',
        tags,
        querystring: noQuery,
        body: tried,
        response: { 200: Trial },
      },
    },
    async (request, reply) => {
      const { shown, ...written } = request.body;
      return trySearch(ctx, written, { signal: untilGone(request, reply), shown });
    },
  );
}
