/** The code blocks of a page, in order, and what the page says about each. */

export type Block = {
  /** `page:line`, with the first line of the code. */
  at: string;
  language: 'sh' | 'sql' | 'js' | 'python' | 'json' | 'yaml' | '';
  code: string;
  /** The block without a language that follows with nothing in between: what the page shows of its output. */
  shown: string | undefined;
  /** Of `Save this as`: the file that holds the code. */
  file: string | undefined;
  /** The page says what it means that there are no rows. */
  mayBeEmpty: boolean;
};

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm;

export function readBlocks(page: string, text: string): Block[] {
  const found = [...text.matchAll(FENCE)];
  return found.flatMap((match, i) => {
    const [whole, indent = '', language = '', code = ''] = match;
    const before = text.slice(0, match.index);
    const previous = found[i - 1];
    const isOutput = (output: RegExpMatchArray | undefined, of: RegExpMatchArray | undefined) =>
      output !== undefined &&
      of !== undefined &&
      output[2] === '' &&
      of[2] !== '' &&
      text.slice((of.index ?? 0) + of[0].length, output.index).trim() === '';
    // It is the output of the block before it.
    if (isOutput(match, previous)) return [];
    const next = found[i + 1];
    const paragraph = before.trimEnd().split('\n\n').at(-1) ?? '';
    const after = text.slice(match.index + whole.length).trimStart();
    return [
      {
        at: `${page}:${before.split('\n').length}`,
        language: language as Block['language'], // other languages fail where blocks are run
        code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
        shown: isOutput(next, match) ? next?.[3] : undefined,
        file: /[Ss]ave (?:this|it)\s+as\s+`([\w.]+)`/.exec(`${paragraph}\n${after.split('\n\n')[0]}`)?.[1],
        mayBeEmpty: /^(?:No rows means|An empty)/.test(after),
      },
    ];
  });
}

/**
 * Lines of an output without what differs from run to run: digits and widths. Units of times count as one, since
 * `in 7 min` may be `in 50 s`; so do `1 post` and `60 posts`.
 */
export function shapeOf(output: string): string[] {
  return output
    .split('\n')
    .map((line) =>
      line
        .replaceAll('npm run -s strandline -- ', 'strandline ')
        .replace(/(?:; · not observed)?(?:; \^ at least)?$/, '')
        .replaceAll(/(?<![\d.,])1 (post|link|run|completion|author)\b/g, '# $1s')
        .replaceAll(/\d[\d,.]*/g, '#')
        .replaceAll(/# (?:ms|s|min|h|kB|MB)\b/g, '# unit')
        .replaceAll(/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b/g, 'Day')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '' && line !== 'Opening the database…');
}
