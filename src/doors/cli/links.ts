import type { Command } from 'commander';
import { SECOND, systemClock } from '../../engine/clock.ts';
import { type FirstFinder, readFirstFinders } from '../../store/reads/link-history.ts';
import { type LinkRow, readLinks } from '../../store/reads/links.ts';
import { readLimit, readSince } from './arguments.ts';
import { withAddresses } from './addresses.ts';
import type { Cli } from './cli.ts';
import { assertFilter } from '../../monitor/topic/find.ts';
import type { Page } from './page.ts';
import type { Column } from './table.ts';
import { duration, when } from './words.ts';

type Options = {
  search?: string;
  topic?: string;
  firstSeen?: boolean;
  since?: string;
  limit?: string;
  json?: boolean;
};

export function registerLinks(links: Command, cli: Cli): void {
  links.description('Links that searches found, by their canonical address.');
  links
    .command('list')
    .description('list links, the newest first')
    .option('--search <search>', 'only those that a search found')
    .option('--topic <topic>', 'only those that a topic found')
    .option('--first-seen', 'say which search had each first, where, and how long before the next')
    .option('--since <time>', 'only those first seen since: 2026-11-21, 1h, 2d, today, yesterday')
    .option('--limit <n>', 'how many (default: 20)')
    .option('--json', 'print JSON')
    .action((options: Options) => {
      const { search, topic } = options;
      const limit = readLimit(options.limit, 20);
      const since = options.since === undefined ? undefined : readSince(options.since, systemClock.now());
      return cli.withHome(async ({ ctx }) => {
        await assertFilter(ctx.db, { search, topic });
        const filter = { search, topic, since, limit };
        if (options.firstSeen === true) {
          const firsts = await readFirstFinders(ctx.db, filter);
          if (firsts.length === 0) cli.page.say('no links');
          return cli.show(options.json, firsts, () =>
            withAddresses(firsts, firstColumns(ctx.clock.now(), cli.page), (link) => link.url, cli.page),
          );
        }
        const rows = await readLinks(ctx.db, filter);
        if (rows.length === 0) cli.page.say('no links');
        return cli.show(options.json, rows, () =>
          withAddresses(rows, linkColumns(ctx.clock.now(), cli.page), (link) => link.url, cli.page),
        );
      });
    });
}

export function linkColumns(now: Date, page: Page): Column<LinkRow>[] {
  return [
    { head: 'first seen', cell: (link) => when(link.first_seen_at, now, page) },
    { head: 'title', cell: (link) => link.title ?? page.unknown, elastic: 2, least: 16 },
  ];
}

/** Who had a link first. What a first look found may have been there for long before. */
export function firstColumns(now: Date, page: Page): Column<FirstFinder>[] {
  return [
    { head: 'first seen', cell: (link) => when(link.first_seen_at, now, page) },
    { head: 'by search', cell: ({ search }) => search },
    { head: 'in', cell: ({ source }) => source, drop: 2 },
    { head: 'first look', cell: ({ baseline }) => (baseline === true ? 'baseline' : ''), drop: 4 },
    { head: 'searches', cell: ({ searches }) => String(searches), right: true, drop: 3 },
    { head: 'ahead', cell: (link) => lead(link), right: true, drop: 1 },
    { head: 'title', cell: ({ title }) => title ?? page.unknown, elastic: 2, least: 16 },
  ];
}

function lead({ lead_seconds }: FirstFinder): string {
  return lead_seconds === null ? '' : duration(lead_seconds * SECOND);
}
