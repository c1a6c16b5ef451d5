import type { Command } from 'commander';
import { InvalidInput } from '../domain/errors.ts';
import { assertFilterExists } from '../monitor/topics/find-by-slug.ts';
import { type ArchiveBacklog, readArchiveBacklog } from '../store/archive/index-archive.ts';
import { MAX_HITS, findText, type ExcerptPiece, type TextHit } from '../store/archive/find-text.ts';
import { parseChoice, parseSince, parseWholeNumber, TIME_EXAMPLES } from './option-values.ts';
import type { Cli } from './command-context.ts';
import { printSimulatedNotice } from './result-notices.ts';
import type { TerminalPage } from './terminal-io.ts';
import { MAX_PROSE_WIDTH, oneLine, wrapText } from './terminal-text.ts';
import { formatCount, formatQuantity, formatTime } from './value-formatting.ts';

const LANGUAGE_TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i;

type FindOptions = {
  topic?: string;
  search?: string;
  kind?: string;
  author?: string;
  lang?: string;
  since?: string;
  until?: string;
  limit?: string;
  json?: boolean;
};

export function registerFind(command: Command, cli: Cli): void {
  command
    .argument('<text>', 'words; matches any of them, in any form')
    .option('--topic <topic>', 'only results of this topic')
    .option('--search <search>', 'only results of this search')
    .option('--kind <kind>', 'post or link (default: both)')
    .option('--author <name>', 'only posts by this author')
    .option('--lang <language>', 'only posts in this language: en, pt-BR')
    .option('--since <time>', `from this time on: ${TIME_EXAMPLES}`)
    .option('--until <time>', 'before this time')
    .option('--limit <n>', `maximum number, up to ${MAX_HITS} (default: 20)`)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline find "harbour crane" --kind post --since 1w\n')
    .action((text: string, options: FindOptions) => {
      const { topic, search, json } = options;
      const limit = options.limit === undefined ? 20 : parseWholeNumber('limit', options.limit, 1, MAX_HITS);
      const kind =
        options.kind === undefined ? undefined : parseChoice('kind', options.kind, ['post', 'link']);
      const author = options.author?.replace(/^@/u, '');
      const lang = parseLanguage(options.lang);
      if (!/[\p{L}\p{N}]/u.test(text))
        throw new InvalidInput([{ path: 'text', given: text, expected: 'at least one word' }]);
      return cli.withProgram(async ({ ctx }) => {
        const now = ctx.clock.now();
        const from = options.since === undefined ? undefined : parseSince(options.since, now, cli.page);
        const before =
          options.until === undefined ? undefined : parseSince(options.until, now, cli.page, 'until');
        await assertFilterExists(ctx.db, { topic, search });
        const query = { text, topic, search, kind, author, lang, from, before, limit };
        const hits = await findText(ctx.db, query);
        const backlog = await readArchiveBacklog(ctx.db);
        if (hits.length === 0 || backlog !== null)
          cli.page.say(describeResult(hits.length, backlog, cli.page));
        await cli.show(json, hits, () => renderHits(hits, now, cli.page));
        printSimulatedNotice(
          cli,
          json,
          hits.map(({ sandbox }) => (sandbox ? 'sandbox' : 'other')),
        );
      });
    });
}

/** The index may be behind: then no match is not yet none. */
function describeResult(hits: number, backlog: ArchiveBacklog | null, page: TerminalPage): string {
  if (backlog === null) return 'No matches.';
  const { indexed, total } = backlog;
  const part = `the part that is indexed (${formatCount(indexed, page)} of ${formatCount(total, page)} items)`;
  const found = hits === 0 ? `No matches in ${part}.` : `Searched ${part}.`;
  return `${found} Indexing continues; try again.`;
}

function parseLanguage(given: string | undefined): string | undefined {
  if (given === undefined || LANGUAGE_TAG.test(given)) return given;
  throw new InvalidInput([{ path: 'lang', given, expected: 'a language code: en, pt-BR' }]);
}

function renderHits(hits: readonly TextHit[], now: Date, page: TerminalPage): string[] {
  const { bold, cyan, dim } = page.colors;
  const origins = new Set(hits.map(({ sandbox }) => sandbox));
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
    const head = [
      formatTime(hit.at, now, page),
      hit.kind,
      ...describeOrigin(hit),
      ...(origins.size > 1 && hit.sandbox ? ['simulated'] : []),
    ];
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
