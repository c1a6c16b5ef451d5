/** Operations on completions: texts written by the AI of a service, their statements, and the difference between two. */
import { z } from 'zod';
import { awaitMembers } from '../../lib/await-members.ts';
import { InvalidInput, Refused } from '../../model/errors.ts';
import { flagParam, idParam, searchSlug } from '../../model/value-shapes.ts';
import type { Database, Id } from '../../store/db/database.ts';
import { readCompletionDiff, refuseDiff } from '../../store/queries/completion-diff.ts';
import {
  type CompletionRow,
  readClaimPage,
  readClaims,
  readCompletion,
  readCompletionPage,
  readKeyItems,
  readLastCompletion,
  readRunCompletion,
} from '../../store/queries/completions.ts';
import { readLinksByIds } from '../../store/queries/links.ts';
import { isBaselineRun, readRun } from '../../store/queries/run-list.ts';
import { readRunTools } from '../../store/queries/run-tools.ts';
import { BY_ID, lastIdOf, pastTime, scopeParams } from '../common-inputs.ts';
import { findById } from '../http/find-by-id.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { findScope, findSearchRow } from '../topics/find-by-slug.ts';
import { CompletionDiff, ShownCompletion, WholeCompletion } from './completion-shapes.ts';
import { Claim, Completion, CompletionClaim } from './item-shapes.ts';

const about = { tag: 'completions', scope: 'read' } as const;
const named = z.strictObject({ id: idParam });
const aiSearch = searchSlug
  .meta({ description: 'Slug of an AI search.', examples: ['harbour-ferry-ai'] })
  .register(commandWords, { argument: 'search', help: 'search slug' });

const assertKnown = (db: Database, id: Id) => findById('completion', id, readCompletion(db, id));

async function readWhole(db: Database, completion: CompletionRow) {
  const parts = await awaitMembers({
    key_items: readKeyItems(db, completion.id),
    links: readLinksByIds(db, completion.completion_links),
  });
  return { ...completion, ...parts };
}

export const COMPLETION_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'listCompletions',
    route: 'GET /api/v1/completions',
    does: 'List completions',
    more: 'Newest first. `changed` is true if a statement is new compared with the previous completion.',
    input: z.strictObject({
      ...scopeParams,
      changed: flagParam.optional().describe('Only completions that changed, or only those that did not.'),
      since: pastTime('Received at or after this time.', 'only completions received since'),
      until: pastTime('Received before this time.', 'only completions received before'),
    }),
    output: Completion,
    list: BY_ID,
    run: async (call, filter) => {
      const { db } = call.ctx;
      const scope = await findScope(db, filter);
      return readCompletionPage(db, { ...filter, ...scope, before: lastIdOf(call), limit: call.page.limit });
    },
  }),
  declareOperation({
    ...about,
    id: 'getCompletion',
    route: 'GET /api/v1/completions/{id}',
    does: 'Get a completion',
    more: 'With its texts, its key items, and the cited links in the order of their citation numbers.',
    input: named,
    output: WholeCompletion,
    run: async ({ ctx: { db } }, { id }) => readWhole(db, await assertKnown(db, id)),
  }),
  declareOperation({
    ...about,
    id: 'showCompletion',
    route: 'GET /api/v1/completion',
    command: 'completions show',
    does: 'Show the latest completion of a search, or the completion of a run',
    more: 'Without a search or a run, the latest of all. As `getCompletion`, with the tools of its run.',
    input: z.strictObject({
      search: aiSearch.optional(),
      run: idParam
        .meta({ description: 'Id of a run.', examples: [] })
        .optional()
        .register(commandWords, { value: 'id', help: 'the completion of this run' }),
    }),
    output: ShownCompletion,
    run: async ({ ctx: { db } }, { search, run: runId }) => {
      if (search !== undefined && runId !== undefined)
        throw new InvalidInput([
          { path: 'run', given: String(runId), expected: 'either a search or a run, not both' },
        ]);
      const completion = await findCompletion(db, search, runId);
      const run = await readRun(db, completion.run_id);
      return {
        ...(await readWhole(db, completion)),
        tools: await readRunTools(db, [completion.run_id]),
        first: run !== undefined && isBaselineRun(run),
      };
    },
  }),
  declareOperation({
    ...about,
    id: 'listCompletionClaims',
    route: 'GET /api/v1/completions/{id}/claims',
    does: 'List the statements of a completion',
    more: 'A statement (claim) is a sentence of the completion with the links that it cites, in the order of the text.',
    input: named,
    output: z.object({ items: z.array(CompletionClaim) }),
    run: async ({ ctx: { db } }, { id }) => {
      await assertKnown(db, id);
      return { items: await readClaims(db, [id]) };
    },
  }),
  declareOperation({
    ...about,
    id: 'listClaims',
    route: 'GET /api/v1/searches/{search}/claims',
    does: 'List the statements of a search',
    more: 'Statements of all completions, in order of first appearance. The same sentence in several completions is one statement. `current` is true if the newest completion contains it.',
    input: z.strictObject({
      search: aiSearch,
      current: flagParam
        .optional()
        .describe('Only statements that the newest completion contains, or only those it does not.'),
    }),
    output: Claim,
    list: BY_ID,
    run: async (call, { search, ...filter }) => {
      const { db } = call.ctx;
      const { slug } = await findSearchRow(db, search);
      return readClaimPage(db, { ...filter, search: slug, after: lastIdOf(call), limit: call.page.limit });
    },
  }),
  declareOperation({
    ...about,
    id: 'diffCompletions',
    route: 'GET /api/v1/searches/{search}/completion-diff',
    command: 'completions diff',
    does: 'Compare two completions of a search',
    more: 'Statements that are new, removed or cite other links, with the links that brought them. By default compares the newest completion with the previous one.',
    input: z.strictObject({
      search: aiSearch,
      since: pastTime(
        'Compare with the latest completion at this time.',
        'compare with the last completion before this time: 2026-11-14, 7d, 1w, yesterday',
      ),
      from: idParam.optional().describe('Compare with the completion of this run.').register(commandWords, {
        value: 'run',
        help: 'compare with the completion of this run (default: the previous one)',
      }),
      to: idParam.optional().describe('Compare the completion of this run.').register(commandWords, {
        value: 'run',
        help: 'compare the completion of this run (default: the latest)',
      }),
    }),
    output: CompletionDiff,
    example: 'strandline completions diff harbour-ferry-ai --since 7d',
    run: async ({ ctx: { db } }, { search: slug, ...range }) => {
      if (range.since !== undefined && range.from !== undefined)
        throw new InvalidInput([
          { path: 'from', given: String(range.from), expected: 'either since or from, not both' },
        ]);
      const search = await findSearchRow(db, slug);
      const diff = await readCompletionDiff(db, search, range);
      if (typeof diff === 'string') throw refuseDiff(diff, slug, range);
      return diff;
    },
  }),
];

async function findCompletion(
  db: Database,
  search: string | undefined,
  runId: Id | undefined,
): Promise<CompletionRow> {
  const row = await readNamed(db, search, runId);
  if (row !== undefined) return row;
  if (search === undefined && runId === undefined)
    throw new Refused('not_found', 'there is no completion yet; successful runs of AI searches have one');
  const whose = runId === undefined ? `the search "${search}"` : `run ${runId}`;
  throw new Refused(
    'not_found',
    `${whose} has no completion; only successful runs of AI searches have one. See: strandline runs list`,
  );
}

async function readNamed(
  db: Database,
  search: string | undefined,
  runId: Id | undefined,
): Promise<CompletionRow | undefined> {
  if (runId !== undefined) return readRunCompletion(db, runId);
  if (search !== undefined) return readLastCompletion(db, (await findSearchRow(db, search)).slug);
  const [newest] = await readCompletionPage(db, { limit: 1 });
  return newest;
}
