/** Topics and searches with their status, as replies have them. */
import { z } from 'zod';
import { TOOLS } from '../../model/enumerations.ts';
import { TOOL_REASON_NAMES } from '../../model/tool-coverage.ts';
import { timeShape } from '../../model/value-shapes.ts';
import { defineRowWith } from '../../store/db/row-shapes.ts';
import { SEARCH_STATUSES } from '../../model/closed-lists.ts';

const searchStatus = z.enum(SEARCH_STATUSES);
const statusMembers = {
  status_since: timeShape.nullable().describe('When this status began (UTC); null for ok.'),
  status_reason: z.string().nullable().describe('Why, in words; null for ok.'),
  status_advice: z
    .string()
    .nullable()
    .describe('What a person can do about it; null: nothing but to wait, or to run it again.'),
  last_run_at: timeShape.nullable().describe('When the newest run that succeeded or failed ended (UTC).'),
};

export const Topic = defineRowWith('Topic', 'topics', {
  status: searchStatus
    .nullable()
    .describe('The worst status of its searches; paused only if all are. Null: it has no searches.'),
  ...statusMembers,
  paused_until: timeShape
    .nullable()
    .describe(
      'When it becomes active again by itself (UTC); null unless it is paused with one end for all its searches.',
    ),
  status_searches: z.int().describe('Number of its searches with this status.'),
  next_due_at: timeShape
    .nullable()
    .describe('Next slot of any of its searches (UTC); null when none is planned.'),
});
export const searchMembers = {
  status: searchStatus.describe(
    'How it is doing: ok; nothing_coming (no results where at least ten are usual); failing (since the first failure after the last success); silent (no successful run for three intervals); waiting for its first run; waiting_for_source (until a public source is reachable); paused, broken, capped or removed.',
  ),
  ...statusMembers,
  last_success_at: timeShape
    .nullable()
    .describe('When the newest response that was parsed was received (UTC); null if there is none.'),
};
export const Search = defineRowWith('Search', 'searches', searchMembers);

export const SilentTool = z
  .object({
    tool: z.enum(TOOLS),
    reason: z.enum(TOOL_REASON_NAMES),
    detail: z.string().nullable().describe('What the service reported about it.'),
    observed_at: timeShape.nullable(),
    last_responded_at: timeShape.nullable().describe('To any of these searches; null: never.'),
    searches: z.int().describe('Number of searches.'),
    search: z.string().describe('Slug of the first.'),
  })
  .meta({ id: 'SilentTool' });
