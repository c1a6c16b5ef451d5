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
import { RECOGNIZED_ADDRESSES } from '../monitor/alerts/recognize-address.ts';
import { describeFailure } from '../monitor/alerts/delivery-retry.ts';
import type { StateChange } from '../store/topics.ts';
import { type ChannelRow, readChannels } from '../store/alerts/alert-queries.ts';
import { showRows } from './list-command.ts';
import { MAX_LIMIT } from './option-values.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderList } from './terminal-table.ts';
import { oneLine } from './terminal-text.ts';
import { formatCount, formatInstant } from './value-formatting.ts';

export function registerChannels(channels: Command, cli: Cli): void {
  channels.description('Channels: destinations for alerts. See docs/reference/alerts.md.');
  registerAddEditRotate(channels, cli);
  registerListAndShow(channels, cli);
  registerTest(channels, cli);
  for (const [change, summary] of STATE_CHANGES) registerStateChange(channels, cli, change, summary);
}

function registerAddEditRotate(channels: Command, cli: Cli): void {
  const printSecret = async ({ channel, secret }: ChannelWithSecret, json: boolean | undefined) => {
    await cli.show(json, { ...channel, secret }, () => (secret === null ? [] : [secret]));
    if (secret !== null)
      cli.page.say(`Signing secret for ${channel.slug}, shown once. Use it to verify messages.`);
  };
  const add = channels
    .command('add')
    .description('create a channel; prints its signing secret once')
    .argument('<channel>', 'channel slug')
    .argument('[address]', `where to send, recognized by its form: ${RECOGNIZED_ADDRESSES}`);
  addSettingOptions(add)
    .option('--address-file <path>', 'file that contains the address, which others cannot see then')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action((slug: string, pasted: string | undefined, { json, addressFile, ...given }: GivenOptions) => {
      const address = addressFile === undefined ? pasted : cli.readFile(addressFile, 'address-file').trim();
      const settings = { ...readSettingOptions(cli, given), ...(address === undefined ? {} : { address }) };
      return cli.withServer(async ({ ctx }) => {
        const created = await createChannel(ctx, { ...settings, slug });
        await printSecret(created, json);
        if (created.reports_problems)
          cli.page.say('Problems of strandline itself are reported there: strandline rules show system');
        cli.page.say(`Send a test message: strandline channels test ${slug}`);
      });
    });

  const edit = channels
    .command('edit')
    .description('change the settings of a channel; keeps its secret, rules and pending messages')
    .argument('<channel>', 'channel slug');
  addSettingOptions(edit)
    .option('--json', 'print the channel as JSON')
    .action((slug: string, { json, ...given }: GivenOptions) => {
      const settings = readSettingOptions(cli, given);
      return cli.withServer(async ({ ctx }) => {
        const row = await editChannel(ctx, slug, settings);
        await cli.show(json, row, () => []);
        cli.page.say(`${slug}: sends to ${row.host} (${row.state})`);
      });
    });

  channels
    .command('rotate')
    .description('replace the signing secret, printed once; the old one also signs for 24 hours')
    .argument('<channel>', 'channel slug')
    .option('--json', 'print JSON')
    .action((slug: string, { json }: { json?: boolean }) =>
      cli.withServer(async ({ ctx }) => printSecret(await rotateSecret(ctx, slug), json)),
    );
}

/** Options as commander parsed them: a setting for each option, plus the command's own. */
type GivenOptions = { json?: boolean; addressFile?: string } & Readonly<Record<string, unknown>>;

/** One option per setting, by kind. Secrets are read from files, because other users can see arguments. */
const SETTING_OPTIONS = Object.values(CHANNEL_KINDS).map(({ settings }) =>
  Object.entries(settings).map(([name, { shape, input, example, secret }]) => {
    const flag = `--${name.replaceAll('_', '-')}${secret ? '-file' : ''}`;
    const words = lowerFirst(shape.description ?? name).replace(/\.$/, '');
    const option = secret
      ? new Option(`${flag} <path>`, `file that contains it: ${words}`)
      : new Option(`${flag} <${input}>`, words);
    return { name, secret, option, example: `${flag} ${secret ? `${name}.txt` : example}` };
  }),
);

const EXAMPLES = `\nExample:\n  $ strandline channels add ops --address-file address.txt\n${SETTING_OPTIONS.map(
  (options) => `  $ strandline channels add ops ${options.map(({ example }) => example).join(' ')}\n`,
).join('')}`;

/** Text whose first word is an abbreviation, such as URL, is unchanged. */
function lowerFirst(text: string): string {
  if (/^\p{Lu}{2}/u.test(text)) return text;
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function addSettingOptions(command: Command): Command {
  for (const { option } of SETTING_OPTIONS.flat()) command.addOption(option);
  return command;
}

/** @throws InvalidInput where the file of a secret cannot be read */
function readSettingOptions(cli: Cli, given: Readonly<Record<string, unknown>>): WrittenSettings {
  const written = SETTING_OPTIONS.flat().flatMap(({ name, secret, option }) => {
    const value = given[option.attributeName()];
    if (typeof value !== 'string') return [];
    return [[name, secret ? cli.readFile(value, option.long ?? name).trim() : value]];
  });
  return Object.fromEntries(written);
}

function registerListAndShow(channels: Command, cli: Cli): void {
  channels
    .command('list')
    .description('list channels')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const { json } = options;
        const rows = await readChannels(ctx.db, { limit: MAX_LIMIT });
        const none = 'No channels. Add one: strandline channels add --help';
        await showRows(cli, json, rows, { columns: channelColumns(cli.page), none });
      }),
    );

  channels
    .command('show')
    .description('show a channel and its state')
    .argument('<channel>', 'channel slug')
    .option('--json', 'print JSON')
    .action((slug: string, options: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const { json } = options;
        const row = await findChannelRow(ctx, slug);
        const settings = await findShownSettings(ctx, slug);
        await cli.show(json, row, () => renderChannel(row, settings, cli.page));
      }),
    );
}

function registerTest(channels: Command, cli: Cli): void {
  channels
    .command('test')
    .description('send a test message now (type strandline.test) and print the response')
    .argument('<channel>', 'channel slug')
    .option('--json', 'print JSON')
    .action((slug: string, { json }: { json?: boolean }) =>
      cli.withServer(async ({ ctx }, stopping) => {
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
          `${slug}: ${taken ? `delivered${attempt.httpStatus === null ? '' : ` (${attempt.httpStatus})`}` : `rejected: ${oneLine(describeFailure(attempt))}`}`,
        );
        if (attempt.answer !== null) cli.page.say(`Response: ${oneLine(attempt.answer)}`);
        if (!taken) cli.exitCode = 1;
      }),
    );
}

const STATE_CHANGES: readonly (readonly [StateChange, string])[] = [
  ['pause', 'stop sending; messages wait'],
  ['resume', 'resume sending; also enables a disabled channel'],
  ['remove', 'remove a channel and cancel its pending messages'],
];

function registerStateChange(channels: Command, cli: Cli, change: StateChange, summary: string): void {
  const command = channels.command(change).description(summary).argument('<channel>', 'channel slug');
  if (change === 'resume') command.option('--skip', 'skip what was found in the meantime');
  command
    .option('--json', 'print the channel as JSON')
    .action((slug: string, { skip, json }: { skip?: boolean; json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await changeChannel(ctx, slug, change, { skip });
        await cli.show(json, row, () => []);
        cli.page.say(`${slug}: ${change === 'remove' ? 'removed; its deliveries stay' : row.state}`);
      }),
    );
}

function renderChannel(row: ChannelRow, settings: readonly ShownSetting[], page: TerminalPage): string[] {
  const since = `${row.state} since ${formatInstant(row.state_since, page)}`;
  const failing = `${formatInstant(row.failing_since, page)} (${formatCount(row.failures, page)} attempts)`;
  return renderList(
    [
      ['channel', row.slug],
      ['sends', `${row.kind} to ${row.host}`],
      ...settings.slice(1).map(({ label, shown }) => [lowerFirst(label), shown] as const),
      ['state', row.state_reason === null ? since : `${since}: ${row.state_reason}`],
      ['rules', formatCount(row.rules, page)],
      ['waiting', formatCount(row.waiting, page)],
      ['failed', formatCount(row.dead, page)],
      ['last delivered', formatInstant(row.last_delivered_at, page)],
      ['failing since', row.failing_since && failing],
      ['backing off until', row.resting_until && formatInstant(row.resting_until, page)],
      ['old secret valid until', row.rotating_until && formatInstant(row.rotating_until, page)],
    ],
    page,
  );
}

function channelColumns(page: TerminalPage): Column<ChannelRow>[] {
  return [
    { head: 'channel', cell: ({ slug }) => slug },
    { head: 'sends', cell: ({ kind }) => kind, drop: 4 },
    { head: 'to', cell: ({ host }) => host },
    { head: 'state', cell: ({ state }) => state },
    { head: 'rules', cell: ({ rules }) => formatCount(rules, page), right: true, drop: 3 },
    { head: 'waiting', cell: ({ waiting }) => formatCount(waiting, page), right: true, drop: 1 },
    { head: 'failed', cell: ({ dead }) => formatCount(dead, page), right: true, drop: 2 },
    {
      head: 'last delivered',
      cell: ({ last_delivered_at }) => formatInstant(last_delivered_at, page),
      drop: 2,
    },
    { head: 'reason', cell: ({ state_reason }) => state_reason ?? '', elastic: 1, drop: 5 },
  ];
}
