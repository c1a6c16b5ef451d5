import type { Command } from 'commander';
import type { RulePreview } from '../monitor/alerts/backtest.ts';
import {
  DEFAULT_BACKTEST_DAYS,
  MAX_BACKTEST_DAYS,
  type WrittenRule,
} from '../monitor/alerts/rule-definition.ts';
import type { Context } from '../monitor/context.ts';
import { describeRemovedScope, findScope } from '../monitor/topics/find-by-slug.ts';
import { readRules, type RuleRow } from '../store/alerts/alert-queries.ts';
import type { StateChange } from '../store/topics.ts';
import { type ListOptions, showRows } from './list-command.ts';
import { MAX_LIMIT, numberOption } from './option-values.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderList, renderTable } from './terminal-table.ts';
import { formatQuantity, formatDuration, formatInstant } from './value-formatting.ts';

// A list needs neither.
const loadManagement = () => import('../monitor/alerts/manage-rules.ts');
const loadBacktest = () => import('../monitor/alerts/backtest.ts');

export function registerRules(rules: Command, cli: Cli): void {
  rules.description(
    'Rules: which discoveries to report, and to which channels. See docs/reference/alerts.md.',
  );
  registerAddAndEdit(rules, cli);
  registerList(rules, cli);
  registerShow(rules, cli);
  registerTry(rules, cli);
  for (const [change, summary] of STATE_CHANGES) registerStateChange(rules, cli, change, summary);
}

type RuleOptions = {
  on?: string;
  topic?: string;
  search?: string;
  all?: boolean;
  filter?: string;
  cooldown?: string;
  channel?: string;
  name?: string;
  json?: boolean;
};

function registerAddAndEdit(rules: Command, cli: Cli): void {
  const written = (command: Command) =>
    command
      .argument('<rule>', 'rule slug')
      .option(
        '--on <kinds>',
        'what to report: post, link, spike, trend; comma-separated (default: post,link)',
      )
      .option('--topic <topic>', 'only this topic')
      .option('--search <search>', 'only this search')
      .option(
        '--filter <query>',
        'words, "phrases", -excluded, OR, lang:en ... (docs/reference/queries.md); "" for no filter',
      )
      .option(
        '--cooldown <time>',
        'at most one message per period: 30m, 1h; 0 for one per run (default: 3h; for spikes and trends only: 0)',
      )
      .option('--channel <channels>', 'channels to notify, comma-separated')
      .option('--name <name>', 'display name')
      .option('--json', 'print JSON');

  written(rules.command('add').description('create a rule; it reports what is found from now on'))
    .addHelpText(
      'after',
      '\nExample:\n  $ strandline rules add ferry --on post,spike --topic harbour-ferry --cooldown 1h --channel ops\n',
    )
    .action((slug: string, options: RuleOptions) =>
      cli.withProgram(async ({ ctx }) => {
        const { createRule } = await loadManagement();
        const { previewRule } = await loadBacktest();
        const row = await createRule(ctx, { slug, ...readRuleOptions(options) });
        const preview = await previewRule(ctx, slug);
        await cli.show(options.json, { ...row, preview }, () => renderRule(row, cli.page));
        cli.page.say(`${describePreview(preview)} Details: strandline rules try ${slug}`);
      }),
    );

  written(rules.command('edit').description('change a rule; applies to what is found from now on'))
    .option('--all', 'all topics')
    .action((slug: string, options: RuleOptions) =>
      cli.withProgram(async ({ ctx }) => {
        const everywhere = options.all === true ? { topic: null, search: null } : {};
        const { editRule } = await loadManagement();
        const row = await editRule(ctx, slug, { ...readRuleOptions(options), ...everywhere });
        await showRule(cli, ctx, options.json, row);
      }),
    );
}

function describePreview({ days, messages, discoveries, at_least }: RulePreview): string {
  const sent = `${at_least ? 'at least ' : ''}${formatQuantity(messages, 'message')}`;
  return `In the past ${formatQuantity(days, 'day')} it would have sent ${sent} with ${formatQuantity(discoveries, 'discovery', 'discoveries')}.`;
}

function readRuleOptions({ on, channel, topic, search, filter, cooldown, name }: RuleOptions): WrittenRule {
  return { topic, search, filter, cooldown, name, on: splitList(on), channels: splitList(channel) };
}

function splitList(given: string | undefined): string[] | undefined {
  return given
    ?.split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function registerList(rules: Command, cli: Cli): void {
  rules
    .command('list')
    .description('list rules')
    .option('--topic <topic>', 'only rules for this topic and its searches')
    .option('--search <search>', 'only rules for this search')
    .option('--json', 'print JSON')
    .action((options: ListOptions) =>
      cli.withProgram(async ({ ctx }) => {
        const scope = await findScope(ctx.db, options);
        const rows = await readRules(ctx.db, { ...scope, limit: MAX_LIMIT });
        const none = 'No rules. Add one: strandline rules add --help';
        await showRows(cli, options.json, rows, { columns: ruleColumns(cli.page), none });
      }),
    );
}

function registerShow(rules: Command, cli: Cli): void {
  rules
    .command('show')
    .description('show a rule')
    .argument('<rule>', 'rule slug')
    .option('--json', 'print JSON')
    .action((slug: string, { json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const { findRuleRow } = await loadManagement();
        await showRule(cli, ctx, json, await findRuleRow(ctx, slug));
      }),
    );
}

function registerTry(rules: Command, cli: Cli): void {
  rules
    .command('try')
    .description('preview the messages a rule would have sent; sends nothing')
    .argument('<rule>', 'rule slug')
    .addOption(
      numberOption('days', `number of days, up to ${MAX_BACKTEST_DAYS}`, {
        max: MAX_BACKTEST_DAYS,
        fallback: DEFAULT_BACKTEST_DAYS,
      }),
    )
    .option('--json', 'print JSON')
    .action((slug: string, { days, json }: { days: number; json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const { backtestRule } = await loadBacktest();
        const { found, isWhole: _isWhole, ...trial } = await backtestRule(ctx, slug, days);
        const shown = { ...trial, discovery_ids: found.map(({ id }) => id) };
        await cli.show(json, shown, () =>
          renderTable(
            trial.messages,
            [
              { head: 'message at', cell: ({ at }) => formatInstant(at, cli.page) },
              { head: 'discoveries', cell: ({ discoveries }) => String(discoveries), right: true },
            ],
            cli.page,
          ),
        );
        const messages = formatQuantity(trial.messages.length, 'message');
        if (trial.total === 0)
          return cli.page.say(
            `No messages: nothing matched in the last ${formatQuantity(days, 'day')}. Baselines are never reported.`,
          );
        cli.page.say(
          `${messages} with ${formatQuantity(trial.total, 'discovery', 'discoveries')} in ${formatQuantity(days, 'day')}`,
        );
      }),
    );
}

const STATE_CHANGES: readonly (readonly [StateChange, string])[] = [
  ['pause', 'stop reporting'],
  ['resume', 'report what is found from now on'],
  ['remove', 'remove a rule and cancel its pending messages'],
];

function registerStateChange(rules: Command, cli: Cli, change: StateChange, summary: string): void {
  rules
    .command(change)
    .description(summary)
    .argument('<rule>', 'rule slug')
    .option('--json', 'print the rule as JSON')
    .action((slug: string, { json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const { changeRule } = await loadManagement();
        const row = await changeRule(ctx, slug, change);
        await cli.show(json, row, () => []);
        cli.page.say(`${slug}: ${change === 'remove' ? 'removed; its deliveries stay' : row.state}`);
      }),
    );
}

async function showRule(
  cli: Cli,
  { db }: Pick<Context, 'db'>,
  json: boolean | undefined,
  row: RuleRow,
): Promise<void> {
  await cli.show(json, row, () => renderRule(row, cli.page));
  const removed = await describeRemovedScope(db, row);
  if (removed !== null) cli.page.say(removed);
}

function renderRule(row: RuleRow, page: TerminalPage): string[] {
  return renderList(
    [
      ['rule', row.slug],
      ['name', row.name],
      ['scope', row.search ?? row.topic ?? 'all topics'],
      ['notifies about', row.kinds.join(', ')],
      ['filter', row.filter === '' ? 'none' : row.filter],
      ['cooldown', formatCooldown(row)],
      ['channels', row.channels.join(', ')],
      ['state', `${row.state} since ${formatInstant(row.state_since, page)}`],
      ['last message', formatInstant(row.last_made_at, page)],
    ],
    page,
  );
}

function ruleColumns(page: TerminalPage): Column<RuleRow>[] {
  return [
    { head: 'rule', cell: ({ slug }) => slug },
    { head: 'scope', cell: ({ search, topic }) => search ?? topic ?? 'all topics' },
    { head: 'notifies about', cell: ({ kinds }) => kinds.join(', '), drop: 1 },
    { head: 'filter', cell: ({ filter }) => filter, elastic: 1, drop: 3 },
    { head: 'cooldown', cell: formatCooldown, drop: 2 },
    { head: 'channels', cell: ({ channels }) => channels.join(', ') },
    { head: 'state', cell: ({ state }) => state },
    { head: 'last message', cell: ({ last_made_at }) => formatInstant(last_made_at, page), drop: 4 },
  ];
}

function formatCooldown({ cooldown_seconds: seconds }: RuleRow): string {
  return seconds === 0 ? 'none' : formatDuration(seconds * 1_000);
}
