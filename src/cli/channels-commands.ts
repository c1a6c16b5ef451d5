import { type Command, Option } from 'commander';
import {
  changeChannel,
  findChannelRow,
  findShownSettings,
  createChannel,
  editChannel,
  rotateSecret,
  testChannel,
  type ChannelWithSecret,
} from '../monitor/alerts/manage-channels.ts';
import type { ShownSetting, WrittenSettings } from '../monitor/alerts/channel-settings.ts';
import { CHANNEL_KINDS } from '../monitor/alerts/channels/channel-kinds.ts';
import { describeFailure } from '../monitor/alerts/delivery-retry.ts';
import { readSmallFile } from '../platform/small-file.ts';
import type { StateChange } from '../store/topics.ts';
import { type ChannelRow, readChannels } from '../store/alerts/alert-queries.ts';
import { MAX_LIMIT } from './option-values.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderList, renderTable } from './terminal-table.ts';
import { oneLine } from './terminal-text.ts';
import { formatCount, formatInstant } from './value-formatting.ts';

export function registerChannels(channels: Command, cli: Cli): void {
  channels.description('Channels: where alerts are sent. See docs/alerts.md.');
  registerAddEditRotate(channels, cli);
  registerListAndShow(channels, cli);
  registerTest(channels, cli);
  for (const [change, summary] of STATE_CHANGES) registerStateChange(channels, cli, change, summary);
}

function registerAddEditRotate(channels: Command, cli: Cli): void {
  const printSecret = async ({ channel, secret }: ChannelWithSecret, json: boolean | undefined) => {
    await cli.show(json, { ...channel, secret }, () => (secret === null ? [] : [secret]));
    if (secret !== null)
      cli.page.say(`the secret of ${channel.slug} is shown this once; its receiver checks messages with it`);
  };
  const add = channels
    .command('add')
    .description('make a channel; its secret is printed once')
    .argument('<channel>', 'its slug');
  addSettingOptions(add)
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action((slug: string, { json, ...given }: GivenOptions) =>
      cli.withProgram(async ({ ctx }) => {
        await printSecret(await createChannel(ctx, { ...readSettingOptions(given), slug }), json);
        cli.page.say(`see whether it arrives: strandline channels test ${slug}`);
      }),
    );

  const edit = channels
    .command('edit')
    .description('send to another address; its secret, its rules and what waits stay')
    .argument('<channel>', 'its slug');
  addSettingOptions(edit)
    .option('--json', 'print the channel as JSON')
    .action((slug: string, { json, ...given }: GivenOptions) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await editChannel(ctx, slug, readSettingOptions(given));
        await cli.show(json, row, () => []);
        cli.page.say(`${slug}: sends to ${row.host} (${row.state})`);
      }),
    );

  channels
    .command('rotate')
    .description('give a channel a new secret, printed once; for a day the one before signs, too')
    .argument('<channel>', 'its slug')
    .option('--json', 'print JSON')
    .action((slug: string, { json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => printSecret(await rotateSecret(ctx, slug), json)),
    );
}

/** What commander made of the options: settings by the names of their options, and what each command adds. */
type GivenOptions = { json?: boolean } & Readonly<Record<string, unknown>>;

/** An option for each setting, by kind. A secret is read from a file: arguments can be seen by others. */
const SETTING_OPTIONS = Object.values(CHANNEL_KINDS).map(({ settings }) =>
  Object.entries(settings).map(([name, { shape, input, example, secret }]) => {
    const flag = `--${name.replaceAll('_', '-')}${secret ? '-file' : ''}`;
    const words = lowerFirst(shape.description ?? name).replace(/\.$/, '');
    const option = secret
      ? new Option(`${flag} <path>`, `a file that holds it: ${words}`)
      : new Option(`${flag} <${input}>`, words);
    return { name, secret, option, example: `${flag} ${secret ? `${name}.txt` : example}` };
  }),
);

const EXAMPLES = `\nExample:\n${SETTING_OPTIONS.map(
  (options) => `  $ strandline channels add ops ${options.map(({ example }) => example).join(' ')}\n`,
).join('')}`;

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function addSettingOptions(command: Command): Command {
  for (const { option } of SETTING_OPTIONS.flat()) command.addOption(option);
  return command;
}

/** @throws InvalidInput where the file of a secret cannot be read */
function readSettingOptions(given: Readonly<Record<string, unknown>>): WrittenSettings {
  const written = SETTING_OPTIONS.flat().flatMap(({ name, secret, option }) => {
    const value = given[option.attributeName()];
    if (typeof value !== 'string') return [];
    return [[name, secret ? readSmallFile(value, option.long ?? name).trim() : value]];
  });
  return Object.fromEntries(written);
}

function registerListAndShow(channels: Command, cli: Cli): void {
  channels
    .command('list')
    .description('list channels')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const rows = await readChannels(ctx.db, { limit: MAX_LIMIT });
        if (rows.length === 0) cli.page.say('no channels; add one: strandline channels add --help');
        await cli.show(json, rows, () => renderTable(rows, channelColumns(cli.page), cli.page));
      }),
    );

  channels
    .command('show')
    .description('show a channel and how it goes')
    .argument('<channel>', 'its slug')
    .option('--json', 'print JSON')
    .action((slug: string, { json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await findChannelRow(ctx, slug);
        const settings = await findShownSettings(ctx, slug);
        await cli.show(json, row, () => renderChannel(row, settings, cli.page));
      }),
    );
}

function registerTest(channels: Command, cli: Cli): void {
  channels
    .command('test')
    .description('send one message of the type strandline.test right now, and say what came back')
    .argument('<channel>', 'its slug')
    .option('--json', 'print JSON')
    .action((slug: string, { json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }, stopping) => {
        const attempt = await testChannel(ctx, slug, stopping);
        if (attempt.kind === 'aborted') return;
        const taken = attempt.kind === 'taken';
        const code = taken ? null : attempt.code;
        await cli.show(
          json,
          { taken, http_status: attempt.httpStatus, code, answer: attempt.answer },
          () => [],
        );
        cli.page.say(
          `${slug}: ${taken ? `taken${attempt.httpStatus === null ? '' : ` (${attempt.httpStatus})`}` : `not taken: ${oneLine(describeFailure(attempt))}`}`,
        );
        if (attempt.answer !== null) cli.page.say(`it answered: ${oneLine(attempt.answer)}`);
        if (!taken) cli.exitCode = 1;
      }),
    );
}

const STATE_CHANGES: readonly (readonly [StateChange, string])[] = [
  ['pause', 'send nothing; what is found waits'],
  ['resume', 'go on sending, also after it was disabled'],
  ['remove', 'stop for good; what was not sent yet is cancelled'],
];

function registerStateChange(channels: Command, cli: Cli, change: StateChange, summary: string): void {
  const command = channels.command(change).description(summary).argument('<channel>', 'its slug');
  if (change === 'resume') command.option('--skip', 'leave out what was found meanwhile');
  command
    .option('--json', 'print the channel as JSON')
    .action((slug: string, { skip, json }: { skip?: boolean; json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const before = await findChannelRow(ctx, slug);
        await changeChannel(ctx, slug, change, { skip });
        const removed = { ...before, archived_at: ctx.clock.now() };
        const row = change === 'remove' ? removed : await findChannelRow(ctx, slug);
        await cli.show(json, row, () => []);
        cli.page.say(`${slug}: ${change === 'remove' ? 'removed; what it sent stays' : row.state}`);
      }),
    );
}

function renderChannel(row: ChannelRow, settings: readonly ShownSetting[], page: TerminalPage): string[] {
  const since = `${row.state} since ${formatInstant(row.state_since, page)}`;
  const failing = `${formatInstant(row.failing_since, page)} (${formatCount(row.failures, page)} attempts)`;
  const facts: readonly (readonly [string, string | null])[] = [
    ['channel', row.slug],
    ['sends', `${row.kind} to ${row.host}`],
    ...settings.slice(1).map(({ label, shown }) => [lowerFirst(label), shown] as const),
    ['state', row.state_reason === null ? since : `${since}: ${row.state_reason}`],
    ['rules', formatCount(row.rules, page)],
    ['waiting', formatCount(row.waiting, page)],
    ['given up', formatCount(row.dead, page)],
    ['last delivered', formatInstant(row.last_delivered_at, page)],
    ['failing since', row.failing_since && failing],
    ['rests until', row.resting_until && formatInstant(row.resting_until, page)],
    ['former secret until', row.rotating_until && formatInstant(row.rotating_until, page)],
  ];
  const shown = facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return renderList(shown, page);
}

function channelColumns(page: TerminalPage): Column<ChannelRow>[] {
  return [
    { head: 'channel', cell: ({ slug }) => slug },
    { head: 'sends', cell: ({ kind }) => kind, drop: 4 },
    { head: 'to', cell: ({ host }) => host },
    { head: 'state', cell: ({ state }) => state },
    { head: 'rules', cell: ({ rules }) => formatCount(rules, page), right: true, drop: 3 },
    { head: 'waiting', cell: ({ waiting }) => formatCount(waiting, page), right: true, drop: 1 },
    { head: 'given up', cell: ({ dead }) => formatCount(dead, page), right: true, drop: 2 },
    {
      head: 'last delivered',
      cell: ({ last_delivered_at }) => formatInstant(last_delivered_at, page),
      drop: 2,
    },
    { head: 'why', cell: ({ state_reason }) => state_reason ?? '', elastic: 1, drop: 5 },
  ];
}
