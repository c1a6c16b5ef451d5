/** `digest`: what a span of time brought, in two minutes of reading. */
import { type Command, Option } from 'commander';
import { writeMarkdown } from '../monitor/digests/digest-markdown.ts';
import { composeSections, type DigestLine } from '../monitor/digests/digest-sections.ts';
import type { Digest } from '../monitor/digests/digest-shapes.ts';
import type { DismissalRow } from '../store/alerts/dismissals.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import type { PastDigest } from '../monitor/digests/stored-digests.ts';
import type { JsonOf, OperationView } from './reply-view.ts';
import type { TerminalPage } from './terminal-io.ts';
import { MAX_PROSE_WIDTH, oneLine, truncate, wrapText } from './terminal-text.ts';

/** A past digest, without its value where it is a row of a list; or the digest of a span. */
type Row = JsonOf<PastDigest> & Digest & { changed: boolean; dismissed: JsonOf<DismissalRow>[] };

/** @param isMarkdown whether the option was given */
const createView = (isMarkdown: () => boolean): OperationView<Row> => ({
  columns: [
    { of: 'id', right: true },
    'rule',
    { of: 'due_at', head: 'due' },
    'state',
    { of: 'reason', as: ({ reason }) => reason ?? '', elastic: 1, drop: 1 },
    { of: 'from', drop: 2 },
    { of: 'until', drop: 3 },
  ],
  none: 'No digests yet. Add a rule that sends one: strandline rules add mornings --digest "daily 8:00" --channel CHANNEL',
  replies: {
    getDigest: { lines: (digest, { page }) => render(digest, page, isMarkdown()) },
    getPastDigest: { lines: ({ digest }, { page }) => render(digest, page, isMarkdown()) },
    dismissItem: {
      says: ({ changed }) => [changed ? 'Not relevant: not listed or reported again' : 'Unchanged'],
    },
    restoreItem: {
      says: ({ changed }) => [changed ? 'Restored: listed, and can be reported again' : 'Unchanged'],
    },
    listDismissed: {
      lines: ({ dismissed }, { page }) =>
        dismissed.map((row) =>
          truncate(oneLine(`${row.topic}  ${row.kind} ${row.id}  ${row.text ?? row.url ?? ''}`), page.width),
        ),
      says: ({ dismissed }) => (dismissed.length === 0 ? ['Nothing is dismissed.'] : []),
    },
  },
});

/** How lines begin, and how the lines below their first are indented. */
const MARKS: Readonly<Record<DigestLine['style'], string>> = {
  title: '',
  text: '',
  brief: '',
  name: '',
  plus: '  + ',
  minus: '  - ',
  thing: '  ',
  note: '  ',
};

function render(digest: Digest, page: TerminalPage, isMarkdown: boolean): string[] {
  if (!isMarkdown) return renderDigest(digest, page);
  return writeMarkdown(digest, { zone: page.zone, base: null }).trimEnd().split('\n');
}

function renderDigest(digest: Digest, page: TerminalPage): string[] {
  return composeSections(digest, page.zone).flatMap(({ heading, lines }, i) => [
    ...(i === 0 ? [] : ['']),
    ...(heading === null ? [] : [page.colors.bold(heading)]),
    ...lines.flatMap((line) => renderLine(line, page)),
  ]);
}

function renderLine({ style, words: own, url, cites }: DigestLine, page: TerminalPage): string[] {
  const { bold, green, red, dim } = page.colors;
  const mark = MARKS[style];
  const words = [own, ...cites.map((cite) => `(${cite.words})`)].join(' ');
  const width = Math.max(1, Math.min(page.width, MAX_PROSE_WIDTH) - mark.length);
  const paint = {
    title: bold,
    text: String,
    brief: String,
    name: bold,
    plus: green,
    minus: red,
    thing: String,
    note: dim,
  }[style];
  const wrapped = wrapText(oneLine(words), width).map((part, i) =>
    paint(`${i === 0 ? mark : ' '.repeat(mark.length)}${part}`),
  );
  // An address is not broken, so that it can be opened.
  return url === null ? wrapped : [...wrapped, `${MARKS.thing}${dim(oneLine(url))}`];
}

export function registerDigest(digest: Command, cli: Cli): void {
  digest.description(
    'Summarizes a span of time: what needs you, what changed, what is new, what was not collected.',
  );
  const isMarkdown = () =>
    printed.some((command) => command.opts<{ markdown?: boolean }>().markdown === true);
  addOperations(digest, cli, createView(isMarkdown));
  const printed = [digest, ...digest.commands.filter((command) => command.name() === 'show')];
  for (const command of printed)
    command.addOption(new Option('--markdown', 'print Markdown').conflicts('json'));
}
