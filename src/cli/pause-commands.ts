/** `pause` and `resume`: all searches at once. */
import type { Command } from 'commander';
import { type AllChanged, changeAll } from '../monitor/topics/search-state.ts';
import type { Cli } from './command-context.ts';
import { pauseUntilOption, readUntil } from './option-values.ts';
import { formatDayAndMinute, formatQuantity } from './value-formatting.ts';

const searches = (n: number) => formatQuantity(n, 'search', 'searches');

export function registerPause(command: Command, cli: Cli): void {
  command
    .description(
      'Pauses all searches. One that is paused by itself or with its topic stays so; one that is added or resumed meanwhile runs.',
    )
    .addOption(pauseUntilOption())
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline pause --until friday 9:00\n')
    .action((options: { until?: string[]; json?: boolean }) => {
      const until = readUntil(options.until, cli.page);
      return cli.withProgram(async ({ ctx }) => {
        const done = await changeAll(ctx, 'pause', until);
        await cli.show(options.json, done, () => []);
        cli.page.say(describePause(done, cli));
      });
    });
}

export function registerResume(command: Command, cli: Cli): void {
  command
    .description(
      'Resumes what `strandline pause` paused, each search at its next slot. What is also paused by itself or with its topic stays paused.',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const done = await changeAll(ctx, 'resume');
        await cli.show(options.json, done, () => []);
        cli.page.say(describeResume(done));
      }),
    );
}

/** `3 searches paused until Fri 2026-11-27 09:00Z; 2 were paused before and stay paused at least as long.` */
function describePause({ searches: stopped, still_paused, paused_until }: AllChanged, { page }: Cli): string {
  if (stopped.length + still_paused === 0) return 'There is no search to pause.';
  const end =
    paused_until === null
      ? 'until you resume: strandline resume'
      : `until ${formatDayAndMinute(paused_until, page)}`;
  const others = still_paused === 0 ? '' : `; ${searches(still_paused)} paused before, and at least ${end}`;
  return stopped.length === 0
    ? `No search was running; ${searches(still_paused)} paused at least ${end}`
    : `${searches(stopped.length)} paused ${end}${others}`;
}

/** `3 searches resumed; 2 searches are still paused, by themselves or with their topic: strandline search list --state paused` */
function describeResume({ searches: started, still_paused }: AllChanged): string {
  const resumed = started.length === 0 ? 'Nothing to resume' : `${searches(started.length)} resumed`;
  if (still_paused === 0) return resumed;
  return `${resumed}; ${searches(still_paused)} still paused, alone or with the topic: strandline search list --state paused`;
}
