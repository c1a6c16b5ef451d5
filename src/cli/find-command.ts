import type { Command } from 'commander';
import { InvalidInput } from '../domain/errors.ts';
import { parseFieldValue } from '../domain/query-fields.ts';
import { EVERYTHING, parseQuery, type Query, requireAll } from '../domain/search-query.ts';
import { catchUpArchive } from '../store/archive/index-archive.ts';
import { MAX_HITS, findText, type ExcerptPiece, type TextHit } from '../store/archive/find-text.ts';
import { parseChoice, parseSince, parseWholeNumber, TIME_EXAMPLES } from './option-values.ts';
import type { Cli } from './command-context.ts';
import { describeBacklog, openData, SIMULATED_OPTION } from './result-notices.ts';
import type { TerminalPage } from './terminal-io.ts';
import { MAX_PROSE_WIDTH, oneLine, wrapText } from './terminal-text.ts';
import { formatCount, formatQuantity, formatTime } from './value-formatting.ts';

type FindOptions = {
  topic?: string;
  search?: string;
  simulated?: boolean;
  kind?: string;
  author?: string;
  lang?: string;
  since?: string;
  until?: string;
  limit?: string;
  after?: string;
  json?: boolean;
};

export function registerFind(command: Command, cli: Cli): void {
  command
    .argument('<query>', 'words, "phrases", -excluded, OR, author:, domain:, #tag, lang:, from: ...')
    .option('--topic <topic>', 'only results of this topic')
    .option('--search <search>', 'only results of this search')
    .option('--kind <kind>', 'post or link, as is: in the query')
    .option('--author <name>', 'as author: in the query')
    .option('--lang <language>', 'as lang: in the query')
    .option('--since <time>', `from this time on: ${TIME_EXAMPLES}`)
    .option('--until <time>', 'before this time')
    .option('--limit <n>', `maximum number, up to ${MAX_HITS} (default: 20)`)
    .option('--after <place>', 'the next page, as the previous one says')
    .option(...SIMULATED_OPTION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ strandline find "harbour crane" --kind post --since 1w\n' +
        '  $ strandline find \'"night line" -cancelled lang:en\'\n\nThe query language: docs/reference/queries.md\n',
    )
    .action((text: string, options: FindOptions) => {
      const { after, json } = options;
      const limit = options.limit === undefined ? 20 : parseWholeNumber('limit', options.limit, 1, MAX_HITS);
      const written = parseQuery(text);
      if (written === EVERYTHING)
        throw new InvalidInput([{ path: 'query', given: text, expected: 'at least one word or field' }]);
      const kind =
        options.kind === undefined ? undefined : parseChoice('kind', options.kind, ['post', 'link']);
      const named = (['author', 'lang'] as const).map((field) => parseFieldValue(field, options[field]));
      return cli.withProgram(async ({ ctx }) => {
        const now = ctx.clock.now();
        const readTime = (is: 'from' | 'to', given: string | undefined, path: string): Query | undefined =>
          given === undefined
            ? undefined
            : { is, value: { at: parseSince(given, now, cli.page, path), date: false } };
        const query = requireAll([
          written,
          kind === undefined ? undefined : { is: 'is', value: kind },
          ...named,
          readTime('from', options.since, 'since'),
          readTime('to', options.until, 'until'),
        ]);
        const scope = await openData(cli, ctx, options);
        const backlog = await catchUpArchive(ctx.db);
        const { hits, total, next } = await findText(ctx.db, { ...scope, query, now, after, limit });
        const shown = hits.map((hit) => ({ ...hit, sandbox: hit.simulated }));
        await cli.show(json, shown, () => renderHits(hits, now, cli.page));
        cli.page.say(
          total === 0 && backlog !== null
            ? 'No matches in what is indexed.'
            : describeMatches(hits.length, total, next, cli.page),
        );
        if (backlog !== null) cli.page.say(describeBacklog(backlog, cli.page));
      });
    });
}

/** `214 matches, 50 shown` */
function describeMatches(shown: number, total: number, next: string | null, page: TerminalPage): string {
  if (total === 0) return 'No matches.';
  const matches = formatQuantity(total, 'match', 'matches');
  if (shown === total) return `${matches}.`;
  const more = next === null ? '' : ` Next page: --after ${next}`;
  return `${matches}, ${formatCount(shown, page)} shown.${more}`;
}

function renderHits(hits: readonly TextHit[], now: Date, page: TerminalPage): string[] {
  const { bold, cyan, dim } = page.colors;
  const width = page.width === Number.POSITIVE_INFINITY ? page.width : Math.min(page.width, MAX_PROSE_WIDTH);
  const indent = width > 20 ? '  ' : '';
  return hits.flatMap((hit, i) => {
    const painted = (pieces: readonly ExcerptPiece[], paint: (text: string) => string = (text) => text) => {
      const mark = createHighlighter(pieces, bold);
      return wrapText(oneLine(joinMarked(pieces)), width - indent.length).map(
        (line) => indent + paint(mark(line)),
      );
    };
    const url = hit.post?.url ?? hit.link?.url ?? '';
    const head = [formatTime(hit.at, now, page), hit.kind, ...describeOrigin(hit)];
    return [
      ...(i === 0 ? [] : ['']),
      ...wrapText(oneLine(head.join('  ')), width).map(cyan),
      ...(hit.title.length === 0 ? [] : painted(hit.title)),
      ...(hit.excerpt.length === 0 ? [] : painted(hit.excerpt)),
      ...(url === '' ? [] : wrapText(oneLine(url), width - indent.length).map((line) => indent + dim(line))),
    ];
  });
}

function describeOrigin({ post, link, found_by }: TextHit): string[] {
  const author = post?.author_username;
  const [first] = found_by;
  const more =
    found_by.length > 1 ? ` and ${formatQuantity(found_by.length - 1, 'search', 'searches')} more` : '';
  return [
    ...(author === undefined || author === null ? [] : [`@${author}`]),
    ...(link === null ? [] : [link.site]),
    ...(first === undefined ? [] : [`${first.search}${more}`]),
  ];
}

function joinMarked(pieces: readonly ExcerptPiece[]): string {
  return pieces.map(({ text }) => text).join('');
}

/** Highlights matched words in wrapped lines; a word that is split across lines stays plain. */
function createHighlighter(
  pieces: readonly ExcerptPiece[],
  paint: (text: string) => string,
): (line: string) => string {
  const words = [...new Set(pieces.flatMap(({ text, match }) => (match ? [oneLine(text)] : [])))];
  if (words.length === 0) return (line) => line;
  // Words contain only letters, marks and digits, so they need no escaping.
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const marked = new RegExp(
    `(?<![\\p{L}\\p{M}\\p{N}])(?:${longestFirst.join('|')})(?![\\p{L}\\p{M}\\p{N}])`,
    'gu',
  );
  return (line) => line.replace(marked, (word) => paint(word));
}
