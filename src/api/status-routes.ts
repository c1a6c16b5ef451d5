import { z } from 'zod';
import { MODELS, OPERATIONS } from '../domain/enumerations.ts';
import { RUN_CODE_NAMES } from '../domain/errors.ts';
import { readServices, readStatus } from '../monitor/status/system-status.ts';
import { readCallCosts } from '../store/queries/call-costs.ts';
import { RUN_STATUSES } from '../store/schema/analytics/run-views.ts';
import { SEARCH_STATES } from '../store/schema/analytics/topic-views.ts';
import { SERVICE_KINDS } from '../store/services.ts';
import { idShape, timeShape } from '../store/row-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { emptyQuery } from './pagination.ts';

const tallies = z.record(z.string(), z.int());
const runCode = z.enum(RUN_CODE_NAMES);

const serviceMembers = {
  name: z.string(),
  kind: z.enum(SERVICE_KINDS),
  address: z
    .string()
    .nullable()
    .describe('Of a hosted service, without what is secret in it; null for those of this program.'),
  calls_today: z.int().describe('Calls of this UTC day; a lost one counts as made.'),
  cost_usd_today: z.number().nullable().describe('US dollars; null when no answer named a cost.'),
  calls_without_cost_today: z.int().describe('Calls of today whose answer named no cost.'),
  searches: tallies.describe('How many of its searches are in which state.'),
  calls_per_day: z.int().nullable().describe('Most calls per UTC day; null: no limit.'),
  missing: z.string().nullable().describe('Why none of its searches can run; null: nothing is missing.'),
};

const Status = z
  .object({
    database: z.object({
      kind: z.enum(['embedded', 'own']),
      version: z.string(),
      name: z.string(),
      data_directory: z.string().nullable(),
    }),
    queue: z.object({
      kind: z.enum(['redis', 'postgres']),
      reachable: z.boolean(),
      depth: tallies.nullable().describe('Jobs by state; null when it did not answer.'),
    }),
    scan: z
      .object({
        scanned_at: timeShape.describe('When the last scan began.'),
        age_seconds: z.number().describe('How long ago that is, by the clock of the database.'),
        late: z
          .boolean()
          .describe('More than 30 seconds ago: no worker scans, and nothing that is due runs.'),
      })
      .describe('The scan looks for what is due.'),
    services: z.array(z.object(serviceMembers)),
    workers: z
      .array(
        z.object({
          name: z.string(),
          version: z.string(),
          queue: z.string(),
          concurrency: z.int().describe('Most runs at a time.'),
          skew_ms: z.number().describe('Its clock minus that of the database, in milliseconds.'),
          started_at: timeShape,
          seen_at: timeShape,
          silent: z.boolean().describe('Not heard of for 90 seconds: it has probably ended.'),
        }),
      )
      .describe('Those that gave a sign within a day.'),
    runs_24h: z.array(
      z.object({
        status: z.enum(RUN_STATUSES),
        code: runCode.nullable(),
        reason: z.string().nullable(),
        runs: z.int(),
      }),
    ),
    unread_responses: z
      .object({
        stored: z.int().describe('Stored and not parsed yet, those of runs in progress included.'),
        spooled: z.int().describe('On the disk of live workers: the database has not taken them yet.'),
        late: z.int().describe('Of those stored, unread for more than a minute.'),
        oldest_at: timeShape
          .nullable()
          .describe('When the oldest of those stored was received; null: none is unread.'),
        oldest_seconds: z.number().nullable().describe('How long ago that is.'),
        oldest_run_id: idShape.nullable().describe('Its run.'),
      })
      .describe('Paid responses whose results are not saved yet.'),
    set_aside: z
      .array(
        z.object({
          search: z.string(),
          run_id: idShape,
          at: timeShape.describe(
            'When its response was received: trends of the search are derived up to here.',
          ),
          attempts: z.int(),
          code: z.string().describe('Of its last failure: a code of Postgres, or the kind of an error.'),
          retry_at: timeShape,
          readings: z.int().describe('Of the search, that wait with it.'),
        }),
      )
      .describe('Readings that nothing can be derived from; the trends of their searches wait. At most 100.'),
    silent: z
      .object({
        total: z.int(),
        searches: z
          .array(
            z.object({
              slug: z.string(),
              topic: z.string(),
              since: timeShape.describe('Without a successful run since then.'),
              last_success_at: timeShape.nullable().describe('Null: it never had a successful run.'),
              run_id: idShape.nullable().describe('The newest run that ended; null: none did.'),
              run_status: z.enum(RUN_STATUSES).nullable(),
              run_code: runCode.nullable(),
              run_reason: z.string().nullable(),
              run_ended_at: timeShape.nullable(),
            }),
          )
          .describe('At most 100, those without a successful run for longest first.'),
      })
      .describe('Active searches without a successful run for three intervals.'),
    resting: z
      .array(
        z.object({
          slug: z.string(),
          topic: z.string(),
          state: z.enum(SEARCH_STATES),
          state_reason: z.string().nullable(),
          state_since: timeShape,
        }),
      )
      .describe('Searches that do not run.'),
    next: z
      .array(
        z.object({
          search: z.string(),
          topic: z.string(),
          tz: z.string(),
          next_due_at: timeShape,
          local: z.string().describe('On the clock of its zone.'),
        }),
      )
      .describe('The searches that are due next.'),
  })
  .meta({ id: 'Status' });

const Service = z
  .object({
    ...serviceMembers,
    call_costs: z
      .array(
        z.object({
          operation: z.enum(OPERATIONS),
          model: z.enum(MODELS),
          calls: z.int().describe('Of how many calls this is known; of the last 100 at most.'),
          median_usd: z.number().describe('US dollars.'),
          most_usd: z.number().describe('US dollars.'),
        }),
      )
      .describe('What its calls cost of late, as it said itself; empty where it never did.'),
  })
  .meta({ id: 'Service' });

export function statusRoutes(app: App, { ctx, embedded }: RouteContext): void {
  app.get(
    '/api/v1/status',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getStatus',
        summary: 'How it goes: database, queue, services, workers, runs, what comes next',
        description:
          'One look at the whole installation: what is reachable, which workers are alive, how runs of the last 24 hours ended, which searches are silent or do not run, and what is due next.',
        tags: ['status'],
        querystring: emptyQuery,
        response: { 200: Status },
      },
    },
    () => readStatus(ctx, embedded),
  );

  app.get(
    '/api/v1/services',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listServices',
        summary: 'Who is asked, how much today, and what that costs',
        description: 'There are three at most: all of them are told at once.',
        tags: ['status'],
        querystring: emptyQuery,
        response: { 200: z.object({ items: z.array(Service), next_cursor: z.null() }) },
      },
    },
    async () => {
      const services = await readServices(ctx);
      const items = await Promise.all(
        services.map(async (service) => ({
          ...service,
          call_costs: await readCallCosts(ctx.db, service.kind),
        })),
      );
      return { items, next_cursor: null };
    },
  );
}
