/** Purges: delete a topic or search with what only it found. */
import { z } from 'zod';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { previewPurge, requestPurge } from '../monitor/topics/purge-topic.ts';
import { operation } from './operation.ts';
import { searchSlug, topicSlug } from '../model/value-shapes.ts';

const Purge = z
  .object({
    searches: z.int(),
    runs: z.int(),
    completions: z.int(),
    posts: z.int().describe('Posts that no other search found.'),
    links: z.int().describe('Links that no other search found.'),
  })
  .meta({ id: 'Purge' });

const KINDS = [
  { kind: 'topic', path: 'topics', Kind: 'Topic', slug: topicSlug, what: 'a topic with its searches' },
  { kind: 'search', path: 'searches', Kind: 'Search', slug: searchSlug, what: 'a search' },
] as const;

export function purgeRoutes(app: App, { ctx }: RouteContext): void {
  for (const { kind, path, Kind, slug, what } of KINDS) {
    const shape = { tags: [path], params: z.strictObject({ [kind]: slug }) };
    app.get(
      `/api/v1/${path}/:${kind}/purge`,
      operation({
        scope: 'read',
        ...shape,
        operationId: `preview${Kind}Purge`,
        summary: `Preview the purge of ${what}`,
        description: 'What a purge would delete. Changes nothing.',
        response: { 200: Purge },
      }),
      ({ params }) => previewPurge(ctx.db, { kind, slug: slug.parse(params[kind]) }),
    );
    app.post(
      `/api/v1/${path}/:${kind}/purge`,
      operation({
        scope: 'admin',
        ...shape,
        operationId: `purge${Kind}`,
        summary: `Purge ${what}`,
        description:
          'Cannot be undone. Removes it, and deletes what only it found; what other searches found stays. Returns what is being deleted: workers begin within seconds, and a run in progress finishes first. Afterwards the slug can be used again.',
        response: { 202: Purge },
      }),
      async ({ params, acting }, reply) => {
        const { counts } = await requestPurge(acting, { kind, slug: slug.parse(params[kind]) });
        return reply.code(202).send(counts);
      },
    );
  }
}
