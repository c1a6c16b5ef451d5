/** `find`: by hand, because its matches are no table. */
import { type Command, Option } from 'commander';
import type { ExcerptPiece, TextHit } from '../store/archive/find-text.ts';
import { ask, atOptions, type Reply } from './api-requests.ts';
import { addListOptions, type ListOptions } from './list-command.ts';
import { choiceOption, numberOption, type PastTime, TIME_EXAMPLES, timeOption } from './option-values.ts';
import type { Cli } from './command-context.ts';
import { createHighlighter } from './highlighted-words.ts';
import { fromPlace } from './list-pages.ts';
import { MAX_HITS } from '../monitor/typed-values.ts';
import { sayNotIndexed } from './reply-notices.ts';
import type { TerminalPage } from './terminal-io.ts';
import { MAX_PROSE_WIDTH, oneLine, wrapText } from './terminal-text.ts';
import { formatCount, formatQuantity, formatTime } from './value-formatting.ts';

type FindOptions = ListOptions & {
  kind?: 'post' | 'link';
  author?: string;
  lang?: string;
  since?: PastTime;
  until?: PastTime;
  limit: number;
  after?: string;
};

export function registerFind(command: Command, cli: Cli): void {
  command.argument('<query>', 'words, "phrases", -excluded, OR, author:, domain:, #tag, lang:, from: ...');
  addListOptions(command, 'results', [
    choiceOption('--kind <kind>', 'post or link, as is: in the query', ['post', 'link']),
    new Option('--author <name>', 'as author: in the query'),
    new Option('--lang <language>', 'as lang: in the query'),
    timeOption('since', `from this time on: ${TIME_EXAMPLES}`, cli.page),
    timeOption('until', 'before this time', cli.page),
    numberOption('limit', `maximum number, up to ${MAX_HITS}`, { max: MAX_HITS, fallback: 20 }),
    new Option('--after <place>', 'the next page, as the previous one says'),
  ])
    .addHelpText(
      'after',
      '\nExamples:\n  $ strandline find "harbour crane" --kind post --since 1w\n' +
        '  $ strandline find \'"night line" -cancelled lang:en\'\n\nThe query language: docs/reference/queries.md\n',
    )
    .action((text: string, { since, until, after, json, ...options }: FindOptions) =>
      cli.withApi(async (api) => {
        const now = api.now();
        const members = { text, ...options, since: since?.(now), until: until?.(now), cursor: after };
        const { items, total, next_cursor, not_indexed } = await atOptions({ text: 'query' }, () =>
          fromPlace(after, () => ask<Matches>(api, 'find', members)),
        );
        await cli.show(json, items, () => renderHits(items, now, cli.page));
        if (total === 0) cli.say(not_indexed === 0 ? 'No matches.' : 'No matches in what is indexed.');
        else cli.say(describeMatches(items.length, total, next_cursor, cli.page));
        sayNotIndexed(cli, not_indexed);
      }),
    );
  cli.callers.add(command);
}

type Matches = { items: TextHit[]; total: number; next_cursor: string | null; not_indexed: number };
type Hit = Reply<TextHit>;

/** `214 matches, 50 shown` */
function describeMatches(shown: number, total: number, next: string | null, page: TerminalPage): string {
  const matches = formatQuantity(total, 'match', 'matches');
  if (shown === total) return `${matches}.`;
  const more = next === null ? '' : ` Next page: --after ${next}`;
  return `${matches}, ${formatCount(shown, page)} shown.${more}`;
}

function renderHits(hits: readonly Hit[], now: Date, page: TerminalPage): string[] {
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

function describeOrigin({ post, link, found_by }: Hit): string[] {
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
