/** JSON as language models write it: in code fences, with commas too many, with words around it. */

const THOUGHTS = /<think>[\s\S]*?(?:<\/think>|$)/g;
/** So many opening braces are tried; one that opens no JSON costs a walk over the text. */
const TRIES = 8;

/** The first JSON object in a text, or undefined where there is none. */
export function lenientObject(text: string): unknown {
  const rest = text.replace(THOUGHTS, '');
  let from = rest.indexOf('{');
  for (let n = 0; n < TRIES && from !== -1; n++) {
    const end = closing(rest, from);
    const parsed = end === undefined ? undefined : parse(rest.slice(from, end + 1));
    if (parsed !== undefined) return parsed;
    from = rest.indexOf('{', from + 1);
  }
  return undefined;
}

function parse(text: string): unknown {
  for (const candidate of [text, withoutTrailingCommas(text)]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // The next candidate, or none.
    }
  }
  return undefined;
}

/** Where the brace that opens at `from` is closed, strings left aside. */
function closing(text: string, from: number): number | undefined {
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

/** Strings are passed over whole, one that is never closed too; a comma before a closing bracket goes. */
function withoutTrailingCommas(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*(?:"|$))|,(?=\s*[}\]])/gs, (_, string?: string) => string ?? '');
}
