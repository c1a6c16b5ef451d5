/** Options of `search add`, `edit` and `try`: what a search asks its service for. The monitor validates the values. */

import { tryParseJson } from '../lib/json-values.ts';
import { SOURCE_BY_TOOL, TOOLS } from '../model/enumerations.ts';
import type { Command } from 'commander';

export type RequestOptions = {
  prompt?: string;
  tools?: string;
  model?: string;
  dateFilter?: string;
  streaming?: boolean;
  extra?: string;
};

/** @param unless describes the default of an option */
export function addRequestOptions(command: Command, unless: (value: string) => string): Command {
  return command
    .option('--prompt <text>', 'query text')
    .option('--tools <list>', `tools of an ai search, comma-separated${unless('all')}`)
    .option('--model <model>', 'NOVA, ORBIT or HORIZON (about 10, 30 or 120 seconds)')
    .option('--date-filter <filter>', 'how far back an ai search looks, such as PAST_24_HOURS or PAST_WEEK')
    .option('--streaming', 'stream the response of an ai search')
    .option('--no-streaming', 'wait for the whole response')
    .option('--extra <json>', 'JSON object with additional request members');
}

/** As the API takes them: names of a list in its letters, and JSON as what it says. */
export function readRequestOptions({
  prompt,
  tools,
  model,
  dateFilter,
  streaming,
  extra,
}: RequestOptions): Record<string, unknown> {
  return {
    prompt,
    tools: tools?.split(',').map(findTool),
    model: model?.toUpperCase(),
    date_filter: dateFilter?.toUpperCase(),
    streaming,
    // What is no JSON is refused as what it is.
    extra: extra === undefined ? undefined : (tryParseJson(extra) ?? extra),
  };
}

/** By its name in the specification, or by the short name of its source (`web`, `news_forum`, ...). */
function findTool(typed: string): string {
  const wanted = typed.trim().toLowerCase();
  return (
    TOOLS.find((tool) => tool.toLowerCase() === wanted || SOURCE_BY_TOOL[tool] === wanted) ?? typed.trim()
  );
}
