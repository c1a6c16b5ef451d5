/** Previews of schedules and their cost, manual runs, and trials of searches that are not saved. */

import { forCounters, POST_COUNTERS } from '../model/counters.ts';
import { OPERATIONS, SOURCES } from '../model/enumerations.ts';
import { enqueueNewRuns } from '../monitor/enqueue.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { trySearch } from '../monitor/runs/trial.ts';
import { findRunRow, findSearchRow } from '../monitor/topics/find-by-slug.ts';
import { insertManualRun } from '../monitor/topics/run-now.ts';
import { forecastSaved, forecastSearches, toPreviewJson } from '../monitor/topics/search-forecast.ts';
import { chooseServiceKind, findDefaultKind } from '../monitor/topics/service-choice.ts';
import { countParam, idShape, timeShape, searchSlug } from '../model/value-shapes.ts';
import { SERVICE_KINDS } from '../model/closed-lists.ts';
import { operation } from './operation.ts';
import { abortUnlessIdempotent } from './idempotency-key.ts';
import { MissingTools } from './reply-shapes.ts';
import { defineRowWith } from '../store/db/row-shapes.ts';
import { schedulePreviewBody, searchTrialBody } from '../monitor/topics/topic-inputs.ts';
import { z } from 'zod';

const tags = ['searches'];
const params = z.strictObject({ search: searchSlug });

const CostShape = z
  .object({
    usual_usd: z.number().describe('US dollars, with one call per run at the median recent cost.'),
    most_usd: z.number().describe('US dollars, with all calls at the highest recent cost.'),
  })
  .nullable();

const PreviewShape = z
  .object({
    words: z.string().describe('Schedule in words.'),
    next: z
      .array(z.object({ at: timeShape, local: z.string().describe('Local time in its time zone.') }))
      .describe('Next runs; empty if there are none.'),
    runs_per_day: z.int().describe('Runs in the 24 hours from now.'),
    most_runs_per_day: z
      .int()
      .describe('Runs on the busiest of the seven days that start with the next run.'),
    most_calls_per_day: z.int().describe('Maximum calls on the busiest day, including retries.'),
    calls_per_day_limit: z
      .int()
      .nullable()
      .describe('Limit of calls to the service per UTC day; null: no limit.'),
    expected_calls_per_day: z
      .number()
      .nullable()
      .describe('Calls per day by the measured rate of posts; null if it is not known.'),
    expected_share_found: z
      .number()
      .nullable()
      .describe('Share of posts that these calls find, by the measured rate; null if it is not known.'),
    calls_per_month: z.int().describe('Calls in the 30 days from now, with one per run.'),
    most_calls_per_month: z.int().describe('Maximum calls in these 30 days, including retries.'),
    cost_per_day: CostShape.describe(
      'Of the busiest day, or the expected one of an adaptive interval. Null if the service has never reported the cost of such a call.',
    ),
    cost_per_month: CostShape.describe('Of 30 days. Null if the cost of such a call was never reported.'),
    missing_tools: MissingTools,
  })
  .meta({ id: 'Preview' });

const SearchPreviewShape = PreviewShape.extend({}).meta({ id: 'SearchPreview' });

const RequestedRun = defineRowWith('RequestedRun', 'runs', {
  already_queued: z.boolean().describe('True if this run was already queued and no new run was created.'),
});

export function searchPlanRoutes(app: App, routeContext: RouteContext): void {
  previewRoutes(app, routeContext);
  executionRoutes(app, routeContext);
}

function previewRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/searches/:search/preview',
    operation({
      scope: 'read',
      operationId: 'previewSearch',
      summary: 'Preview the schedule and cost of a search',
      description:
        'The next runs in the time zone of the schedule, and the cost by the recent cost of such calls; null if the service never reports it.',
      tags,
      params,
      querystring: z.strictObject({
        count: countParam(100, 5).describe('Number of runs to list.'),
      }),
      response: { 200: SearchPreviewShape },
    }),
    async ({ params: { search: slug }, query: { count } }) =>
      toPreviewJson(await forecastSaved(ctx, [await findSearchRow(ctx.db, slug)], { count })),
  );

  app.post(
    '/api/v1/searches/preview',
    operation({
      scope: 'read',
      operationId: 'previewSchedule',
      summary: 'Preview a schedule that is not saved',
      description:
        'Checks a schedule (`cron` with `tz`, or `every`) before you create a search. Saves nothing and makes no call.',
      tags,
      body: schedulePreviewBody,
      response: { 200: PreviewShape },
    }),
    async ({ body: { service, count, ...search } }) => {
      const kind = await chooseServiceKind(ctx, service ?? findDefaultKind(ctx));
      return toPreviewJson(await forecastSearches(ctx, kind, [{ name: 'preview', ...search }], { count }));
    },
  );
}

function executionRoutes(app: App, { ctx }: RouteContext): void {
  app.post(
    '/api/v1/searches/:search/run',
    operation({
      scope: 'run',
      idempotent: true,
      sends: ['Location'],
      operationId: 'runSearch',
      summary: 'Run a search now',
      description:
        'Queues a run for a worker. If a run of the search is already queued, returns that run. To follow it, use `getRun` or `followEvents`.',
      tags,
      params,
      response: { 202: RequestedRun },
    }),
    async ({ params: { search }, acting }, reply) => {
      const { runId, alreadyQueued } = await insertManualRun(acting, search);
      if (!alreadyQueued) await enqueueNewRuns(acting, [runId], 'manual');
      void reply.code(202).header('location', `/api/v1/runs/${runId}`);
      return { ...(await findRunRow(acting.db, runId)), already_queued: alreadyQueued };
    },
  );

  app.post(
    '/api/v1/searches/try',
    operation({
      scope: 'run',
      idempotent: true,
      callsService: true,
      operationId: 'trySearch',
      summary: 'Try a search without saving it',
      description:
        'Makes one call and returns its results without storing them. The call counts against the daily limit, even if the client disconnects. If it fails, `type` contains the code.',
      tags,
      body: searchTrialBody,
      response: { 200: Trial },
    }),
    async (request, reply) => {
      const { shown, ...written } = request.body;
      return trySearch(ctx, written, { signal: abortUnlessIdempotent(request, reply), shown });
    },
  );
}

const nullableText = z.string().nullable();
const postCounters = forCounters(POST_COUNTERS, () => z.number().nullable().describe('Null if unknown.'));
const knownMember = z.boolean().describe('True if any search has already found it.');

const TrialPost = z.object({
  external_id: z.string().describe('Id at the service.'),
  author_username: nullableText,
  author_name: nullableText,
  text: z.string(),
  url: nullableText,
  created_at: timeShape.nullable().describe('Time of publication; null if unknown.'),
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

const OpenedPages = z.object({
  limit_ms: z.int(),
  ms: z.int(),
  most: z.int(),
  opened: z.array(
    z.object({
      url: z.string(),
      why: nullableText.describe('Why it could not be read; null if it was.'),
      published_date: nullableText,
      author: nullableText,
      language: nullableText,
    }),
  ),
});

const AskedSource = z.object({
  source: z.string(),
  tool: z.string(),
  queries: z.array(z.string()).describe('Words as they were sent; empty if the source matches by itself.'),
  state: z.enum(['asked', 'answered', 'failed']),
  results: z.int().describe('Distinct results, before they are ranked and filtered.'),
  ms: z.int().nullable().describe('Time until its last response, in milliseconds.'),
  code: nullableText.describe('Why it failed.'),
  message: nullableText,
});

/** The result of a trial. */
const Trial = z
  .object({
    id: idShape.describe('Key in the view trials.'),
    service: z.string(),
    service_kind: z.enum(SERVICE_KINDS),
    operation: z.enum(OPERATIONS),
    sent_at: timeShape,
    received_at: timeShape,
    latency_ms: z.number().describe('From request to last byte, in milliseconds.'),
    cost_usd: z.number().nullable().describe('Cost of the call in US dollars; null if not reported.'),
    bytes: z.int().describe('Size of the decoded response.'),
    items_seen: z.int().describe('Items in the response, including rejected ones.'),
    rejected: z.int().describe('Items that could not be parsed.'),
    posts_found: z.int(),
    posts_known: z.int(),
    posts: z.array(TrialPost).describe('The first results, in the order of the response.'),
    links_found: z.int(),
    links_known: z.int(),
    links: z.array(TrialLink).describe('The first results, in the order of the response.'),
    completion: z
      .object({
        summary: nullableText,
        microblog_summary: nullableText,
        discussion_board_summary: nullableText,
        news_forum_summary: nullableText,
      })
      .nullable(),
    warnings: z.array(z.unknown()).describe('Warnings of the service.'),
    plan: z
      .array(AskedSource)
      .nullable()
      .describe('What each source was asked, and what it returned; null if the service does not say.'),
    pages: OpenedPages.nullable().describe(
      'Pages that the service opened for its answer; null if it opened none, or does not say.',
    ),
  })
  .meta({ id: 'Trial' });
