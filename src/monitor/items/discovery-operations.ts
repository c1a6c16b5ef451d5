/** Operations on discoveries: a list for people, and the feed that programs follow. */
import { z } from 'zod';
import { DISCOVERY_KINDS } from '../../model/closed-lists.ts';
import { flagParam, idParam, timeShape } from '../../model/value-shapes.ts';
import type { Database } from '../../store/db/database.ts';
import { defineRowWith } from '../../store/db/row-shapes.ts';
import {
  countBaseline,
  type DiscoveryRow,
  MAX_BASELINE_COUNT,
  readDiscoveriesAfter,
  readNewestDiscoveries,
} from '../../store/queries/discoveries.ts';
import { readUnresponsiveTools } from '../../store/queries/run-tools.ts';
import { addCopies, COPIES_SHAPE } from '../../store/stories/one-thing.ts';
import { BY_ID, lastIdOf, limitParam, pastTime, scopeParams } from '../common-inputs.ts';
import { declareOperation } from '../operation.ts';
import { SilentTool } from '../status/status-shapes.ts';
import { findScope } from '../topics/find-by-slug.ts';
import { afterDiscoveryId, viewParam } from './discovery-inputs.ts';

export const Discovery = defineRowWith('Discovery', 'discoveries', COPIES_SHAPE);

const filters = {
  ...scopeParams,
  kind: z.enum(DISCOVERY_KINDS).optional(),
  baseline: flagParam
    .optional()
    .describe('true: only the baseline of each search. false: only later discoveries. Default: both.'),
  view: viewParam,
  run: idParam.optional().describe('Only what this run found for the first time.'),
  described: flagParam
    .optional()
    .describe(
      'As people read it: a completion has what changed in it, a link to a post the text of the post. Otherwise as stored.',
    ),
  since: pastTime('Found at or after this time.', 'only discoveries since'),
  until: pastTime('Found before this time.', 'only discoveries before'),
};

const about = { tag: 'discoveries', scope: 'read' } as const;

/** The command `new` is by hand: it follows the feed, and says what is not observed. */
export const DISCOVERY_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'listDiscoveries',
    route: 'GET /api/v1/discoveries',
    does: 'List discoveries',
    more: 'Newest first. A discovery is an item that a search found for the first time. Programs should use `followDiscoveries`, which misses none.',
    input: z.strictObject(filters),
    output: Discovery,
    list: BY_ID,
    run: async (call, { run: runId, described, ...filter }) => {
      const { db } = call.ctx;
      const scope = await findScope(db, filter);
      const page = { before: lastIdOf(call), limit: call.page.limit };
      const rows = await readNewestDiscoveries(db, { ...filter, runId, ...scope, ...page });
      return complete(db, rows, described);
    },
  }),
  declareOperation({
    ...about,
    id: 'followDiscoveries',
    route: 'GET /api/v1/discoveries/feed',
    does: 'Read the feed of discoveries',
    more: 'Discoveries after a given one, oldest first. Ids are in commit order: a program that continues with `next_after` gets each discovery exactly once.',
    input: z.strictObject({ after: afterDiscoveryId.default(0n), limit: limitParam, ...filters }),
    output: z.object({
      items: z.array(Discovery),
      next_after: z.string().describe('Value of `after` for the next request, even if this page is empty.'),
      more: z.boolean().describe('True if there are more now; otherwise poll later.'),
    }),
    run: async ({ ctx: { db } }, { limit, after, run: runId, described, ...filter }) => {
      const scope = await findScope(db, filter);
      const rows = await readDiscoveriesAfter(db, { ...filter, runId, ...scope, after, limit: limit + 1 });
      const items = await complete(db, rows.slice(0, limit), described);
      return { items, next_after: String(items.at(-1)?.id ?? after), more: rows.length > limit };
    },
  }),
  declareOperation({
    ...about,
    id: 'getDiscoveryGaps',
    route: 'GET /api/v1/discoveries/gaps',
    does: 'Get what a list of discoveries does not show',
    more: 'The baseline, which was there at the start, and tools that did not respond to the newest runs.',
    input: z.strictObject({ ...scopeParams, view: filters.view, since: filters.since, until: filters.until }),
    output: z.object({
      baseline: z
        .object({
          found: z.int().describe('Number of discoveries.'),
          at_least: z.boolean().describe('True: there may be more, which are not counted.'),
          since: timeShape.describe('When the first of them was found.'),
        })
        .nullable()
        .describe('Discoveries of baselines; null: none.'),
      silent_tools: z.array(SilentTool),
    }),
    run: async ({ ctx: { db } }, filter) => {
      const scope = await findScope(db, filter);
      const [baseline, silent_tools] = await Promise.all([
        countBaseline(db, { ...filter, ...scope }),
        readUnresponsiveTools(db, scope),
      ]);
      const at_least = baseline?.found === MAX_BASELINE_COUNT;
      return { baseline: baseline === null ? null : { ...baseline, at_least }, silent_tools };
    },
  }),
];

async function complete(
  db: Database,
  rows: readonly DiscoveryRow[],
  described: boolean | undefined,
): Promise<readonly DiscoveryRow[]> {
  if (described !== true) return addCopies(db.pool, rows);
  const { describeDiscoveries } = await import('../../store/queries/described-discoveries.ts');
  return describeDiscoveries(db, rows);
}
