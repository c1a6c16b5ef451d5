/** Rejected items, unreadable responses, and warnings of the service. */

import { type RejectCode, type RunCode, RunError } from '../../model/errors.ts';
import type { ParsedResults, ParsedSourceReport, Reject, Warning } from '../../model/parsed-results.ts';
import { cleanText } from '../../lib/text.ts';
import { isUnconfigured, type ToolReport } from '../../model/tool-coverage.ts';
import { TOOL_UNANSWERED } from '../../protocol/extensions.ts';
import { isPlain } from '../../lib/json-values.ts';
import { boundJson, readText, readWord } from './wire-values.ts';

const MAX_SAMPLE = 200;
const MAX_PATH = 200;
/** Maximum number of rejects stored per response. */
const MAX_REJECTS = 1_000;

/** The rejects of one response, collected while it is parsed. */
export type Rejects = {
  readonly list: readonly Reject[];
  /** `path` uses wire names, such as `miner_tweets[3].id`. */
  add(path: string, code: RejectCode, item: unknown): void;
};

export function createRejects(): Rejects {
  const list: Reject[] = [];
  return {
    list,
    add(path, code, item) {
      if (list.length >= MAX_REJECTS) return;
      list.push({ path: cleanText(path, MAX_PATH), code, sample: createSample(item) });
    },
  };
}

/** The start of an item as JSON, cleaned; a large item is not fully traversed. */
function createSample(item: unknown): string {
  if (item === undefined) return '';
  const small = boundJson(item, { depth: 3, nodes: 40, text: MAX_SAMPLE });
  return cleanText(JSON.stringify(small), MAX_SAMPLE);
}

/** A response that cannot be used, with the rejects to store with the run, and its reports about tools. */
export class UnreadableResponse extends RunError {
  readonly rejects: readonly Reject[];
  readonly tools: readonly ToolReport[];
  readonly ownSources: readonly ParsedSourceReport[];

  constructor(
    code: Extract<
      RunCode,
      | 'bad_json'
      | 'schema_mismatch'
      | 'stream_incomplete'
      | 'decode_error'
      | 'bad_content_type'
      | 'sources_down'
      | 'source_needs_key'
      | 'too_large'
    >,
    more: {
      detail?: string | undefined;
      rejects?: readonly Reject[];
      tools?: readonly ToolReport[];
      ownSources?: readonly ParsedSourceReport[];
    } = {},
  ) {
    super(code, { detail: more.detail });
    this.rejects = more.rejects ?? [];
    this.tools = more.tools ?? [];
    this.ownSources = more.ownSources ?? [];
  }
}

const MAX_WARNINGS = 100;

/** Parses warnings of the service: a list of objects or texts. Never throws. */
export function parseWarnings(warnings: unknown): Warning[] {
  if (!Array.isArray(warnings)) return [];
  return warnings.slice(0, MAX_WARNINGS).flatMap((warning: unknown) => {
    if (typeof warning === 'string') return [{ code: null, tool: null, message: cleanText(warning, 2_000) }];
    if (!isPlain(warning)) return [];
    const { code, tool, message } = warning;
    return [{ code: readWord(code), tool: readWord(tool), message: readText(message, 2_000) }];
  });
}

/**
 * Explains an empty response for which every requested tool has the warning that no source responded. Such a response must not
 * count as "nothing found". If all that is missing is a key, that is no outage: somebody must set it. Null if any source
 * responded.
 * @param tools number of different tools requested; 1 for operation B
 */
export function explainNoResponse(
  results: Pick<ParsedResults, 'itemsSeen' | 'warnings'>,
  tools: number,
): { code: 'sources_down' | 'source_needs_key'; detail: string } | null {
  if (results.itemsSeen > 0) return null;
  const unanswered = results.warnings.filter(({ code }) => code === TOOL_UNANSWERED);
  const names = [...new Set(unanswered.map(({ tool }) => tool))];
  if (names.length < tools) return null;
  const why = results.warnings.filter(({ code }) => code !== TOOL_UNANSWERED);
  const isMisconfigured =
    why.some(({ code }) => code === 'source_needs_key') &&
    why.every(({ code }) => isUnconfigured(code)) &&
    names.every((name) => why.some(({ tool }) => tool === name));
  const detail = (why.length > 0 ? why : unanswered)
    .map(({ tool, message }) => [tool, message].filter((part) => part !== null).join(': '))
    .join('; ');
  return { code: isMisconfigured ? 'source_needs_key' : 'sources_down', detail };
}
