import type { Command } from 'commander';
import { InvalidInput } from '../../errors.ts';
import type { Trial, TriedLink, TriedPost } from '../../monitor/run/trial.ts';
import type { Tried } from '../../monitor/run/try.ts';
import { writtenWith } from '../../monitor/topic/edit.ts';
import { readWhole } from './arguments.ts';
import type { Cli } from './cli.ts';
import { tellInvented } from './invented.ts';
import type { Page } from './page.ts';
import { type Column, list, table } from './table.ts';
import { paragraphs } from './text.ts';
import { count, counted, dollars, when } from './words.ts';

type Options = {
  operation?: string;
  prompt?: string;
  tools?: string;
  model?: string;
  dateFilter?: string;
  streaming?: boolean;
  extra?: string;
  service?: string;
  limit?: string;
  json?: boolean;
};

export function registerTry(search: Command, cli: Cli): void {
  search
    .command('try')
    .description('try out a search that need not be saved: makes one call, shows what comes, keeps nothing')
    .argument('[search]', 'slug of a saved one; other options: as if it had those')
    .option('--operation <operation>', 'microblog (posts) or ai (all sources), where no saved one is named')
    .option('--prompt <text>', 'what is asked')
    .option('--tools <list>', 'tools of an ai search, separated by commas')
    .option('--model <model>', 'NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds')
    .option('--date-filter <filter>', 'how far back an ai search looks, such as PAST_24_HOURS or PAST_WEEK')
    .option('--streaming', 'have the answer of an ai search streamed')
    .option('--extra <json>', 'JSON object of members beyond the specification')
    .option(
      '--service <service>',
      'own, sandbox or hosted (default: its own; else as for a search that is saved)',
    )
    .option('--limit <n>', 'how many posts and links to show (default: 20)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ strandline search try --operation microblog --prompt "harbour ferry"\n' +
        '  $ strandline search try harbour-ferry-posts --prompt "harbour ferry timetable"\n',
    )
    .action((slug: string | undefined, options: Options) => {
      checkOperation(slug, options.operation);
      const shown = options.limit === undefined ? 20 : readWhole('limit', options.limit, 0, 200);
      return cli.withHome(async ({ ctx }, stopping) => {
        const given = tried(options);
        const saved = slug === undefined ? given : await writtenWith(ctx, slug, given);
        const asked = { ...saved, service: given.service ?? saved.service };
        const { trySearch } = await import('../../monitor/run/try.ts');
        const trial = await trySearch(ctx, asked, { signal: stopping, shown });
        await cli.show(options.json, trial, () => trialPage(trial, ctx.clock.now(), cli.page));
        tellInvented(cli, options.json, [trial.service_kind]);
      });
    });
}

/** Which of the two is meant is never guessed, and never another than was saved. @throws InvalidInput */
function checkOperation(slug: string | undefined, given: string | undefined): void {
  if ((slug === undefined) === (given !== undefined)) return;
  const expected = given === undefined ? 'one of microblog, ai' : 'only where no saved search is named';
  throw new InvalidInput([{ path: 'operation', given, expected }]);
}

function tried({ tools, dateFilter, limit: _limit, json: _json, ...rest }: Options): Tried {
  return { ...rest, tools: tools?.split(','), date_filter: dateFilter };
}

function trialPage(trial: Trial, now: Date, page: Page): string[] {
  const { posts, links, completion, posts_found, posts_known, links_found, links_known } = trial;
  const found = (n: number, known: number, unit: string) =>
    `${counted(n, unit)}, of which ${count(known, page)} known already`;
  const texts = Object.values(completion ?? {}).flatMap((text) => (text === null ? [] : [text]));
  return [
    ...list(
      [
        ['service', trial.service],
        ['found', found(posts_found, posts_known, 'post')],
        ['', found(links_found, links_known, 'link')],
        ...(trial.rejected === 0
          ? []
          : [['', `${counted(trial.rejected, 'item')} that could not be read`] as const]),
        ['took', `${(trial.latency_ms / 1_000).toFixed(1)} s, cost ${dollars(trial.cost_usd, page)}`],
      ],
      page,
    ),
    ...(posts.length === 0 ? [] : ['', ...table(posts, postColumns(now, page), page)]),
    ...(links.length === 0 ? [] : ['', ...table(links, linkColumns(now, page), page)]),
    ...texts.flatMap((text) => ['', ...paragraphs(text)]),
  ];
}

function postColumns(now: Date, page: Page): Column<TriedPost>[] {
  return [
    { head: 'written', cell: (post) => when(post.created_at, now, page) },
    { head: 'likes', cell: (post) => count(post.like_count, page), right: true },
    { head: 'by', cell: ({ author_username: by }) => (by === null ? page.unknown : `@${by}`), elastic: 1 },
    { head: 'text', cell: (post) => post.text, elastic: 4, least: 16 },
    { head: 'known', cell: ({ known }) => (known ? 'yes' : '') },
  ];
}

function linkColumns(now: Date, page: Page): Column<TriedLink>[] {
  return [
    { head: 'source', cell: ({ source }) => source },
    { head: 'published', cell: (link) => when(link.published_at, now, page), drop: 1 },
    { head: 'title', cell: ({ title }) => title ?? page.unknown, elastic: 3, least: 16 },
    { head: 'address', cell: ({ url }) => url, elastic: 2 },
    { head: 'known', cell: ({ known }) => (known ? 'yes' : '') },
  ];
}
