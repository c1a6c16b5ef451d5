/** Replies of operations on completions. */
import { z } from 'zod';
import { CLAIM_ROLES, SOURCES } from '../../model/enumerations.ts';
import { idShape, timeShape } from '../../model/value-shapes.ts';
import { defineRow, defineRowWith } from '../../store/db/row-shapes.ts';
import { RunTool } from '../runs/run-shapes.ts';
import { Link } from './item-shapes.ts';

const wholeMembers = {
  key_items: z
    .array(defineRow('KeyItem', 'key_items'))
    .describe('Key items, list by list, in the order of the response.'),
  links: z.array(Link).describe('Cited links, in the order of the citations.'),
};
/** A completion with its key items and links. */
export const WholeCompletion = defineRowWith('WholeCompletion', 'completions', wholeMembers);
/** A completion as one route returns it, with the tools of its run and how it compares with earlier completions. */
export const ShownCompletion = defineRowWith('ShownCompletion', 'completions', {
  ...wholeMembers,
  tools: z.array(RunTool).describe('Tools of its run, and whether they responded.'),
  first: z
    .boolean()
    .describe('True if its run was the first of its search: there is nothing earlier to compare.'),
});

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
export const CompletionDiff = z
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
