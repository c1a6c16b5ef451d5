/** Completions: what the AI of a service wrote, what it claims, and what it says that it did not say before. */
import { z } from 'zod';
import { CLAIM_ROLES, SOURCES } from '../domain/enumerations.ts';
import { InvalidInput, Refused } from '../domain/errors.ts';
import { assertFilterExists, findSearchRow } from '../monitor/topics/find-by-slug.ts';
import { readClaims } from '../store/queries/claims.ts';
import { refuseDiff, readCompletionDiff } from '../store/queries/completion-diff.ts';
import {
  readClaimPage,
  readCompletion,
  readCompletionPage,
  readKeyItems,
  readLinksByIds,
} from '../store/queries/completions.ts';
import { idShape, timeShape } from '../store/row-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createIdCursor, defineListQuery, defineListReply } from './pagination.ts';
import { Claim, Completion, CompletionClaim, WholeCompletion } from './reply-shapes.ts';
import { flagParam, idParam, timeParam, searchSlug, topicSlug } from './request-shapes.ts';

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
      .describe('Group in which the search first saw it; null where it never returned it.'),
    first_seen_at: timeShape,
    returned: z.boolean().describe('It is a result of the answer that cites it.'),
  })
  .meta({ id: 'CitedLink' });
const claimMembers = {
  claim_id: idShape,
  role: z.enum(CLAIM_ROLES).describe('The text of the completion in which it stands.'),
  text: z.string(),
  unresolved: z.array(z.int()).describe('Numbers that it cites and the answer does not explain.'),
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
    from_first: z.boolean().describe('No completion is as old as was asked for: from is the first of all.'),
    gaps: z
      .object({ between: z.int(), after: z.int() })
      .describe('Runs between the two, and after to, that failed or said nothing.'),
    new_claims: z.array(
      z.object({
        ...claimMembers,
        brought_by: z.array(CitedLink).describe('Cited links that the search first saw after from.'),
      }),
    ),
    gone_claims: z.array(z.object(claimMembers)),
    changed_claims: z
      .array(z.object({ ...claimMembers, cited_new: z.array(CitedLink), cited_gone: z.array(CitedLink) }))
      .describe('The same claim with other links.'),
    kept: z.int(),
  })
  .meta({ id: 'CompletionDiff' });

export function completionRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/completions',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listCompletions',
        summary: 'Completions, the newest first',
        description: '`changed` is true where the set of cited links differs from the completion before.',
        tags,
        querystring: defineListQuery(cursor, {
          topic: topicSlug.optional(),
          search: searchSlug.optional(),
          changed: flagParam
            .optional()
            .describe('Whether its set of cited links differs from the one before.'),
          since: timeParam.optional().describe('Received from here on.'),
          until: timeParam.optional().describe('Received before this.'),
        }),
        response: { 200: defineListReply(Completion) },
      },
    },
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      await assertFilterExists(ctx.db, filter);
      const rows = await readCompletionPage(ctx.db, { ...filter, before: after?.[0], limit: limit + 1 });
      return reply(rows, ({ id }) => [id]);
    },
  );

  app.get(
    '/api/v1/completions/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getCompletion',
        summary: 'A completion with its key items and the links it cites',
        description: 'Its texts, its key items, and the links it cites in the order of its citation numbers.',
        tags,
        params,
        response: { 200: WholeCompletion },
      },
    },
    async ({ params: { id } }) => {
      const completion = await readCompletion(ctx.db, id);
      if (completion === undefined) throw new Refused('not_found', `there is no completion ${id}`);
      const [key_items, links] = await Promise.all([
        readKeyItems(ctx.db, id),
        readLinksByIds(ctx.db, completion.completion_links),
      ]);
      return { ...completion, key_items, links };
    },
  );

  app.get(
    '/api/v1/completions/:id/claims',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listCompletionClaims',
        summary: 'What a completion claims, sentence by sentence, and what it cites for it',
        description:
          'A claim is a sentence of the completion with the links that it cites, in the order of the text.',
        tags,
        params,
        response: { 200: z.object({ items: z.array(CompletionClaim) }) },
      },
    },
    async ({ params: { id } }) => {
      if ((await readCompletion(ctx.db, id)) === undefined)
        throw new Refused('not_found', `there is no completion ${id}`);
      return { items: await readClaims(ctx.db, [id]) };
    },
  );

  app.get(
    '/api/v1/searches/:search/claims',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listClaims',
        summary: 'What completions of a search ever claimed, in the order in which it was first said',
        description:
          'The same sentence in several completions is one claim, with when it was first and last made; `current` is true where the newest completion makes it.',
        tags,
        params: searchParams,
        querystring: defineListQuery(claimCursor, {
          current: flagParam.optional().describe('Whether the newest completion says it.'),
        }),
        response: { 200: defineListReply(Claim) },
      },
    },
    async ({ params: path, query }) => {
      const { limit, after, filter, reply } = claimCursor.pageOf(query, path);
      await findSearchRow(ctx.db, path.search);
      const rows = await readClaimPage(ctx.db, { ...path, ...filter, after: after?.[0], limit: limit + 1 });
      return reply(rows, ({ id }) => [id]);
    },
  );

  app.get(
    '/api/v1/searches/:search/completion-diff',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'diffCompletions',
        summary: 'What a completion of a search says that an earlier one did not, and which link brought it',
        description: 'Left out, to is the newest and from the one before.',
        tags,
        params: searchParams,
        querystring: z.strictObject({
          since: timeParam.optional().describe('Compare with the last completion at this time.'),
          from: idParam.optional().describe('Compare with that of this run.'),
          to: idParam.optional().describe('Compare that of this run.'),
        }),
        response: { 200: CompletionDiff },
      },
    },
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
