/** Previews of a schedule and its cost, a run now, and a trial of a search that is not saved. */

import { forCounters, POST_COUNTERS } from '../domain/counters.ts';
import { OPERATIONS, SOURCES } from '../domain/enumerations.ts';
import { enqueueNewRuns } from '../monitor/enqueue.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { dryRunSearch } from '../monitor/runs/dry-run.ts';
import { FAR_FUTURE } from '../monitor/schedule/cadence.ts';
import { findRunRow, findSearchRow } from '../monitor/topics/find-by-slug.ts';
import { insertManualRun } from '../monitor/topics/run-now.ts';
import {
  estimateDayCost,
  previewSearch,
  previewWrittenSchedule,
  type SchedulePreview,
} from '../monitor/topics/schedule-preview.ts';
import { chooseServiceKind } from '../monitor/topics/service-choice.ts';
import { type CallCost, readCallCost } from '../store/queries/call-costs.ts';
import { idShape, timeShape } from '../store/row-shapes.ts';
import { SERVICE_KINDS } from '../store/services.ts';
import { abortUnlessIdempotent } from './idempotency-key.ts';
import { emptyQuery } from './pagination.ts';
import { defineRowWith } from './reply-shapes.ts';
import { schedulePreviewBody, searchSlug, searchTrialBody } from './request-shapes.ts';
import { z } from 'zod';

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

const RequestedRun = defineRowWith('RequestedRun', 'runs', {
  already_queued: z.boolean().describe('Whether this run was queued before; then none was created.'),
});

export function searchPlanRoutes(app: App, routeContext: RouteContext): void {
  previewRoutes(app, routeContext);
  executionRoutes(app, routeContext);
}

function previewRoutes(app: App, { ctx }: RouteContext): void {
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
      return toPreviewReply(previewSearch(ctx, search, count), cost);
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
        querystring: emptyQuery,
        body: schedulePreviewBody,
        response: { 200: PreviewShape },
      },
    },
    async ({ body: { service, operation, model, count, ...when } }) => {
      const kind = await chooseServiceKind(ctx, service);
      const preview = previewWrittenSchedule(ctx, { ...when, service_kind: kind }, count);
      return toPreviewReply(preview, await readCallCost(ctx.db, { service: kind, operation, model }));
    },
  );
}

function toPreviewReply(preview: SchedulePreview, cost: CallCost | null) {
  return {
    words: preview.words,
    next: preview.next.filter(({ at }) => at.getTime() < FAR_FUTURE),
    runs_per_day: preview.runsPerDay,
    most_runs_per_day: preview.mostRunsPerDay,
    most_calls_per_day: preview.mostCallsPerDay,
    calls_per_day_limit: preview.callsPerDayLimit,
    cost_per_day: estimateDayCost(preview, cost),
  };
}

function executionRoutes(app: App, { ctx }: RouteContext): void {
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
        querystring: emptyQuery,
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
        querystring: emptyQuery,
        body: searchTrialBody,
        response: { 200: Trial },
      },
    },
    async (request, reply) => {
      const { shown, ...written } = request.body;
      return dryRunSearch(ctx, written, { signal: abortUnlessIdempotent(request, reply), shown });
    },
  );
}

const nullableText = z.string().nullable();
const postCounters = forCounters(POST_COUNTERS, () => z.number().nullable().describe('Null when unknown.'));
const knownMember = z.boolean().describe('Whether the database holds it already, through whichever search.');

const TrialPost = z.object({
  external_id: z.string().describe('Id given by the service.'),
  author_username: nullableText,
  author_name: nullableText,
  text: z.string(),
  url: nullableText,
  created_at: timeShape.nullable().describe('When it was written; null when unknown.'),
  lang: nullableText,
  ...postCounters,
  known: knownMember,
});

const TrialLink = z.object({
  url: z.string(),
  site: z.string(),
  source: z.enum(SOURCES),
  title: nullableText,
  snippet: nullableText,
  published_at: timeShape.nullable(),
  known: knownMember,
});

/** What a trial found. */
const Trial = z
  .object({
    id: idShape.describe('Key in the view trials.'),
    service: z.string(),
    service_kind: z.enum(SERVICE_KINDS),
    operation: z.enum(OPERATIONS),
    sent_at: timeShape,
    received_at: timeShape,
    latency_ms: z.number().describe('From request to last byte, in milliseconds.'),
    cost_usd: z
      .number()
      .nullable()
      .describe('What the call cost, in US dollars; null when the service did not say.'),
    bytes: z.int().describe('Size of the decoded answer.'),
    items_seen: z.int().describe('Items in the answer, read or not.'),
    rejected: z.int().describe('Items that could not be read.'),
    posts_found: z.int(),
    posts_known: z.int(),
    posts: z.array(TrialPost).describe('The first of them, in the order of the answer.'),
    links_found: z.int(),
    links_known: z.int(),
    links: z.array(TrialLink).describe('The first of them, in the order of the answer.'),
    completion: z
      .object({
        summary: nullableText,
        microblog_summary: nullableText,
        discussion_board_summary: nullableText,
        news_forum_summary: nullableText,
      })
      .nullable(),
    warnings: z.array(z.unknown()).describe('What the service says was not as asked.'),
  })
  .meta({ id: 'Trial' });
