import type { Command } from 'commander';
import { SECOND } from '../domain/time.ts';
import { systemClock } from '../platform/clock.ts';
import { type FirstFinder, type LinkRow, readFirstFinders, readLinks } from '../store/queries/links.ts';
import { parseLimit, parseSince, TIME_EXAMPLES } from './option-values.ts';
import { type Column, renderTableWithUrls } from './terminal-table.ts';
import type { Cli } from './command-context.ts';
import { assertFilterExists } from '../monitor/topics/find-by-slug.ts';
import type { TerminalPage } from './terminal-io.ts';
import { formatDuration, formatTime } from './value-formatting.ts';

type LinkListOptions = {
  search?: string;
  topic?: string;
  firstSeen?: boolean;
  since?: string;
  limit?: string;
  json?: boolean;
};

export function registerLinks(links: Command, cli: Cli): void {
  links.description('Links that searches found, by canonical URL.');
  links
    .command('list')
    .description('list links, newest first')
    .option('--search <search>', 'only links of this search')
    .option('--topic <topic>', 'only links of this topic')
    .option('--first-seen', 'show which search found each link first, in which source, and its lead')
    .option('--since <time>', `only links first seen since: ${TIME_EXAMPLES}`)
    .option('--limit <n>', 'maximum number (default: 20)')
    .option('--json', 'print JSON')
    .action((options: LinkListOptions) => {
      const { search, topic } = options;
      const limit = parseLimit(options.limit, 20);
      const since =
        options.since === undefined ? undefined : parseSince(options.since, systemClock.now(), cli.page);
      return cli.withProgram(async ({ ctx }) => {
        await assertFilterExists(ctx.db, { search, topic });
        const filter = { search, topic, since, limit };
        if (options.firstSeen === true) {
          const firsts = await readFirstFinders(ctx.db, filter);
          if (firsts.length === 0) cli.page.say('No links.');
          return cli.show(options.json, firsts, () =>
            renderTableWithUrls(
              firsts,
              firstFinderColumns(ctx.clock.now(), cli.page),
              (link) => link.url,
              cli.page,
            ),
          );
        }
        const rows = await readLinks(ctx.db, filter);
        if (rows.length === 0) cli.page.say('No links.');
        return cli.show(options.json, rows, () =>
          renderTableWithUrls(rows, linkColumns(ctx.clock.now(), cli.page), (link) => link.url, cli.page),
        );
      });
    });
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
