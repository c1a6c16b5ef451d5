import type { Command } from 'commander';
import { systemClock } from '../../engine/clock.ts';
import { InvalidInput } from '../../errors.ts';
import {
  type CitedLink,
  type CompletionDiff,
  type DiffedClaim,
  type DiffRange,
  noDiff,
  readCompletionDiff,
} from '../../store/reads/completion-diff.ts';
import { readId, readSince } from './arguments.ts';
import type { Cli } from './cli.ts';
import { findSearchRow } from '../../monitor/topic/find.ts';
import type { Page } from './page.ts';
import { list } from './table.ts';
import type { Terminal } from './terminal.ts';
import { cut, oneLine, wrap } from './text.ts';
import { counted, instant } from './words.ts';

/** Lines of prose are not longer than this, however wide the terminal is. */
const PROSE = 100;

type Options = { since?: string; from?: string; to?: string; json?: boolean };

/** `completions diff`, a command of the group that is given. */
export function registerCompletionDiff(completions: Command, cli: Cli): void {
  completions
    .command('diff')
    .description('show what the last completion says that an earlier one did not, and which link brought it')
    .argument('<search>', 'slug of the search')
    .option('--since <time>', 'compare with the last completion before: 2026-11-14, 7d, 1w, yesterday')
    .option('--from <run>', 'compare with that of this run (default: the completion before)')
    .option('--to <run>', 'compare that of this run (default: the newest)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline completions diff harbour-ferry-ai --since 7d\n')
    .action((search: string, options: Options) => {
      const range = rangeOf(options);
      return cli.withHome(async ({ ctx }) => {
        const { id } = await findSearchRow(ctx.db, search);
        const diff = await readCompletionDiff(ctx.db, { id, slug: search }, range);
        if (typeof diff === 'string') throw noDiff(diff, search, range);
        if (diff.from_first)
          cli.page.say(
            `note: no completion whose claims are known is as old as that; compared with the first, of run ${diff.from.run_id}`,
          );
        await cli.show(options.json, diff, () => page(diff, cli.page));
      });
    });
}

function rangeOf({ since, from, to }: Options): DiffRange {
  if (since !== undefined && from !== undefined)
    throw new InvalidInput([{ path: 'from', given: from, expected: 'either --since or --from' }]);
  return {
    since: since === undefined ? undefined : readSince(since, systemClock.now()),
    from: from === undefined ? undefined : readId('from', from),
    to: to === undefined ? undefined : readId('to', to),
  };
}

function page(diff: CompletionDiff, terminal: Terminal): string[] {
  const { from, to, new_claims, gone_claims, changed_claims, kept, gaps } = diff;
  const moment = ({ run_id, observed_at, claims }: CompletionDiff['from']) =>
    `run ${run_id}, ${instant(observed_at, terminal)}, ${counted(claims, 'claim')}`;
  const silent = (n: number) =>
    `${counted(n, 'run')} without a completion: what ${n === 1 ? 'it' : 'they'} would have said is not known`;
  const { green, red, yellow } = terminal.colors;
  const added = saidOnce(new_claims, (claim) => [
    ...claim.brought_by.flatMap((link) => source('brought by', link, terminal)),
    ...claim.cited
      .filter((link) => !claim.brought_by.includes(link))
      .flatMap((link) => source('cites', link, terminal)),
  ]);
  const gone = saidOnce(gone_claims, (claim) =>
    claim.cited.flatMap((link) => source('cited', link, terminal)),
  );
  const changed = saidOnce(changed_claims, (claim) => [
    ...claim.cited_new.flatMap((link) => source('now cites', link, terminal)),
    ...claim.cited_gone.flatMap((link) => source('no longer cites', link, terminal)),
  ]);
  return [
    ...list(
      [
        ['search', diff.search],
        ['from', moment(from)],
        ...(gaps.between > 0 ? [['between', silent(gaps.between)] as const] : []),
        ['to', moment(to)],
        ...(gaps.after > 0 ? [['since then', silent(gaps.after)] as const] : []),
        [
          'claims',
          `${added.length} new, ${gone.length} gone, ${changed.length} with other sources, ${kept} kept`,
        ],
      ],
      terminal,
    ),
    ...section('new', added, terminal, green('+')),
    ...section('gone', gone, terminal, red('-')),
    ...section('with other sources', changed, terminal, yellow('~')),
  ];
}

/** A claim with what is told below it, and the texts of the completion that make it. */
type Said = { text: string; below: readonly string[]; parts: string[] };

/** What stands word for word, with the same sources, in several texts of a completion is one claim to a reader. */
function saidOnce<T extends DiffedClaim>(
  claims: readonly T[],
  below: (claim: T) => readonly string[],
): Said[] {
  const said = new Map<string, Said>();
  for (const claim of claims) {
    const part = PARTS[claim.role];
    const lines = [...below(claim), ...unresolved(claim)];
    const key = JSON.stringify([claim.text, lines]);
    const known = said.get(key);
    if (known === undefined) said.set(key, { text: claim.text, below: lines, parts: [part] });
    else known.parts.push(part);
  }
  return [...said.values()];
}

/** Texts of a completion as `completions show` calls them. */
const PARTS: Readonly<Record<DiffedClaim['role'], string>> = {
  summary: 'summary',
  news_forum_summary: 'news forums',
  discussion_board_summary: 'discussion boards',
  microblog_summary: 'microblog',
};

function section(heading: string, claims: readonly Said[], terminal: Terminal, sign: string): string[] {
  if (claims.length === 0) return [];
  const { bold, dim, width, more } = terminal;
  return [
    '',
    bold(cut(heading, width, more)),
    ...claims.flatMap(({ text, below, parts }) => [
      ...indented(text, terminal).map((line, nth) => (nth === 0 ? `${sign} ${line}` : `  ${line}`)),
      ...[...(parts.length > 1 ? [`in: ${parts.join(', ')}`] : []), ...below].flatMap((line) =>
        indented(line, terminal).map((part) => `  ${dim(part)}`),
      ),
    ]),
  ];
}

function indented(text: string, { width }: Page): string[] {
  return wrap(oneLine(text), Math.max(1, Math.min(width, PROSE) - 2));
}

/** A link in two lines: what is known of it, and its address. */
function source(verb: string, link: CitedLink, terminal: Terminal): string[] {
  const { title, source: group, first_seen_at, returned, url } = link;
  const facts = [
    title === null || oneLine(title) === '' ? undefined : oneLine(title),
    group ?? undefined,
    `first seen ${instant(first_seen_at, terminal)}`,
    returned ? undefined : 'not among the results of the answer',
  ];
  return [`${verb}: ${facts.filter((fact) => fact !== undefined).join(', ')}`, url];
}

function unresolved({ unresolved: numbers }: DiffedClaim): string[] {
  if (numbers.length === 0) return [];
  return [`cites [${numbers.join(', ')}], which the answer does not explain`];
}
