/** `mute` and `unmute`: messages of a rule, about a topic, or all. */
import { type Command, Option } from 'commander';
import { InvalidInput } from '../model/errors.ts';
import type { MuteRow as ReadMute } from '../store/alerts/mutes.ts';
import { ask, type Reply } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import { readUntil } from './option-values.ts';
import { renderTable } from './terminal-table.ts';
import { formatDayAndMinute, formatQuantity } from './value-formatting.ts';

type MuteRow = Reply<ReadMute>;
type Options = { rule?: string; topic?: string; until?: string[]; json?: boolean };

const held = ({ held: n }: Pick<MuteRow, 'held'>) =>
  `${formatQuantity(n, 'discovery', 'discoveries')} held back`;

function addTarget(command: Command, cli: Cli): Command {
  cli.callers.add(command);
  return command
    .option('--rule <rule>', 'only the messages of this rule')
    .option('--topic <topic>', 'only what is about this topic, in the messages of all rules')
    .option('--json', 'print JSON');
}

export function registerMute(command: Command, cli: Cli): void {
  addTarget(command, cli)
    .description(
      'Mutes messages until a time: all, or those of a rule or about a topic. Collection goes on; when the mute ends, one message for each rule and channel sums up what was held back. Without --until, lists what is muted.',
    )
    .addOption(
      new Option(
        '--until <time...>',
        'when it ends: 8h, 9:00, tomorrow 9:00, friday 9:00 (time zone shown; with --utc, UTC), 2026-11-30T09:00Z',
      ),
    )
    .addHelpText('after', '\nExample:\n  $ strandline mute --topic harbour-ferry --until friday 9:00\n')
    .action((options: Options) => {
      const until = readUntil(options.until, cli.page);
      const { rule, topic } = requireOne(options);
      return cli.withApi(async (api) => {
        if (until === undefined) {
          const { mutes } = await ask<{ mutes: ReadMute[] }>(api, 'listMutes');
          return showMutes(cli, mutes, options);
        }
        const end = until.resolve(api.now());
        const row = await ask<ReadMute>(api, 'mute', { rule, topic, until: end });
        await cli.show(options.json, row, () => []);
        cli.page.say(
          `${describeTarget(options)} muted until ${formatDayAndMinute(row.until, cli.page)}; ${held(row)}`,
        );
      });
    });
}

export function registerUnmute(command: Command, cli: Cli): void {
  addTarget(command, cli)
    .description('Ends a mute now. What it held back is summed up in one message for each rule and channel.')
    .action((options: Options) => {
      const { rule, topic } = requireOne(options);
      return cli.withApi(async (api) => {
        const { unmuted: row } = await ask<{ unmuted: ReadMute | null }>(api, 'unmute', { rule, topic });
        await cli.show(options.json, { unmuted: row }, () => []);
        const what = describeTarget(options);
        cli.page.say(row === null ? `${what} not muted` : `${what} no longer muted; ${held(row)} until now`);
      });
    });
}

/** @throws InvalidInput */
function requireOne({ rule, topic }: Options): Record<'rule' | 'topic', string | undefined> {
  if (rule !== undefined && topic !== undefined)
    throw new InvalidInput([{ path: 'topic', given: topic, expected: 'a rule or a topic, not both' }]);
  return { rule, topic };
}

function describeTarget({ rule, topic }: Options): string {
  if (rule !== undefined) return `rule ${rule}:`;
  return topic === undefined ? 'Everything:' : `topic ${topic}:`;
}

async function showMutes(cli: Cli, mutes: readonly MuteRow[], { json }: Options): Promise<void> {
  await cli.show(json, { mutes }, () =>
    renderTable(
      mutes,
      [
        { head: 'muted', cell: ({ scope, slug }) => (slug === null ? 'everything' : `${scope} ${slug}`) },
        { head: 'until', cell: ({ until }) => formatDayAndMinute(until, cli.page) },
        { head: 'held back', cell: (row) => String(row.held), right: true },
      ],
      cli.page,
    ),
  );
  if (mutes.length === 0) cli.page.say('Nothing is muted. To mute: strandline mute --until tomorrow 9:00');
}
