/** Options of `search add`, `edit` and `try`: what a search asks its service for. The monitor validates the values. */

import type { WrittenSearch } from '../monitor/topics/search-definition.ts';
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

export function readRequestOptions({
  prompt,
  tools,
  model,
  dateFilter,
  streaming,
  extra,
}: RequestOptions): Pick<
  WrittenSearch,
  'prompt' | 'tools' | 'model' | 'date_filter' | 'streaming' | 'extra'
> {
  return { prompt, tools: tools?.split(','), model, date_filter: dateFilter, streaming, extra };
}
