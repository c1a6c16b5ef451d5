import type { Command } from 'commander';
import { DEMO, fillDemo, MOST_SUBJECTS, pauseDemo, removeDemo } from '../../demo.ts';
import { DAY, monotonicMs } from '../../engine/clock.ts';
import { readSearches } from '../../store/reads/searches.ts';
import { LIMIT_MAX, readWhole } from './arguments.ts';
import type { Cli, CommandHome } from './cli.ts';
import { hoursEach } from './sparkline.ts';
import { sparkRoom, trendPage } from './trend-page.ts';
import { readTrends } from '../../monitor/volume/trends.ts';
import { counted } from './words.ts';

type Options = { days?: string; topics?: string; seed?: string; remove?: boolean; json?: boolean };

const DAYS = 14;
const MOST_DAYS = 60;
const TOPICS = 5;

export function registerDemo(command: Command, cli: Cli): void {
  command
    .description(
      `Makes topics of the sandbox (${DEMO}...) and lives their last days in advance, as a worker would have. Nothing of it is real, costs anything, or touches other searches; afterwards they go on by their schedules.`,
    )
    .option('--days <n>', `how many days, at most ${MOST_DAYS} (default: ${DAYS})`)
    .option('--topics <n>', `how many topics, at most ${MOST_SUBJECTS} (default: ${TOPICS})`)
    .option('--seed <name>', 'another simulated world; its searches rest afterwards')
    .option('--remove', 'take the demo away, with everything in it')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline demo --days 14\n')
    .action((options: Options) => {
      const days = options.days === undefined ? DAYS : readWhole('days', options.days, 1, MOST_DAYS);
      const topics =
        options.topics === undefined ? TOPICS : readWhole('topics', options.topics, 1, MOST_SUBJECTS);
      return cli.withHome((home, stopping) =>
        options.remove === true
          ? remove(cli, home, options)
          : fill(cli, home, { days, topics, seed: options.seed, json: options.json, stopping }).catch(
              (error: unknown) => {
                if (!stopping.aborted || error !== stopping.reason) throw error;
                cli.page.say('stopped; what was there of it is taken back');
              },
            ),
      );
    });
}

async function fill(
  cli: Cli,
  { ctx, databaseUrl }: CommandHome,
  options: {
    days: number;
    topics: number;
    seed: string | undefined;
    json: boolean | undefined;
    stopping: AbortSignal;
  },
): Promise<void> {
  const { days, topics, seed, stopping } = options;
  const { page } = cli;
  const to = ctx.clock.now();
  const began = monotonicMs();
  const what = `${counted(days, 'day')} of ${counted(topics, 'topic')}`;
  const progress = progressOf(cli, what, new Date(to.getTime() - days * DAY), to);

  const { runs } = await fillDemo(ctx, databaseUrl, {
    days,
    topics,
    seed,
    to,
    stopping,
    onRun: (at) => progress.step(at),
  }).finally(() => progress.clear());
  if (seed !== undefined) await pauseDemo(ctx);
  const seconds = (monotonicMs() - began) / 1_000;
  const searches = (await readSearches(ctx.db, { limit: LIMIT_MAX })).filter(({ topic }) =>
    topic.startsWith(DEMO),
  );
  const room = sparkRoom(
    searches.map(({ slug }) => slug),
    page,
  );
  const trends = await readTrends(ctx, searches, { days, hoursEach: hoursEach(days, room) });
  await cli.show(options.json, { days, runs, seconds, searches: trends }, () => trendPage(trends, page));
  page.say(`${counted(days, 'day')}, ${counted(runs, 'run')}, ${Math.round(seconds)} s`);
  for (const line of NEXT) page.say(line);
}

const NEXT = [
  'look around:',
  '  strandline trends',
  `  strandline new --topic ${DEMO}night-trains --since 1d`,
  `  strandline completions show ${DEMO}night-trains-ai`,
  `  strandline sql "select search, sentence from spikes order by window_start"`,
  '  strandline up              lets it go on',
  '  strandline demo --remove   takes it away',
];

async function remove(cli: Cli, { ctx }: CommandHome, { json }: Options): Promise<void> {
  const topics = await removeDemo(ctx);
  await cli.show(json, { topics }, () => []);
  cli.page.say(
    topics.length === 0 ? 'there is no demo' : `${topics.join(', ')}: gone, with what only they found`,
  );
}

const BAR = 24;

/** Says what is done, and draws a bar on stderr where a person sees it happen. */
function progressOf(
  { page, io }: Cli,
  what: string,
  from: Date,
  to: Date,
): { step(at: Date): void; clear(): void } {
  let runs = 0;
  let shown = -1;
  return {
    step: (at) => {
      if (runs === 0) page.say(`living ${what}; Ctrl-C takes it all back`);
      runs += 1;
      const share = (at.getTime() - from.getTime()) / (to.getTime() - from.getTime());
      const percent = Math.max(shown, Math.floor(share * 100));
      if (!page.live || percent === shown) return;
      shown = percent;
      const full = Math.round((percent / 100) * BAR);
      const bar = `${'#'.repeat(full)}${'.'.repeat(BAR - full)}`;
      io.stderr.write(`\r[${bar}] ${percent} %, ${counted(runs, 'run')} `);
    },
    clear: () => {
      if (shown >= 0) io.stderr.write(`\r${' '.repeat(BAR + 30)}\r`);
    },
  };
}
