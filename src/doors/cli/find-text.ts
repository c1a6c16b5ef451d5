import type { Command } from 'commander';
import { InvalidInput } from '../../errors.ts';
import { assertFilter } from '../../monitor/topic/find.ts';
import { FOUND_MOST, findText, type Marked, type TextHit } from '../../store/archive/find-text.ts';
import { readOneOf, readSince, readWhole } from './arguments.ts';
import type { Cli } from './cli.ts';
import { tellInvented } from './invented.ts';
import type { Page } from './page.ts';
import { oneLine, wrap } from './text.ts';
import { counted, when } from './words.ts';

const TIMES = '2026-11-21, 2026-11-21T14:05Z, 1h, 2d, today, yesterday';
const LANG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i;

type Options = {
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
    .argument('<text>', 'words, any of which may stand there, in any form')
    .option('--topic <topic>', 'only what a topic found')
    .option('--search <search>', 'only what a search found')
    .option('--kind <kind>', 'post or link (default: both)')
    .option('--author <name>', 'only posts of this author')
    .option('--lang <language>', 'only posts that say they are in it: en, pt-BR')
    .option('--since <time>', `from this time on: ${TIMES}`)
    .option('--until <time>', 'before this time')
    .option('--limit <n>', `how many, up to ${FOUND_MOST} (default: 20)`)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline find "harbour crane" --kind post --since 1w\n')
    .action((text: string, options: Options) => {
      const { topic, search, json } = options;
      const limit = options.limit === undefined ? 20 : readWhole('limit', options.limit, 1, FOUND_MOST);
      const kind = options.kind === undefined ? undefined : readOneOf('kind', options.kind, ['post', 'link']);
      const author = options.author?.replace(/^@/u, '');
      const lang = readLang(options.lang);
      if (!/[\p{L}\p{N}]/u.test(text))
        throw new InvalidInput([{ path: 'text', given: text, expected: 'at least one word' }]);
      return cli.withHome(async ({ ctx }) => {
        const now = ctx.clock.now();
        const from = options.since === undefined ? undefined : readSince(options.since, now);
        const before = options.until === undefined ? undefined : readSince(options.until, now, 'until');
        await assertFilter(ctx.db, { topic, search });
        const asked = { text, topic, search, kind, author, lang, from, before, limit };
        const hits = await findText(ctx.db, asked);
        if (hits.length === 0) cli.page.say('nothing that was found holds any of these words');
        await cli.show(json, hits, () => findPage(hits, now, cli.page));
        tellInvented(
          cli,
          json,
          hits.map(({ sandbox }) => (sandbox ? 'sandbox' : 'other')),
        );
      });
    });
}

function readLang(given: string | undefined): string | undefined {
  if (given === undefined || LANG.test(given)) return given;
  throw new InvalidInput([{ path: 'lang', given, expected: 'a language as posts say it: en, pt-BR' }]);
}

/** Prose is not wider than this, however wide the terminal is. */
const PROSE = 100;

function findPage(hits: readonly TextHit[], now: Date, page: Page): string[] {
  const { bold, cyan, dim } = page.colors;
  const worlds = new Set(hits.map(({ sandbox }) => sandbox));
  const width = Math.min(page.width, page.width === Number.POSITIVE_INFINITY ? page.width : PROSE);
  const indent = width > 20 ? '  ' : '';
  return hits.flatMap((hit, i) => {
    const painted = (pieces: readonly Marked[], paint: (text: string) => string = (text) => text) => {
      const mark = markerOf(pieces, bold);
      return wrap(oneLine(textOf(pieces)), width - indent.length).map((line) => indent + paint(mark(line)));
    };
    const url = hit.post?.url ?? hit.link?.url ?? '';
    const head = [
      when(hit.at, now, page),
      hit.kind,
      ...whoseOf(hit),
      ...(worlds.size > 1 && hit.sandbox ? ['sandbox'] : []),
    ];
    return [
      ...(i === 0 ? [] : ['']),
      ...wrap(oneLine(head.join('  ')), width).map(cyan),
      ...(hit.title.length === 0 ? [] : painted(hit.title)),
      ...(hit.excerpt.length === 0 ? [] : painted(hit.excerpt)),
      ...(url === '' ? [] : wrap(oneLine(url), width - indent.length).map((line) => indent + dim(line))),
    ];
  });
}

function whoseOf({ post, link, found_by }: TextHit): string[] {
  const author = post?.author_username;
  const [first] = found_by;
  const more = found_by.length > 1 ? ` and ${counted(found_by.length - 1, 'search', 'searches')} more` : '';
  return [
    ...(author === undefined || author === null ? [] : [`@${author}`]),
    ...(link === null ? [] : [link.site]),
    ...(first === undefined ? [] : [`${first.search}${more}`]),
  ];
}

function textOf(pieces: readonly Marked[]): string {
  return pieces.map(({ text }) => text).join('');
}

/** Paints, in lines of a text, the words that are marked in it; one that a line end cuts in two is left as it is. */
function markerOf(pieces: readonly Marked[], paint: (text: string) => string): (line: string) => string {
  const words = [...new Set(pieces.flatMap(({ text, match }) => (match ? [oneLine(text)] : [])))];
  if (words.length === 0) return (line) => line;
  // Of letters, marks and digits alone: nothing in them means anything to a pattern.
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const marked = new RegExp(
    `(?<![\\p{L}\\p{M}\\p{N}])(?:${longestFirst.join('|')})(?![\\p{L}\\p{M}\\p{N}])`,
    'gu',
  );
  return (line) => line.replace(marked, (word) => paint(word));
}
