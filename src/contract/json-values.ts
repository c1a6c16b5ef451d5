/**
 * Cuts a text into the JSON values (objects and arrays) that stand in it one after another, whatever lies
 * between them: nothing, white space, commas, another `data:`, a `[DONE]`. A value may arrive in any
 * number of parts; each character is looked at once.
 */
export type JsonValues = {
  /** Takes more text and gives the texts of the values that it completes, as they are asked for. */
  feed(text: string): Iterable<string>;
  /** Gives up a value that has begun and was not finished. True when there was one. */
  reset(): boolean;
  /** Whether a value has begun and is not finished. */
  readonly open: boolean;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export function createJsonValues(): JsonValues {
  let parts: string[] = [];
  let depth = 0;
  let inString = false;
  let escaped = false;

  return {
    *feed(text) {
      let start = 0;
      for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        if (escaped) {
          escaped = false;
        } else if (inString) {
          while (i < text.length && !endsPlain(text.charCodeAt(i))) i++;
          escaped = text.charCodeAt(i) === BACKSLASH;
          inString = text.charCodeAt(i) !== QUOTE;
        } else if (unit === QUOTE) {
          inString = depth > 0; // a quote between values opens nothing
        } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
          if (depth === 0 && text.startsWith('[DONE]', i)) {
            i += '[DONE]'.length - 1;
            continue;
          }
          if (depth === 0) start = i;
          depth++;
        } else if ((unit === CLOSE_BRACE || unit === CLOSE_BRACKET) && depth > 0) {
          depth--;
          if (depth > 0) continue;
          const whole = parts.join('') + text.slice(start, i + 1);
          parts = [];
          yield whole;
        }
      }
      if (depth > 0) parts.push(text.slice(start));
    },

    reset() {
      const open = depth > 0;
      parts = [];
      depth = 0;
      inString = false;
      escaped = false;
      return open;
    },

    get open() {
      return depth > 0;
    },
  };
}

/** Whether a character of a string stands for more than itself. */
function endsPlain(unit: number): boolean {
  return unit === QUOTE || unit === BACKSLASH;
}
