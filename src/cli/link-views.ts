/** `links`: lists, one link, and which search found each first. */
import type { Command } from 'commander';
import { SECOND } from '../lib/time.ts';
import type { FirstFinder } from '../store/queries/link-pages.ts';
import type { LinkRow, LinkSourceRow } from '../store/queries/links.ts';
import type { Cli } from './command-context.ts';
import { highlightMatched, sayNotIndexed } from './highlighted-words.ts';
import { addOperations } from './operation-commands.ts';
import { type JsonOf, type OperationView, type ReplyColumn, renderFacts, type Terms } from './reply-view.ts';
import { formatDuration, formatTime } from './value-formatting.ts';

/** A link: in a list, with the search that found it first; alone, with its addresses. */
type Row = JsonOf<LinkRow & FirstFinder> & { label: string | null; matched: string[] } & {
  link: JsonOf<LinkRow>;
  addresses: string[];
  found_by: JsonOf<LinkSourceRow>[];
};

const FIRST_SEEN: ReplyColumn<Row> = {
  of: 'first_seen_at',
  head: 'first seen',
  as: ({ first_seen_at }, { page, now }) => formatTime(first_seen_at, now, page),
};
const TITLE: ReplyColumn<Row> = {
  of: 'label',
  head: 'title',
  elastic: 2,
  least: 16,
  paint: highlightMatched,
};

/** Which search found a link first. Baseline links may be much older. */
const FIRST_FINDER: readonly ReplyColumn<Row>[] = [
  FIRST_SEEN,
  { of: 'search', head: 'by search' },
  { of: 'source', drop: 2 },
  { of: 'baseline', as: ({ baseline }) => (baseline === true ? 'baseline' : ''), drop: 4 },
  { of: 'searches', right: true, drop: 3 },
  {
    of: 'lead_seconds',
    head: 'lead',
    as: ({ lead_seconds: lead }) => (lead === null ? '' : formatDuration(lead * SECOND)),
    right: true,
    drop: 1,
  },
  TITLE,
];

const createView = (columns: readonly ReplyColumn<Row>[]): OperationView<Row> => ({
  columns,
  url: ({ url }) => url,
  none: 'No links.',
  replies: {
    listLinks: { says: (_rows, terms) => sayNotIndexed(terms) },
    listFirstFinders: { says: (_rows, terms) => sayNotIndexed(terms) },
    getLink: { lines: renderLink },
  },
});

function renderLink({ link, label, addresses, found_by }: Row, terms: Terms): string[] {
  return [
    ...renderFacts(
      link,
      [
        { of: 'title', as: () => label ?? terms.page.unknown },
        'site',
        { of: 'first_seen_at', head: 'first seen' },
        {
          of: 'id',
          head: 'found by',
          as: () => found_by.map(({ search }) => search).join(', ') || 'no search',
        },
      ],
      terms,
    ),
    '',
    link.url,
    ...addresses.filter((address) => address !== link.url),
  ];
}

export function registerLinks(links: Command, cli: Cli): void {
  links.description('Links that searches found. Different spellings of an address are one link.');
  const isFirst = ({ id }: { id: string }) => id === 'listFirstFinders';
  addOperations(links, cli, createView([FIRST_SEEN, TITLE]), (spec) => !isFirst(spec));
  addOperations(links, cli, createView(FIRST_FINDER), isFirst);
}
