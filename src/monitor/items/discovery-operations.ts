/** Operations on discoveries: a list for people, and the feed that programs follow. */
import { z } from 'zod';
import { DISCOVERY_KINDS } from '../../model/closed-lists.ts';
import { flagParam } from '../../model/value-shapes.ts';
import { defineRowWith } from '../../store/db/row-shapes.ts';
import { readDiscoveriesAfter, readNewestDiscoveries } from '../../store/queries/discoveries.ts';
import { addCopies, COPIES_SHAPE } from '../../store/stories/one-thing.ts';
import { BY_ID, lastIdOf, limitParam, pastTime, scopeParams } from '../common-inputs.ts';
import { declareOperation } from '../operation.ts';
import { findScope } from '../topics/find-by-slug.ts';
import { afterDiscoveryId, viewParam } from './discovery-inputs.ts';

const Discovery = defineRowWith('Discovery', 'discoveries', COPIES_SHAPE);

const filters = {
  ...scopeParams,
  kind: z.enum(DISCOVERY_KINDS).optional(),
  baseline: flagParam
    .optional()
    .describe('true: only the baseline of each search. false: only later discoveries. Default: both.'),
  view: viewParam,
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
    run: async (call, filter) => {
      const { db } = call.ctx;
      const scope = await findScope(db, filter);
      const page = { before: lastIdOf(call), limit: call.page.limit };
      return addCopies(db.pool, await readNewestDiscoveries(db, { ...filter, ...scope, ...page }));
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
    run: async ({ ctx: { db } }, { limit, after, ...filter }) => {
      const scope = await findScope(db, filter);
      const rows = await readDiscoveriesAfter(db, { ...filter, ...scope, after, limit: limit + 1 });
      const items = await addCopies(db.pool, rows.slice(0, limit));
      return { items, next_after: String(items.at(-1)?.id ?? after), more: rows.length > limit };
    },
  }),
];
