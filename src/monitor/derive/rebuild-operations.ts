/** The operation that computes figures again. */
import { z } from 'zod';
import { scopeParams } from '../common-inputs.ts';
import { declareOperation } from '../operation.ts';
import { findScope, findSearches } from '../topics/find-by-slug.ts';
import type { RebuildCounts } from './follower.ts';

export const REBUILD_OPERATIONS = [
  declareOperation({
    tag: 'trends',
    scope: 'admin',
    id: 'rebuildTrends',
    route: 'POST /api/v1/trends/rebuild',
    does: 'Rebuild the figures of searches',
    more: 'Volume, coverage, growth and tallies, from runs, sightings and snapshots. Removed searches keep their figures, so they are rebuilt, too. Can be interrupted and repeated.',
    input: z.strictObject(scopeParams).meta({ examples: [{ topic: 'harbour-ferry' }] }),
    output: z.object({
      items: z.array(
        z.object({
          search: z.string(),
          runs: z.int().describe('Runs that the figures were rebuilt from.'),
          posts: z.int().describe('Posts whose growth was rebuilt.'),
        }),
      ),
    }),
    callsService: true,
    run: async ({ ctx, stopping }, named) => {
      const { rebuildTrends } = await import('./follower.ts');
      const items: (RebuildCounts & { search: string })[] = [];
      const scope = await findScope(ctx.db, named);
      for (const { id, slug } of await findSearches(ctx.db, scope, { removed: true })) {
        if (stopping?.aborted === true) break;
        items.push({ search: slug, ...(await rebuildTrends(ctx, id)) });
      }
      return { items };
    },
  }),
];
