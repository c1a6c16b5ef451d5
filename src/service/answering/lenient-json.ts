/** Reads the JSON of a language model, which adds reasoning, code fences, trailing commas and surrounding text. */

import { tryParseJson } from '../../lib/json-values.ts';

const REASONING = /<(think|thinking|thought|reasoning)>[\s\S]*?(?:<\/\1>|$)/g;
/** Maximum number of opening braces tried; each failed attempt scans the text. */
const MAX_JSON_STARTS = 16;

/**
 * The first JSON object in a text that is wanted, or undefined. Reasoning may contain other objects, and some models wrap their
 * response in another object.
 */
export function parseLenientObject(
  text: string,
  isWanted: (object: unknown) => boolean = () => true,
): unknown {
  const rest = text.replace(REASONING, '');
  let from = rest.indexOf('{');
  for (let n = 0; n < MAX_JSON_STARTS && from !== -1; n++) {
    const end = findClosingBrace(rest, from);
    if (end !== undefined) {
      const candidate = rest.slice(from, end + 1);
      const parsed = tryParseJson(candidate) ?? tryParseJson(stripTrailingCommas(candidate));
      if (parsed !== undefined && isWanted(parsed)) return parsed;
    }
    from = rest.indexOf('{', from + 1);
  }
  return undefined;
}

/** Finds the brace that closes the one at `from`, ignoring strings. */
function findClosingBrace(text: string, from: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let i = from; i < text.length; i++) {
    const mark = text[i];
    if (inString) {
      if (mark === '\\') i += 1;
      else if (mark === '"') inString = false;
    } else if (mark === '"') inString = true;
    else if (mark === '{') depth += 1;
    else if (mark === '}' && --depth === 0) return i;
  }
  return undefined;
}

/** Removes commas before closing brackets. Skips strings, also unterminated ones. */
function stripTrailingCommas(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*(?:"|$))|,(?=\s*[}\]])/gs, (_, string?: string) => string ?? '');
}
