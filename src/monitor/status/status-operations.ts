/** Operations on the installation: its status, and its services with what their calls cost. */
import { z } from 'zod';
import { MODELS, OPERATIONS } from '../../model/enumerations.ts';
import { RUN_CODE_NAMES } from '../../model/errors.ts';
import { RULE_STATES } from '../../model/alerts.ts';
import { SystemEvent } from '../alerts/problem-operations.ts';
import { CHECK_STATES } from './check.ts';
import { readServices } from './status-facts.ts';
import { SilentTool } from './status-shapes.ts';
import { readStatus } from './system-status.ts';
import { readCallCosts } from '../../store/queries/call-costs.ts';
import {
  MODEL_PURPOSES,
  PAUSE_SCOPES,
  RUN_STATUSES,
  SEARCH_STATES,
  SEARCH_STATUSES,
  SERVICE_KINDS,
  type ServiceKind,
} from '../../model/closed-lists.ts';
import { idShape, timeShape } from '../../model/value-shapes.ts';
import type { Context } from '../context.ts';
import { declareOperation } from '../operation.ts';

const tallies = z.record(z.string(), z.int());
const runCode = z.enum(RUN_CODE_NAMES);

const serviceMembers = {
  name: z.string(),
  kind: z.enum(SERVICE_KINDS),
  address: z
    .string()
    .nullable()
    .describe('URL of a hosted service, without secrets; null for built-in services.'),
  calls_today: z.int().describe('Calls in this UTC day, including lost ones.'),
  cost_usd_today: z.number().nullable().describe('US dollars; null if not reported.'),
  free: z.boolean().describe('Whether its calls are known to cost nothing.'),
  calls_without_cost_today: z.int().describe('Calls of today without a reported cost.'),
  searches: tallies.describe('Number of its searches, by state.'),
  calls_per_day: z.int().nullable().describe('Limit of calls per UTC day; null: no limit.'),
  missing: z
    .string()
    .nullable()
    .describe('Missing configuration that keeps its searches from running; null: none.'),
};

const Check = z
  .object({
    name: z.string().describe('What is checked, such as queue, or the status of a search, such as failing.'),
    state: z
      .enum(CHECK_STATES)
      .describe(
        'failed; attention: it works, and a person should know; unknown: the check could not be made; ok.',
      ),
    facts: z.string().describe('What was found, in words. Times are in UTC.'),
    advice: z.string().nullable().describe('What to do about it; null: nothing.'),
    page: z.string().nullable().describe('Path of the page about it; null: none but the page System.'),
  })
  .meta({ id: 'Check' });

const Status = z
  .object({
    checks: z
      .array(Check)
      .describe('What the other members mean, as `status`, `doctor` and the page System say it.'),
    database: z.object({
      kind: z.enum(['embedded', 'own']),
      version: z.string(),
      name: z.string(),
      data_directory: z.string().nullable(),
    }),
    queue: z.object({
      kind: z.enum(['redis', 'postgres']),
      reachable: z.boolean(),
      depth: tallies.nullable().describe('Jobs by state; null if the queue is not reachable.'),
      cause: z.string().nullable().describe('Why the queue is not reachable; null if it is.'),
    }),
    scan: z
      .object({
        scanned_at: timeShape.describe('Start of the last scan.'),
        age_seconds: z.number().describe('Time since then, by the clock of the database.'),
        late: z.boolean().describe('True after more than 30 seconds: no worker scans, so no search runs.'),
      })
      .describe('The scan that creates runs for due searches.'),
    services: z.array(z.object(serviceMembers)),
    model_calls: z
      .array(
        z.object({
          purpose: z.enum(MODEL_PURPOSES),
          day: z.string().describe('UTC day, such as 2026-11-21.'),
          calls: z.int().nullable().describe('Counted before they are sent.'),
          most: z.int().describe('Limit of the day.'),
          failed: z.int().nullable().describe('Calls without a response that could be used.'),
          calls_with_tokens: z
            .int()
            .nullable()
            .describe('Calls whose response said how many tokens it cost.'),
          input_tokens: z.int().nullable().describe('Of these calls. Null: no response said so.'),
          output_tokens: z.int().nullable().describe('Likewise.'),
        }),
      )
      .describe('Requests of today to the language model, by purpose; empty if none is configured.'),
    workers: z
      .array(
        z.object({
          name: z.string(),
          version: z.string(),
          queue: z.string(),
          concurrency: z.int().describe('Maximum number of parallel runs.'),
          skew_ms: z.number().describe('Clock difference from the database, in milliseconds.'),
          started_at: timeShape,
          seen_at: timeShape,
          silent: z.boolean().describe('No heartbeat for 90 seconds: the worker has probably ended.'),
        }),
      )
      .describe('Workers with a heartbeat in the last day.'),
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
        stored: z.int().describe('Stored and not yet parsed, including those of runs in progress.'),
        spooled: z.int().describe('On the disks of live workers, not yet stored in the database.'),
        late: z.int().describe('Stored ones that have waited for more than a minute.'),
        oldest_at: timeShape
          .nullable()
          .describe('When the oldest stored one was received; null if there is none.'),
        oldest_seconds: z.number().nullable().describe('Age of the oldest stored one.'),
        oldest_run_id: idShape.nullable().describe('Run of the oldest stored one.'),
      })
      .describe('Paid responses whose results are not yet saved.'),
    set_aside: z
      .array(
        z.object({
          search: z.string(),
          run_id: idShape,
          at: timeShape.describe(
            'When its response was received. Trends of the search are complete up to this time.',
          ),
          attempts: z.int(),
          code: z
            .string()
            .describe('Code of the last failure: a Postgres error code or the name of an error.'),
          retry_at: timeShape,
          readings: z.int().describe('Readings of the search that wait, including this one.'),
        }),
      )
      .describe(
        'Readings from which trends cannot be derived; the trends of their searches wait. At most 100.',
      ),
    silent: z
      .object({
        total: z.int(),
        searches: z
          .array(
            z.object({
              slug: z.string(),
              topic: z.string(),
              since: timeShape.describe('Start of the time without a successful run.'),
              last_success_at: timeShape.nullable().describe('Null: never.'),
              run_id: idShape.nullable().describe('Newest run that ended; null: none.'),
              run_status: z.enum(RUN_STATUSES).nullable(),
              run_code: runCode.nullable(),
              run_reason: z.string().nullable(),
              run_ended_at: timeShape.nullable(),
            }),
          )
          .describe('At most 100, longest silence first.'),
      })
      .describe('Active searches without a successful run for three intervals.'),
    search_statuses: tallies.describe('Number of searches with each status, as of `getSearch`.'),
    troubled: z
      .array(
        z.object({
          search_id: idShape,
          search: z.string(),
          topic: z.string(),
          status: z.enum(SEARCH_STATUSES),
          since: timeShape.nullable().describe('When this status began.'),
          reason: z.string().nullable().describe('Why, in words.'),
          advice: z.string().nullable().describe('What a person can do about it.'),
          last_run_id: idShape.nullable().describe('Newest run that succeeded or failed; null: none.'),
          last_run_at: timeShape.nullable(),
          last_success_at: timeShape.nullable(),
          next_due_at: timeShape.nullable(),
          paused_until: timeShape.nullable().describe('Null: it is not paused.'),
          pauses: z.array(z.enum(PAUSE_SCOPES)).describe('Empty: it is not paused.'),
        }),
      )
      .describe(
        'Searches that are broken, failing, silent, capped, or return nothing where results are usual, worst first. At most 100.',
      ),
    incomplete: z
      .array(
        z.object({
          slug: z.string(),
          topic: z.string(),
          missed_share: z
            .number()
            .describe('Estimated share of its posts of the last days that no response contained.'),
          sufficient_seconds: z
            .number()
            .nullable()
            .describe(
              'Longest usual interval that would find at least 98 %; null: none of a minute or more.',
            ),
          adaptive: z.boolean().describe('Whether its interval is adaptive.'),
        }),
      )
      .describe('Active searches that miss at least 5 % of their posts, most first. At most 100.'),
    trend_states: tallies.describe(
      'Number of searches in each state other than normal: rising, falling, new_level, silent. See `listTrendStates`.',
    ),
    silent_tools: z
      .array(SilentTool)
      .describe('Tools that did not respond to the newest runs of active searches.'),
    resting: z
      .array(
        z.object({
          slug: z.string(),
          name: z.string().describe('Of its topic and the search.'),
          topic: z.string(),
          state: z.enum(SEARCH_STATES),
          state_reason: z.string().nullable(),
          state_since: timeShape,
          paused_until: timeShape.nullable().describe('When it becomes active again by itself.'),
          pauses: z
            .array(z.enum(PAUSE_SCOPES))
            .describe('What was paused: it alone, its topic, or all searches.'),
        }),
      )
      .describe('Searches that are paused, broken or capped.'),
    pause_of_all: z
      .object({
        searches: z.int().describe('Number of searches that it holds.'),
        until: timeShape.nullable().describe('When it ends by itself; null: when somebody resumes them.'),
      })
      .nullable()
      .describe('The pause of all searches (`pauseAll`); null if there is none.'),
    system_events: z
      .array(SystemEvent)
      .describe(
        'Problems of strandline itself that last, newest first. At most 100. See `listSystemEvents`.',
      ),
    system_rule: z
      .object({
        state: z.enum(RULE_STATES),
        channels: z.array(z.string()).describe('Slugs; empty: nobody is told.'),
      })
      .describe('The rule `system`, which reports them.'),
    next: z
      .array(
        z.object({
          search: z.string(),
          name: z.string().describe('Of its topic and the search.'),
          topic: z.string(),
          tz: z.string(),
          next_due_at: timeShape,
          local: z.string().describe('Local time in its time zone.'),
        }),
      )
      .describe('Searches that are due next.'),
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
          calls: z.int().describe('Number of calls with a reported cost, of the last 100.'),
          median_usd: z.number().describe('US dollars.'),
          most_usd: z.number().describe('US dollars.'),
        }),
      )
      .describe('Recent cost of calls, as reported by the service; empty if never reported.'),
  })
  .meta({ id: 'Service' });

const about = { tag: 'status', scope: 'read', input: z.strictObject({}) } as const;

export const STATUS_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'getStatus',
    route: 'GET /api/v1/status',
    does: 'Get the status of the installation',
    more: 'Database, queue, services, workers, the runs of the last 24 hours, searches that are silent or do not run, and the next due searches.',
    output: Status,
    runsIn: 'server',
    run: async ({ ctx, embedded }) => {
      const status = await readStatus(ctx, embedded);
      return { ...status, services: await addPrices(ctx, status.services) };
    },
  }),
  declareOperation({
    ...about,
    id: 'listServices',
    route: 'GET /api/v1/services',
    does: 'List search services',
    more: 'With the calls of today and their cost. There are at most three services, so there is one page.',
    output: z.object({ items: z.array(Service), next_cursor: z.null() }),
    run: async ({ ctx }) => {
      const services = await addPrices(ctx, await readServices(ctx));
      const items = await Promise.all(
        services.map(async (service) => ({
          ...service,
          call_costs: await readCallCosts(ctx.db, service.kind),
        })),
      );
      return { items, next_cursor: null };
    },
  }),
];

function addPrices<S extends { kind: ServiceKind }>(
  { isFree }: Pick<Context, 'isFree'>,
  services: readonly S[],
): Promise<(S & { free: boolean })[]> {
  return Promise.all(services.map(async (service) => ({ ...service, free: await isFree(service.kind) })));
}
