/**
 * Whether the tools of a search have sources on its service. Tools without a source would never respond. What a hosted
 * service has is only known from its responses, so it refuses no search.
 */

import type { Operation, Tool } from '../../model/enumerations.ts';
import { InvalidInput, type Problem } from '../../model/errors.ts';
import { describeToolReason, type MissingTool } from '../../model/tool-coverage.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { Context } from '../context.ts';
import type { CheckedSearch } from './search-definition.ts';

type SearchTools = { operation: Operation; tools: readonly Tool[] };

/** The tools of a search that have no source now, or did not respond last; a search on them runs, and its results lack theirs. */
export async function findMissingTools(
  ctx: Pick<Context, 'missingTools'>,
  kind: ServiceKind,
  search: SearchTools,
): Promise<MissingTool[]> {
  const tools = listTools(search);
  return (await ctx.missingTools(kind)).filter(({ tool }) => tools.includes(tool));
}

/** Searches none of whose tools has a source, by their place, each with what its tools lack. */
export async function findWithoutSources(
  ctx: Pick<Context, 'missingTools'>,
  kind: ServiceKind,
  checked: readonly CheckedSearch[],
): Promise<Map<number, MissingTool[]>> {
  const without = new Map<number, MissingTool[]>();
  for (const [i, { operation, definition }] of checked.entries()) {
    const search = { operation, tools: definition.tools };
    const missing = (await findMissingTools(ctx, kind, search)).filter(
      ({ observed_at }) => observed_at === null,
    );
    if (missing.length >= new Set(listTools(search)).size) without.set(i, missing);
  }
  return without;
}

/** Refuses searches without a tool that has a source. @param pathOf a search: `searches[0].` @throws InvalidInput */
export async function refuseWithoutSources(
  ctx: Pick<Context, 'missingTools'>,
  kind: ServiceKind,
  checked: readonly CheckedSearch[],
  pathOf: (index: number) => string = () => '',
): Promise<void> {
  const problems: Problem[] = [];
  for (const [i, missing] of await findWithoutSources(ctx, kind, checked)) {
    const { operation, definition } = checked[i] ?? {};
    problems.push({
      path: `${pathOf(i)}${operation === 'ai' ? 'tools' : 'operation'}`,
      given: operation === 'ai' ? definition?.tools : operation,
      expected: `a tool with a source: ${describeMissingTools(missing)}`,
    });
  }
  if (problems.length > 0) throw new InvalidInput(problems);
}

/** What new results will lack, a sentence each: `not searched until you configure a source: Web Search needs a key (BRAVE_API_KEY)`. */
export function explainMissingTools(missing: readonly MissingTool[]): string[] {
  const observed = missing.filter(({ observed_at }) => observed_at !== null);
  const unconfigured = missing.filter(({ observed_at }) => observed_at === null);
  return [
    ...(unconfigured.length === 0
      ? []
      : [`not searched until you configure a source: ${describeMissingTools(unconfigured)}`]),
    ...(observed.length === 0
      ? []
      : [`no results when the hosted service was last asked: ${describeMissingTools(observed)}`]),
  ];
}

/** `Web Search needs a key (BRAVE_API_KEY); Video Search needs a key (YOUTUBE_API_KEY)`. */
export function describeMissingTools(missing: readonly MissingTool[]): string {
  return missing
    .map(({ tool, reason, detail, observed_at: at }) => {
      const when = at === null ? '' : ` (${at.toISOString().slice(0, 10)})`;
      return `${tool} ${describeToolReason(reason, detail)}${when}`;
    })
    .join('; ');
}

/** `Tools with a source: Web Search, Microblog Search. Without: Video Search needs a key (YOUTUBE_API_KEY).` */
export function describeToolSources(
  searches: readonly SearchTools[],
  missing: readonly MissingTool[],
): string {
  const served = new Set(searches.flatMap(listTools));
  for (const { tool } of missing) served.delete(tool);
  const rest = missing.length === 0 ? '' : ` Without: ${describeMissingTools(missing)}.`;
  return `Tools with a source: ${[...served].join(', ') || 'none'}.${rest}`;
}

/** Operation B is one tool. */
function listTools({ operation, tools }: SearchTools): readonly Tool[] {
  return operation === 'ai' ? tools : ['Microblog Search'];
}
