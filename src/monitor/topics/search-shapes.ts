/** Replies of operations on searches: previews, and what a saved search lacks. */
import { z } from 'zod';
import { TOOLS } from '../../model/enumerations.ts';
import { TOOL_REASON_NAMES } from '../../model/tool-coverage.ts';
import { timeShape } from '../../model/value-shapes.ts';
import { defineRow, defineRowWith } from '../../store/db/row-shapes.ts';
import { searchMembers } from '../status/status-shapes.ts';
import { NOTE_MEMBERS } from './note-members.ts';

export const SearchVersion = defineRow('SearchVersion', 'search_versions');
export const IntervalChange = defineRow('IntervalChange', 'interval_changes');
export const RequestedRun = defineRowWith('RequestedRun', 'runs', {
  already_queued: z.boolean().describe('True if this run was already queued and no new run was created.'),
});

/** Tools of a search without a source on its service. */
export const MissingTools = z
  .array(
    z.object({
      tool: z.enum(TOOLS),
      reason: z.enum(TOOL_REASON_NAMES),
      detail: z.string().nullable().describe('What to set, or what the service said.'),
      observed_at: timeShape
        .nullable()
        .describe(
          'Null: it has no source. Otherwise: no response to the newest run that asked it, at this time.',
        ),
    }),
  )
  .describe(
    'Tools whose results runs will lack: without a source, or, of a hosted service, without a response last time.',
  );

export const SearchWhole = defineRowWith('SearchWhole', 'searches', {
  ...searchMembers,
  current_interval: z.string().nullable().describe('Its adaptive interval now, in words; null: it is fixed.'),
  completeness: z
    .string()
    .nullable()
    .describe('What share of posts its responses miss, in words; null: few, or unknown.'),
});
export const CreatedSearch = defineRowWith('CreatedSearch', 'searches', {
  ...searchMembers,
  missing_tools: MissingTools,
  ...NOTE_MEMBERS,
});
export const SavedSearch = defineRowWith('SavedSearch', 'searches', {
  ...searchMembers,
  missing_tools: MissingTools,
});

const CostShape = z
  .object({
    usual_usd: z.number().describe('US dollars, with one call per run at the median recent cost.'),
    most_usd: z.number().describe('US dollars, with all calls at the highest recent cost.'),
  })
  .nullable();

export const PreviewShape = z
  .object({
    words: z.string().describe('Schedule in words.'),
    cron: z.string().nullable(),
    every_seconds: z.number().nullable(),
    auto: z.string().nullable().describe('Bounds of an adaptive interval; null: it is not adaptive.'),
    tz: z.string(),
    expected: z.string().nullable().describe('What an adaptive interval is expected to do, in words.'),
    cost: z.string().describe('The cost, in words.'),
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

export const SearchPreviewShape = PreviewShape.extend({}).meta({ id: 'SearchPreview' });
