/** JSON made readable without being read: pure. */

const INDENT = '  ';

/**
 * Sets the text of JSON in lines, as far as `most` characters. Nothing is parsed: numbers keep their digits, members their
 * order, and what is cut off or is no JSON at all is still shown.
 */
export function setInLines(text: string, most: number): { text: string; cut: boolean } {
  let out = '';
  let depth = 0;
  let i = 0;
  for (; i < text.length && out.length < most; i += 1) {
    const sign = text[i] ?? '';
    if (sign === '"') {
      const end = endOfString(text, i);
      out += text.slice(i, end);
      i = end - 1;
    } else if (sign === '{' || sign === '[') {
      const next = skipBlank(text, i + 1);
      if (text[next] === (sign === '{' ? '}' : ']')) {
        out += sign + text[next];
        i = next;
      } else {
        depth += 1;
        out += sign + lineAt(depth);
      }
    } else if (sign === '}' || sign === ']') {
      depth = Math.max(0, depth - 1);
      out += lineAt(depth) + sign;
    } else if (sign === ',') out += sign + lineAt(depth);
    else if (sign === ':') out += ': ';
    else if (!isBlank(sign)) out += sign;
  }
  const shown = out.slice(0, most);
  return { text: shown, cut: i < text.length || out.length > most };
}

function lineAt(depth: number): string {
  return `\n${INDENT.repeat(Math.min(depth, 40))}`;
}

/** The place behind the closing quote, or the end of the text. */
function endOfString(text: string, begin: number): number {
  for (let i = begin + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

function skipBlank(text: string, begin: number): number {
  let i = begin;
  while (i < text.length && isBlank(text[i] ?? '')) i += 1;
  return i;
}

function isBlank(sign: string): boolean {
  return sign === ' ' || sign === '\n' || sign === '\r' || sign === '\t';
}
