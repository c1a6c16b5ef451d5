import type { Command } from 'commander';
import { showFigures } from '../model/statements/answer-change.ts';
import { formatPercent } from '../lib/display-format.ts';
import { systemClock } from '../platform/clock.ts';
import { InvalidInput } from '../model/errors.ts';
import {
  type CitedLink,
  type CompletionDiff,
  type DiffedClaim,
  type DiffRange,
  describeStatements,
  refuseDiff,
  readCompletionDiff,
} from '../store/queries/completion-diff.ts';
import { parseId, parseSince } from './option-values.ts';
import type { Cli } from './command-context.ts';
import { findSearchRow } from '../monitor/topics/find-by-slug.ts';
import type { Terminal, TerminalPage } from './terminal-io.ts';
import { renderList } from './terminal-table.ts';
import { MAX_PROSE_WIDTH, truncate, oneLine, wrapText } from './terminal-text.ts';
import { formatQuantity, formatInstant } from './value-formatting.ts';

type DiffOptions = { since?: string; from?: string; to?: string; json?: boolean };

/** `completions diff`. */
export function registerCompletionDiff(completions: Command, cli: Cli): void {
  completions
    .command('diff')
    .description('compare the statements of two completions, with the links they cite')
    .argument('<search>', 'search slug')
    .option(
      '--since <time>',
      'compare with the last completion before this time: 2026-11-14, 7d, 1w, yesterday',
    )
    .option('--from <run>', 'compare with the completion of this run (default: the previous one)')
    .option('--to <run>', 'compare the completion of this run (default: the latest)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline completions diff harbour-ferry-ai --since 7d\n')
    .action((search: string, options: DiffOptions) => {
      const range = parseDiffRange(options, cli.page);
      return cli.withProgram(async ({ ctx }) => {
        const row = await findSearchRow(ctx.db, search);
        const diff = await readCompletionDiff(ctx.db, row, range);
        if (typeof diff === 'string') throw refuseDiff(diff, search, range);
        if (diff.from_first)
          cli.page.say(
            `note: no completion is that old; compared with the first one, of run ${diff.from.run_id}`,
          );
        await cli.show(options.json, diff, () => renderDiff(diff, cli.page));
      });
    });
}

function parseDiffRange({ since, from, to }: DiffOptions, page: Pick<TerminalPage, 'zone'>): DiffRange {
  if (since !== undefined && from !== undefined)
    throw new InvalidInput([{ path: 'from', given: from, expected: 'either --since or --from' }]);
  return {
    since: since === undefined ? undefined : parseSince(since, systemClock.now(), page),
    from: from === undefined ? undefined : parseId('from', from),
    to: to === undefined ? undefined : parseId('to', to),
  };
}

function renderDiff(diff: CompletionDiff, terminal: Terminal): string[] {
  const { from, to, new_claims, revised_claims, gone_claims, changed_claims, gaps, citations, similarity } =
    diff;
  const moment = ({ run_id, observed_at }: CompletionDiff['from']) =>
    `run ${run_id}, ${formatInstant(observed_at, terminal)}`;
  const describeGap = (n: number) => (n === 0 ? null : `${formatQuantity(n, 'run')} without a completion`);
  const { green, red, yellow } = terminal.colors;
  const renderSources = (claim: CompletionDiff['new_claims'][number]) => [
    ...claim.brought_by.flatMap((link) => renderSource('new source', link, terminal)),
    ...claim.cited
      .filter((link) => !claim.brought_by.includes(link))
      .flatMap((link) => renderSource('cites', link, terminal)),
  ];
  const added = renderEach(new_claims, renderSources);
  const revised = renderEach(
    revised_claims.map((claim) => ({ ...claim, text: showFigures(claim.text, claim.figures) })),
    renderSources,
  );
  const gone = renderEach(gone_claims, (claim) =>
    claim.cited.flatMap((link) => renderSource('cited', link, terminal)),
  );
  const changed = renderEach(changed_claims, (claim) => [
    ...claim.cited_new.flatMap((link) => renderSource('now cites', link, terminal)),
    ...claim.cited_gone.flatMap((link) => renderSource('no longer cites', link, terminal)),
  ]);
  return [
    ...renderList(
      [
        ['search', diff.search],
        ['from', moment(from)],
        ['between', describeGap(gaps.between)],
        ['to', moment(to)],
        ['after', describeGap(gaps.after)],
        ['statements', describeStatements(diff)],
        ['similarity', formatPercent(similarity)],
        ['sources', `${citations.added} added, ${citations.removed} removed`],
      ],
      terminal,
    ),
    ...renderClaims('revised', revised, terminal, yellow('~')),
    ...renderClaims('new', added, terminal, green('+')),
    ...renderClaims('removed', gone, terminal, red('-')),
    ...renderClaims('with other sources', changed, terminal, yellow('~')),
  ];
}

/** A statement and the lines below it. */
type RenderedClaim = { text: string; below: readonly string[] };

function renderEach<T extends DiffedClaim>(
  claims: readonly T[],
  below: (claim: T) => readonly string[],
): RenderedClaim[] {
  return claims.map((claim) => {
    const parts = claim.roles.map((role) => COMPLETION_PARTS[role]);
    const where = parts.length > 1 ? [`in: ${parts.join(', ')}`] : [];
    return { text: claim.text, below: [...where, ...below(claim), ...describeUnresolved(claim)] };
  });
}

/** The headings of `completions show`. */
const COMPLETION_PARTS: Readonly<Record<DiffedClaim['role'], string>> = {
  summary: 'summary',
  news_forum_summary: 'news forums',
  discussion_board_summary: 'discussion boards',
  microblog_summary: 'microblog',
};

function renderClaims(
  heading: string,
  claims: readonly RenderedClaim[],
  terminal: Terminal,
  sign: string,
): string[] {
  if (claims.length === 0) return [];
  const { bold, dim, width, more } = terminal;
  return [
    '',
    bold(truncate(heading, width, more)),
    ...claims.flatMap(({ text, below }) => [
      ...wrapIndented(text, terminal).map((line, nth) => (nth === 0 ? `${sign} ${line}` : `  ${line}`)),
      ...below.flatMap((line) => wrapIndented(line, terminal).map((part) => `  ${dim(part)}`)),
    ]),
  ];
}

function wrapIndented(text: string, { width }: TerminalPage): string[] {
  return wrapText(oneLine(text), Math.max(1, Math.min(width, MAX_PROSE_WIDTH) - 2));
}

/** A link in two lines: its facts and its address. */
function renderSource(verb: string, link: CitedLink, terminal: Terminal): string[] {
  const { title, source: group, first_seen_at, returned, url } = link;
  const facts = [
    title === null || oneLine(title) === '' ? '(untitled)' : oneLine(title),
    group ?? undefined,
    `first seen ${formatInstant(first_seen_at, terminal)}`,
    returned ? undefined : 'not among the results',
  ];
  return [`${verb}: ${facts.filter((fact) => fact !== undefined).join(', ')}`, url];
}

function describeUnresolved({ unresolved: numbers }: DiffedClaim): string[] {
  if (numbers.length === 0) return [];
  return [`cites [${numbers.join(', ')}], which is not in the list of sources`];
}
