import type { Command } from 'commander';
import { InvalidInput } from '../../errors.ts';
import { readTrends } from '../../monitor/volume/trends.ts';
import { readVoices } from '../../monitor/volume/voices.ts';
import { readDerivedUntil } from '../../store/derive/until.ts';
import { tellAsOf } from './as-of.ts';
import { readWhole } from './arguments.ts';
import type { Cli } from './cli.ts';
import { assertFilter, findSearches } from '../../monitor/topic/find.ts';
import { tellInvented } from './invented.ts';
import { hoursEach } from './sparkline.ts';
import { sparkRoom, trendPage } from './trend-page.ts';
import { comparePage } from './trends-compare.ts';
import { registerRebuild } from './trends-rebuild.ts';

type Options = { topic?: string; search?: string; compare?: string; days?: string; json?: boolean };

const DAYS = 7;
const MOST_DAYS = 366;

export function registerTrends(trends: Command, cli: Cli): void {
  trends
    .description(
      'Posts over time, how many are usual, and spikes. What was not observed is a gap, which is not zero.',
    )
    .option('--topic <topic>', 'only its searches')
    .option('--search <search>', 'only this search')
    .option('--compare <topics>', 'share of voice of these topics, separated by commas, and of --topic')
    .option('--days <n>', `how many days back (default: ${DAYS})`)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ strandline trends --topic harbour-ferry --days 14\n  $ strandline trends --compare harbour-ferry,night-trains\n',
    )
    .action((options: Options) => {
      const days = options.days === undefined ? DAYS : readWhole('days', options.days, 1, MOST_DAYS);
      const { topic, search } = options;
      const compared = options.compare === undefined ? undefined : readCompared(options);
      return cli.withHome(async ({ ctx }) => {
        if (compared !== undefined) {
          for (const one of compared) await assertFilter(ctx.db, { topic: one });
          const underived = await readDerivedUntil(ctx.db, { topic: compared });
          const voices = await readVoices(ctx, compared, days);
          if (voices.length === 0) cli.page.say('none of these topics was looked at on a whole day yet');
          await cli.show(options.json, voices, () => comparePage(voices, cli.page));
          tellAsOf(cli, underived, ctx.clock.now());
          tellInvented(
            cli,
            options.json,
            voices.map(({ service_kind }) => service_kind),
          );
          return;
        }
        const searches = await findSearches(ctx.db, { topic, search });
        if (searches.length === 0) cli.page.say('no searches; add one: strandline watch "..."');
        const room = sparkRoom(
          searches.map(({ slug }) => slug),
          cli.page,
        );
        const underived = await readDerivedUntil(ctx.db, { topic, search });
        const asOf = new Map(underived.map(({ search_id, as_of }) => [search_id, as_of]));
        const trendsRead = await readTrends(ctx, searches, { days, hoursEach: hoursEach(days, room) });
        const rows = trendsRead.map((row) => ({ ...row, as_of: asOf.get(row.search_id) ?? null }));
        await cli.show(options.json, rows, () => trendPage(rows, cli.page));
        tellAsOf(cli, underived, ctx.clock.now());
        tellInvented(
          cli,
          options.json,
          searches.map(({ service_kind }) => service_kind),
        );
      });
    });
  registerRebuild(trends, cli);
}

/** @throws InvalidInput where fewer than two are named, or a search is */
function readCompared({ topic, search, compare }: Options): string[] {
  const named = [topic ?? '', ...(compare ?? '').split(',')]
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const topics = [...new Set(named)];
  if (topics.length < 2)
    throw new InvalidInput([
      { path: 'compare', given: compare, expected: 'two topics or more, or one beside --topic' },
    ]);
  if (search !== undefined)
    throw new InvalidInput([
      { path: 'search', given: search, expected: 'nothing: topics are compared, not searches' },
    ]);
  return topics;
}
