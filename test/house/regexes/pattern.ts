/** A regular expression taken apart, as far as it takes to reach each of its loops. */
export type Part = { least: number; most: number; sign?: string; inside?: Part[][]; looks: boolean };

/** The alternatives of an expression, each a row of parts. */
export function partsOf({ source }: RegExp): Part[][] {
  let i = 0;
  const whole = alternatives();
  if (i !== source.length) throw new Error(`/${source}/ could not be taken apart at ${i}`);
  return whole;

  function alternatives(): Part[][] {
    const rows: Part[][] = [[]];
    while (i < source.length && source.charAt(i) !== ')') {
      if (source.charAt(i) === '|') {
        rows.push([]);
        i++;
      } else {
        const part = repeated(single());
        rows.at(-1)?.push(part);
      }
    }
    return rows;
  }

  function single(): Pick<Part, 'sign' | 'inside' | 'looks'> {
    const opening = /^\((?:\?(?::|<?[=!]|<\w+>))?/.exec(source.slice(i))?.[0];
    if (opening !== undefined) {
      i += opening.length;
      const inside = alternatives();
      i++;
      return { inside, looks: /[=!]$/.test(opening) };
    }
    const sign =
      /^(?:\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\k<\w+>|\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|[^])/u.exec(
        source.slice(i),
      )?.[0] ?? '';
    i += sign.length;
    return { sign, looks: /^(?:\^|\$|\\[bB\d]|\\k.*)$/.test(sign) };
  }

  function repeated(part: Pick<Part, 'sign' | 'inside' | 'looks'>): Part {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(i));
    if (found === null) return { ...part, least: 1, most: 1 };
    const [all, one, least = '0', comma, most] = found;
    i += all.length;
    if (one !== undefined) return { ...part, least: one === '+' ? 1 : 0, most: one === '?' ? 1 : Infinity };
    return { ...part, least: Number(least), most: most ? Number(most) : comma ? Infinity : Number(least) };
  }
}
