/** The difference between two completions. */
import { formatPercent } from '../lib/display-format.ts';
import { showFigures } from '../model/statements/answer-change.ts';
import {
  type CitedLink,
  type CompletionDiff,
  describeStatements,
  type DiffedClaim,
} from '../store/queries/completion-diff.ts';
import type { JsonOf } from './reply-view.ts';
import type { Terminal, TerminalPage } from './terminal-io.ts';
import { renderList } from './terminal-table.ts';
import { MAX_PROSE_WIDTH, oneLine, truncate, wrapText } from './terminal-text.ts';
import { formatInstant, formatQuantity } from './value-formatting.ts';

type Diff = JsonOf<CompletionDiff>;
type Claim = JsonOf<DiffedClaim>;

export function renderCompletionDiff(diff: Diff, terminal: Terminal): string[] {
  const { from, to, new_claims, revised_claims, gone_claims, changed_claims, gaps, citations, similarity } =
    diff;
  const moment = ({ run_id, observed_at }: Diff['from']) =>
    `run ${run_id}, ${formatInstant(observed_at, terminal)}`;
  const describeGap = (n: number) => (n === 0 ? null : `${formatQuantity(n, 'run')} without a completion`);
  const { green, red, yellow } = terminal.colors;
  const renderSources = (claim: Diff['new_claims'][number]) => [
    ...claim.brought_by.flatMap((link) => renderSource('new source', link, terminal)),
    ...claim.cited
      .filter(({ link_id }) => !claim.brought_by.some((link) => link.link_id === link_id))
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

function renderEach<T extends Claim>(
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
const COMPLETION_PARTS: Readonly<Record<Claim['role'], string>> = {
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
function renderSource(verb: string, link: JsonOf<CitedLink>, terminal: Terminal): string[] {
  const { title, source: group, first_seen_at, returned, url } = link;
  const facts = [
    title === null || oneLine(title) === '' ? '(untitled)' : oneLine(title),
    group ?? undefined,
    `first seen ${formatInstant(first_seen_at, terminal)}`,
    returned ? undefined : 'not among the results',
  ];
  return [`${verb}: ${facts.filter((fact) => fact !== undefined).join(', ')}`, url];
}

function describeUnresolved({ unresolved: numbers }: Claim): string[] {
  if (numbers.length === 0) return [];
  return [`cites [${numbers.join(', ')}], which is not in the list of sources`];
}
