/** Reports of a response about each tool: whether it responded, with how many items, or why not. */

import { type Operation, type Source, SOURCE_BY_TOOL, type Tool, TOOLS } from '../../model/enumerations.ts';
import type { Warning } from '../../model/parsed-results.ts';
import { isOutageCode, type ToolReport } from '../../model/tool-coverage.ts';
import { cleanText } from '../../lib/text.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import { LIST_FULL, TOOL_UNANSWERED } from '../../protocol/extensions.ts';
import { own, type Plain } from '../../lib/json-values.ts';

const MAX_DETAIL = 500;

type ReportInput = {
  answer: Plain;
  operation: Operation;
  dialect: Dialect;
  /** Items by source of the groups that the response has, including empty ones. */
  groups: ReadonlyMap<Source, number>;
  /** Sources with results outside of groups, such as posts among the links and key items. */
  mentioned: ReadonlySet<Source>;
  warnings: readonly Warning[];
};

/**
 * Reports of the tools that a response mentions. A group means that its tool responded, unless a warning contradicts; a
 * warning of our service about one tool means that the other tools responded. Without either, nothing is known.
 */
export function reportTools({
  answer,
  operation,
  dialect,
  groups,
  mentioned,
  warnings,
}: ReportInput): ToolReport[] {
  const reportsOutages =
    own(answer, 'completion_writer') !== undefined ||
    warnings.some(({ code }) => code === TOOL_UNANSWERED || isOutageCode(code));
  const tools = operation === 'ai' ? TOOLS : (['Microblog Search'] satisfies Tool[]);
  return tools.flatMap((tool): ToolReport[] => {
    const source = SOURCE_BY_TOOL[tool];
    const items = groups.get(source) ?? null;
    const said = warnings.filter((warning) => dialect.toolOf.get(warning.tool?.toLowerCase() ?? '') === tool);
    const hasResults = (items ?? 0) > 0 || mentioned.has(source);
    if (!hasResults && said.some(({ code }) => code === TOOL_UNANSWERED))
      return [{ tool, responded: false, items: null, ...explainUnansweredTool(said) }];
    if (items === null && !hasResults && !reportsOutages) return [];
    const full = said.find(({ code }) => code === LIST_FULL);
    const isFull = full !== undefined;
    const detail = full?.message ? cleanText(full.message, MAX_DETAIL) : null;
    return [{ tool, responded: true, items, reason: isFull ? LIST_FULL : null, detail }];
  });
}

function explainUnansweredTool(said: readonly Warning[]): Pick<ToolReport, 'reason' | 'detail'> {
  const why = said.find(({ code }) => isOutageCode(code));
  const reason = why !== undefined && isOutageCode(why.code) ? why.code : TOOL_UNANSWERED;
  return { reason, detail: why?.message ? cleanText(why.message, MAX_DETAIL) : null };
}
