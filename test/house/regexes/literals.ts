/** A regular expression where it stands in a source: the compiler has no parser to ask, so the text is read for them. */
export type Literal = { pattern: RegExp; line: number };

/** Behind one of these words a slash begins an expression. */
const BEFORE = new Set(['return', 'case', 'typeof', 'in', 'of', 'await', 'yield', 'void']);

/** Every literal of a file in TypeScript. @param text with its comments */
export function literalsIn(text: string): Literal[] {
  const found: Literal[] = [];
  const open: string[] = [];
  /** Whether a value stands before: then a slash divides. */
  let value = false;
  for (let i = 0; i < text.length; ) {
    const char = text.charAt(i);
    const word = /^[\w$]+/.exec(text.slice(i, i + 60))?.[0];
    if (text.startsWith('//', i)) i = endOf(text, '\n', i);
    else if (text.startsWith('/*', i)) i = endOf(text, '*/', i);
    else if (/\s/.test(char)) i++;
    else if (word !== undefined) {
      value = !BEFORE.has(word);
      i += word.length;
    } else if (char === '"' || char === "'") {
      i = endOfString(text, i + 1, char) + 1;
      value = true;
    } else if (char === '`' || (char === '}' && open.at(-1) === '${')) {
      if (char === '}') open.pop();
      i = endOfString(text, i + 1, '`');
      value = text.charAt(i) === '`';
      if (!value) open.push('${');
      i += value ? 1 : 2;
    } else {
      const literal: ReturnType<typeof literalAt> = char === '/' && !value ? literalAt(text, i) : undefined;
      if (literal !== undefined)
        found.push({ pattern: literal.pattern, line: text.slice(0, i).split('\n').length });
      if (char === '{') open.push(char);
      if (char === '}') open.pop();
      value = literal !== undefined || char === ')' || char === ']';
      i = literal?.end ?? i + 1;
    }
  }
  return found;
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from + 2);
  return at < 0 ? text.length : at + mark.length;
}

/** Where a string ends, or a template goes over into an expression. */
function endOfString(text: string, from: number, quote: string): number {
  let i = from;
  while (i < text.length && text.charAt(i) !== quote) {
    if (quote === '`' ? text.startsWith('${', i) : text.charAt(i) === '\n') return i;
    i += text.charAt(i) === '\\' ? 2 : 1;
  }
  return i;
}

function literalAt(text: string, start: number): { pattern: RegExp; end: number } | undefined {
  let inClass = false;
  let i = start + 1;
  for (; text.charAt(i) !== '\n' && (inClass || text.charAt(i) !== '/'); i++) {
    if (text.charAt(i) === '\\') i++;
    else if (text.charAt(i) === '[') inClass = true;
    else if (text.charAt(i) === ']') inClass = false;
  }
  const flags = /^[a-z]*/.exec(text.slice(i + 1, i + 10))?.[0] ?? '';
  try {
    return { pattern: new RegExp(text.slice(start + 1, i), flags), end: i + 1 + flags.length };
  } catch {
    return undefined;
  }
}
