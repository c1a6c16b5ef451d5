import { findScope } from '../monitor/topics/find-by-slug.ts';
import { type Command, Option } from 'commander';
import { SECOND } from '../lib/time.ts';
import { createNotFound } from '../model/errors.ts';
import { EVERYTHING, parseQuery } from '../model/search-query.ts';
import type { Id } from '../store/db/database.ts';
import { catchUpArchive } from '../store/archive/index-archive.ts';
import { type FirstFinder, readFirstFinders, readLinkPage } from '../store/queries/link-pages.ts';
import { type LinkRow, readLink, readLinkAddresses, readLinkSources } from '../store/queries/links.ts';
import { describeKnownLink, describeTitles, readKnownLinks } from '../store/queries/named-posts.ts';
import { sayBacklog } from './result-notices.ts';
import { highlightColumns } from './highlighted-words.ts';
import { addListOptions, type ListOptions, showRows } from './list-command.ts';
import { limitOption, parseId, type PastTime, TIME_EXAMPLES, timeOption } from './option-values.ts';
import { type Column, renderList } from './terminal-table.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { formatDuration, formatInstant, formatTime } from './value-formatting.ts';

export function registerLinks(command: Command, cli: Cli): void {
  registerShow(command, cli);
  command.description('Links that searches found. Different spellings of an address are one link.');
  addListOptions(
    command
      .command('list')
      .description('list links, newest first')
      .argument('[query]', 'only links that match: words, "phrases", -excluded, OR, domain: ...'),
    'links',
    [
      new Option('--first-seen', 'show which search found each link first, in which source, and its lead'),
      timeOption('since', `only links first seen since: ${TIME_EXAMPLES}`, cli.page),
      timeOption('until', 'only links first seen before', cli.page),
      new Option('--domain <host>', 'only links to this host, such as news.example'),
      new Option('--source <source>', 'only links that a search first saw in this group of a response'),
      limitOption(20),
      new Option('--after <link>', 'the next page, as the previous one says'),
    ],
  ).action((written: string | undefined, options: LinkListOptions) => {
    const query = parseQuery(written ?? '');
    const before = options.after === undefined ? undefined : parseId('after', options.after);
    return cli.withProgram(async ({ ctx: { clock, db } }) => {
      const now = clock.now();
      const { since, until, domain, source, limit, json } = options;
      const scope = await findScope(db, options);
      const backlog = query === EVERYTHING ? null : await catchUpArchive(db);
      if (backlog !== null) sayBacklog(cli, backlog);
      const filter = {
        ...scope,
        since: since?.(now),
        until: until?.(now),
        domain,
        source,
        matching: { query, now },
        before,
        limit: limit + 1,
      };
      const show = async <Row extends LinkRow | FirstFinder>(
        links: readonly Row[],
        readId: (row: Row) => Id,
        columns: readonly Column<Row>[],
      ) => {
        const page = links.slice(0, limit);
        const rows = json === true ? page : await describeTitles(db, page, readId);
        const describe = (row: Row) => ({ kind: 'link' as const, id: readId(row), texts: [row.title] });
        await showRows(cli, json, rows, {
          columns: await highlightColumns(db, { query, rows, describe, columns, json }, cli.page),
          none: 'No links.',
          readUrl: ({ url }) => url,
        });
        const last = page.at(-1);
        if (links.length > limit && last !== undefined) cli.say(`Next page: --after ${readId(last)}`);
      };
      return options.firstSeen === true
        ? show(
            await readFirstFinders(db, filter),
            ({ link_id }) => link_id,
            firstFinderColumns(now, cli.page),
          )
        : show(await readLinkPage(db, filter), ({ id }) => id, linkColumns(now, cli.page));
    });
  });
}

type LinkListOptions = ListOptions & {
  firstSeen?: boolean;
  since?: PastTime;
  until?: PastTime;
  domain?: string;
  source?: string;
  limit: number;
  after?: string;
};

function registerShow(links: Command, cli: Cli): void {
  links
    .command('show <id>')
    .description('show a link, all its addresses as returned, and the searches that found it')
    .option('--json', 'print JSON')
    .action((text: string, options: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const id = parseId('link', text);
        const link = await readLink(ctx.db, id);
        if (link === undefined) throw createNotFound('link', id);
        const addresses = await readLinkAddresses(ctx.db, id);
        const found_by = await readLinkSources(ctx.db, id);
        const known = await readKnownLinks(ctx.db, [id]);
        await cli.show(options.json, { link, addresses, found_by }, () => [
          ...renderList(
            [
              ['title', describeKnownLink(known.get(id)) ?? cli.page.unknown],
              ['site', link.site],
              ['first seen', formatInstant(link.first_seen_at, cli.page)],
              ['found by', found_by.map(({ search }) => search).join(', ') || 'no search'],
            ],
            cli.page,
          ),
          '',
          link.url,
          ...addresses.filter((address) => address !== link.url),
        ]);
      }),
    );
}

function linkColumns(now: Date, page: TerminalPage): Column<LinkRow>[] {
  return [
    { head: 'first seen', cell: (link) => formatTime(link.first_seen_at, now, page) },
    { head: 'title', cell: (link) => link.title ?? page.unknown, elastic: 2, least: 16 },
  ];
}

/** Which search found a link first. Baseline links may be much older. */
function firstFinderColumns(now: Date, page: TerminalPage): Column<FirstFinder>[] {
  return [
    { head: 'first seen', cell: (link) => formatTime(link.first_seen_at, now, page) },
    { head: 'by search', cell: ({ search }) => search },
    { head: 'source', cell: ({ source }) => source, drop: 2 },
    { head: 'baseline', cell: ({ baseline }) => (baseline === true ? 'baseline' : ''), drop: 4 },
    { head: 'searches', cell: ({ searches }) => String(searches), right: true, drop: 3 },
    { head: 'lead', cell: (link) => formatLead(link), right: true, drop: 1 },
    { head: 'title', cell: ({ title }) => title ?? page.unknown, elastic: 2, least: 16 },
  ];
}

function formatLead({ lead_seconds }: FirstFinder): string {
  return lead_seconds === null ? '' : formatDuration(lead_seconds * SECOND);
}
