import type { Command } from 'commander';
import { DEMO, fillDemo, MAX_DEMO_TOPICS, pauseDemo } from '../app/demo.ts';
import { DAY } from '../lib/time.ts';
import { monotonicMs } from '../platform/clock.ts';
import { readSearches } from '../store/queries/search-list.ts';
import { readTopics } from '../store/queries/topic-list.ts';
import { recreateSandbox } from '../store/db/recreate-sandbox.ts';
import { MAX_LIMIT, numberOption } from './option-values.ts';
import type { Cli, CommandProgram } from './command-context.ts';
import { chooseHoursPerPoint, measureSparklineRoom, renderTrends } from './trend-rendering.ts';
import { readTrends } from '../monitor/trends/search-trends.ts';
import { formatQuantity } from './value-formatting.ts';

type DemoOptions = { days: number; topics: number; seed?: string; remove?: boolean; json?: boolean };

const MAX_DAYS = 60;

export function registerDemo(command: Command, cli: Cli): void {
  command
    .description(
      `Creates made-up topics (${DEMO}...) in the sandbox, and simulates their past days as a worker would have recorded them. Makes no calls outside, is free, and leaves real data alone; afterwards the searches run on their schedules until something real is watched.`,
    )
    .addOption(numberOption('days', `number of days, at most ${MAX_DAYS}`, { max: MAX_DAYS, fallback: 14 }))
    .addOption(
      numberOption('topics', `number of topics, at most ${MAX_DEMO_TOPICS}`, {
        max: MAX_DEMO_TOPICS,
        fallback: 5,
      }),
    )
    .option('--seed <name>', 'seed for other simulated data; its searches are paused afterwards')
    .option('--remove', 'delete the demo, and everything else in the sandbox')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline demo --days 14\n')
    .action((options: DemoOptions) => {
      cli.page.kind = 'sandbox';
      return cli.withProgram((program, stopping) =>
        options.remove === true
          ? runRemove(cli, program, options)
          : runFill(cli, program, options, stopping).catch((error: unknown) => {
              if (!stopping.aborted || error !== stopping.reason) throw error;
              cli.page.say('Stopped. The demo was discarded.');
            }),
      );
    });
}

async function runFill(
  cli: Cli,
  { ctx, databaseUrl }: CommandProgram,
  { days, topics, seed, json }: DemoOptions,
  stopping: AbortSignal,
): Promise<void> {
  const { page } = cli;
  const to = ctx.clock.now();
  const began = monotonicMs();
  const what = `${formatQuantity(days, 'day')} of ${formatQuantity(topics, 'topic')}`;
  const progress = createProgress(cli, what, new Date(to.getTime() - days * DAY), days);

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
  const searches = (await readSearches(ctx.db, { limit: MAX_LIMIT })).filter(({ topic }) =>
    topic.startsWith(DEMO),
  );
  const room = measureSparklineRoom(
    searches.map(({ slug }) => slug),
    page,
  );
  const trends = await readTrends(ctx, searches, {
    days,
    hoursEach: chooseHoursPerPoint(days, room),
  });
  await cli.show(json, { days, runs, seconds, searches: trends }, () => renderTrends(trends, page));
  page.say(`${formatQuantity(days, 'day')}, ${formatQuantity(runs, 'run')}, ${Math.round(seconds)} s`);
  for (const line of NEXT_STEPS) page.say(line);
}

/** Commands are printed with `--sandbox`, like all hints about the sandbox. */
const NEXT_STEPS = [
  'Next:',
  '  strandline trends',
  `  strandline new --topic ${DEMO}night-trains --since 1d`,
  `  strandline completions show ${DEMO}night-trains-ai`,
  `  strandline sql "select search, sentence from spikes order by window_start"`,
  '  strandline up              continues it',
  '  strandline demo --remove   deletes it',
];

async function runRemove(
  cli: Cli,
  { ctx, databaseUrl, readerUrl }: CommandProgram,
  { json }: DemoOptions,
): Promise<void> {
  const topics = (await readTopics(ctx.db, { removed: true, limit: MAX_LIMIT })).map(({ slug }) => slug);
  await recreateSandbox(databaseUrl, readerUrl(), ctx.log);
  await cli.show(json, { topics }, () => []);
  cli.page.say(
    topics.length === 0 ? 'The sandbox was empty.' : `Deleted from the sandbox: ${topics.join(', ')}`,
  );
}

const BAR_WIDTH = 24;

const MAX_PROGRESS_LINES = 20;

/** Announces the simulation; then draws a progress bar on a terminal, and prints a line per day or few elsewhere. */
export function createProgress(
  { page, io }: Cli,
  what: string,
  from: Date,
  days: number,
): { step(at: Date): void; clear(): void } {
  let runs = 0;
  let shown = -1;
  let linesPrinted = 0;
  const daysPerLine = Math.ceil(days / MAX_PROGRESS_LINES);
  const printLine = (passedDays: number) => {
    const line = Math.floor(passedDays / daysPerLine);
    if (line <= linesPrinted || line * daysPerLine >= days) return;
    linesPrinted = line;
    page.say(`${line * daysPerLine} of ${formatQuantity(days, 'day')}, ${formatQuantity(runs, 'run')}`);
  };
  return {
    step: (at) => {
      if (runs === 0) page.say(`Simulating ${what}; Ctrl-C discards them`);
      runs += 1;
      const passedDays = (at.getTime() - from.getTime()) / DAY;
      if (!page.live) return printLine(passedDays);
      const percent = Math.max(shown, Math.floor((passedDays / days) * 100));
      if (percent === shown) return;
      shown = percent;
      const full = Math.round((percent / 100) * BAR_WIDTH);
      const bar = `${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}`;
      io.stderr.write(`\r[${bar}] ${percent} %, ${formatQuantity(runs, 'run')} `);
    },
    clear: () => {
      if (shown >= 0) io.stderr.write(`\r${' '.repeat(BAR_WIDTH + 30)}\r`);
    },
  };
}
