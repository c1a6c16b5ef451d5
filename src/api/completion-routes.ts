/** Completions: texts written by the AI of a service, their statements, and the difference between two. */
import { z } from 'zod';
import { awaitMembers } from '../lib/await-members.ts';
import { CLAIM_ROLES, SOURCES } from '../model/enumerations.ts';
import { InvalidInput } from '../model/errors.ts';
import { findScope, findSearchRow } from '../monitor/topics/find-by-slug.ts';
import { refuseDiff, readCompletionDiff } from '../store/queries/completion-diff.ts';
import {
  readClaimPage,
  readClaims,
  readCompletion,
  readCompletionPage,
  readKeyItems,
} from '../store/queries/completions.ts';
import { readLinksByIds } from '../store/queries/links.ts';
import { flagParam, idShape, timeShape, idParam, timeParam, searchSlug } from '../model/value-shapes.ts';
import { findById } from '../monitor/http/find-by-id.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { operation } from './operation.ts';
import { createIdCursor, defineListQuery, defineListReply } from './pagination.ts';
import { Claim, Completion, CompletionClaim, WholeCompletion } from './reply-shapes.ts';
import { scopeParams } from '../monitor/common-inputs.ts';

const tags = ['completions'];
const params = z.strictObject({ id: idParam });
const searchParams = z.strictObject({
  search: searchSlug.meta({ description: 'Slug of an AI search.', examples: ['harbour-ferry-ai'] }),
});
const cursor = createIdCursor('completions');
const claimCursor = createIdCursor('claims');

const CitedLink = z
  .object({
    link_id: idShape,
    url: z.string(),
    title: z.string().nullable(),
    source: z
      .enum(SOURCES)
      .nullable()
      .describe('Group in which the search first saw it; null if the search never returned it.'),
    first_seen_at: timeShape,
    returned: z.boolean().describe('True if the response that cites it also returned it as a result.'),
  })
  .meta({ id: 'CitedLink' });
const claimMembers = {
  claim_id: idShape,
  role: z.enum(CLAIM_ROLES).describe('Part of the completion that contains it, the first of several.'),
  roles: z
    .array(z.enum(CLAIM_ROLES))
    .describe('All parts that contain it, in the same or almost the same words.'),
  text: z.string(),
  unresolved: z.array(z.int()).describe('Citation numbers that the response does not resolve.'),
  cited: z.array(CitedLink),
};
const DiffMoment = z.object({
  completion_id: idShape,
  run_id: idShape,
  observed_at: timeShape,
  claims: z.int(),
});
const CompletionDiff = z
  .object({
    search: z.string(),
    from: DiffMoment,
    to: DiffMoment,
    from_first: z
      .boolean()
      .describe('True if no completion is as old as requested, so that `from` is the first one.'),
    gaps: z
      .object({ between: z.int(), after: z.int() })
      .describe('Runs without a completion between `from` and `to`, and after `to`.'),
    changed: z
      .boolean()
      .describe('Whether a statement is new or revised, other than an introduction without a citation.'),
    similarity: z.number().describe('Share of the statements of both that are in both, from 0 to 1.'),
    new_claims: z.array(
      z.object({
        ...claimMembers,
        brought_by: z.array(CitedLink).describe('Cited links that the search first saw after `from`.'),
      }),
    ),
    revised_claims: z
      .array(
        z.object({
          ...claimMembers,
          before: z.string().describe('The statement as it was.'),
          figures: z.array(z.object({ from: z.string(), to: z.string() })),
          brought_by: z.array(CitedLink).describe('Cited links that the search first saw after `from`.'),
        }),
      )
      .describe('Statements of which only figures changed.'),
    gone_claims: z.array(z.object(claimMembers)),
    changed_claims: z
      .array(z.object({ ...claimMembers, cited_new: z.array(CitedLink), cited_gone: z.array(CitedLink) }))
      .describe('Statements that are unchanged but cite other links.'),
    kept: z.int(),
    citations: z
      .object({ added: z.int(), removed: z.int() })
      .describe('Links that one of the two cites, and the other does not.'),
  })
  .meta({ id: 'CompletionDiff' });

export function completionRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/completions',
    operation({
      scope: 'read',
      operationId: 'listCompletions',
      summary: 'List completions',
      description:
        'Newest first. `changed` is true if a statement is new compared with the previous completion.',
      tags,
      querystring: defineListQuery(cursor, {
        ...scopeParams,
        changed: flagParam.optional().describe('Only completions that changed, or only those that did not.'),
        since: timeParam.optional().describe('Received at or after this time.'),
        until: timeParam.optional().describe('Received before this time.'),
      }),
      response: { 200: defineListReply(Completion) },
    }),
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      const scope = await findScope(ctx.db, filter);
      const rows = await readCompletionPage(ctx.db, { ...filter, ...scope, before: after?.[0], limit });
      return reply(rows, ({ id }) => [id]);
    },
  );

  app.get(
    '/api/v1/completions/:id',
    operation({
      scope: 'read',
      operationId: 'getCompletion',
      summary: 'Get a completion',
      description:
        'With its texts, its key items, and the cited links in the order of their citation numbers.',
      tags,
      params,
      response: { 200: WholeCompletion },
    }),
    async ({ params: { id } }) => {
      const completion = await findById('completion', id, readCompletion(ctx.db, id));
      const parts = await awaitMembers({
        key_items: readKeyItems(ctx.db, id),
        links: readLinksByIds(ctx.db, completion.completion_links),
      });
      return { ...completion, ...parts };
    },
  );

  app.get(
    '/api/v1/completions/:id/claims',
    operation({
      scope: 'read',
      operationId: 'listCompletionClaims',
      summary: 'List the statements of a completion',
      description:
        'A statement (claim) is a sentence of the completion with the links that it cites, in the order of the text.',
      tags,
      params,
      response: { 200: z.object({ items: z.array(CompletionClaim) }) },
    }),
    async ({ params: { id } }) => {
      await findById('completion', id, readCompletion(ctx.db, id));
      return { items: await readClaims(ctx.db, [id]) };
    },
  );

  app.get(
    '/api/v1/searches/:search/claims',
    operation({
      scope: 'read',
      operationId: 'listClaims',
      summary: 'List the statements of a search',
      description:
        'Statements of all completions, in order of first appearance. The same sentence in several completions is one statement. `current` is true if the newest completion contains it.',
      tags,
      params: searchParams,
      querystring: defineListQuery(claimCursor, {
        current: flagParam
          .optional()
          .describe('Only statements that the newest completion contains, or only those it does not.'),
      }),
      response: { 200: defineListReply(Claim) },
    }),
    async ({ params: path, query }) => {
      const { limit, after, filter, reply } = claimCursor.pageOf(query, path);
      const { slug: search } = await findSearchRow(ctx.db, path.search);
      const rows = await readClaimPage(ctx.db, {
        ...filter,
        search,
        after: after?.[0],
        limit,
      });
      return reply(rows, ({ id }) => [id]);
    },
  );

  app.get(
    '/api/v1/searches/:search/completion-diff',
    operation({
      scope: 'read',
      operationId: 'diffCompletions',
      summary: 'Compare two completions of a search',
      description:
        'Statements that are new, removed or cite other links, with the links that brought them. By default compares the newest completion with the previous one.',
      tags,
      params: searchParams,
      querystring: z.strictObject({
        since: timeParam.optional().describe('Compare with the latest completion at this time.'),
        from: idParam.optional().describe('Compare with the completion of this run.'),
        to: idParam.optional().describe('Compare the completion of this run.'),
      }),
      response: { 200: CompletionDiff },
    }),
    async ({ params: { search: slug }, query: range }) => {
      if (range.since !== undefined && range.from !== undefined)
        throw new InvalidInput([
          { path: 'from', given: String(range.from), expected: 'either since or from, not both' },
        ]);
      const search = await findSearchRow(ctx.db, slug);
      const diff = await readCompletionDiff(ctx.db, search, range);
      if (typeof diff === 'string') throw refuseDiff(diff, slug, range);
      return diff;
    },
  );
}
