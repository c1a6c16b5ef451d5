/** What of an answer could not be read, or all of it, and what the service itself warns of. */

import { type RejectCode, type RunCode, RunError } from '../../domain/errors.ts';
import type { ParsedResults, Reject, Warning } from '../../domain/parsed-results.ts';
import { cleanText } from '../../domain/text.ts';
import { TOOL_UNANSWERED } from '../../protocol/extensions.ts';
import { isPlain } from '../../protocol/json.ts';
import { boundJson, readText, readWord } from './wire-values.ts';

const MAX_SAMPLE = 200;
const MAX_PATH = 200;
/** An answer of ten thousand broken items is told by its first thousand. */
const MAX_REJECTS = 1_000;

/** The rejects of one answer, gathered while it is read. */
export type Rejects = {
  readonly list: readonly Reject[];
  /** `path` is in the wire's own names, such as `miner_tweets[3].id`. */
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

/** The beginning of an item as JSON, cleaned; a big item is not walked to its end. */
function createSample(item: unknown): string {
  if (item === undefined) return '';
  const small = boundJson(item, { depth: 3, nodes: 40, text: MAX_SAMPLE });
  return cleanText(JSON.stringify(small), MAX_SAMPLE);
}

/** An answer that cannot be used as a whole, with what was seen of it, to be stored beside the run. */
export class UnreadableResponse extends RunError {
  readonly rejects: readonly Reject[];

  constructor(
    code: Extract<
      RunCode,
      | 'bad_json'
      | 'schema_mismatch'
      | 'stream_incomplete'
      | 'decode_error'
      | 'bad_content_type'
      | 'sources_down'
      | 'too_large'
    >,
    more: { detail?: string | undefined; rejects?: readonly Reject[] } = {},
  ) {
    super(code, { detail: more.detail });
    this.rejects = more.rejects ?? [];
  }
}

const MAX_WARNINGS = 100;

/** What the service says was not as asked: a list of objects or of texts. Never fails. */
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
 * Why an answer says nothing at all: it holds no item, and the service warns of each tool that was asked
 * that nobody answered. Such an answer did not look, and must not count as "there was nothing". Null where
 * anybody answered.
 * @param tools how many different tools were asked; 1 for operation B
 */
export function explainNoResponse(
  found: Pick<ParsedResults, 'itemsSeen' | 'warnings'>,
  tools: number,
): string | null {
  if (found.itemsSeen > 0) return null;
  const unanswered = found.warnings.filter(({ code }) => code === TOOL_UNANSWERED);
  if (new Set(unanswered.map(({ tool }) => tool)).size < tools) return null;
  const why = found.warnings.filter(({ code }) => code !== TOOL_UNANSWERED);
  return (why.length > 0 ? why : unanswered)
    .map(({ tool, message }) => [tool, message].filter((part) => part !== null).join(': '))
    .join('; ');
}
