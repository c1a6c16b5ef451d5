import type { Command } from 'commander';
import { UNKNOWN_GROWTH } from '../model/growth-condition.ts';
import { DAY } from '../lib/time.ts';
import type { Backtest, BacktestMessage, RulePreview } from '../monitor/alerts/backtest.ts';
import { SYSTEM_RULE } from '../model/alerts.ts';
import { describeRemovedScope } from '../monitor/topics/removed-scope.ts';
import { formatInterval } from '../lib/format-interval.ts';
import type { describeSchedule } from '../monitor/schedule/schedule-text.ts';
import type { RuleRow } from '../store/alerts/alert-queries.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import {
  formatTime,
  type JsonOf,
  type OperationView,
  type ReplyColumn,
  renderFacts,
  type Terms,
} from './reply-view.ts';
import type { TerminalPage } from './terminal-io.ts';
import { oneLine, truncate } from './terminal-text.ts';
import { formatQuantity } from './value-formatting.ts';

type Row = JsonOf<RuleRow> & {
  preset: string;
  scope_removed_at: string | null;
  preview: JsonOf<RulePreview>;
};
type BacktestReply = JsonOf<Omit<Backtest, 'messages'>> & { messages: JsonOf<BacktestMessage>[] };

const SCOPE: ReplyColumn<Row> = {
  of: 'topic',
  head: 'scope',
  as: ({ slug, search, topic }) =>
    search ?? topic ?? (slug === SYSTEM_RULE ? 'strandline itself' : 'all topics'),
};
const KINDS: ReplyColumn<Row> = {
  of: 'kinds',
  head: 'notifies about',
  as: ({ digest, kinds }) => (digest === null ? kinds.join(', ') : 'digest'),
  drop: 1,
};
const COOLDOWN: ReplyColumn<Row> = {
  of: 'cooldown_seconds',
  head: 'cooldown',
  as: ({ cooldown_seconds: seconds }) => (seconds === 0 ? 'none' : formatInterval(seconds)),
  right: false,
  drop: 2,
};
const LIMIT: ReplyColumn<Row> = {
  of: 'max_per_day',
  head: 'per day',
  as: ({ max_per_day: most }) => (most === null ? 'no limit' : String(most)),
  right: false,
  drop: 3,
};
const MUTED: ReplyColumn<Row> = {
  of: 'muted_until',
  head: 'muted until',
  as: ({ muted_until: until }, { page, now }) =>
    until !== null && new Date(until) > now ? formatTime(until, page) : 'not muted',
  drop: 4,
};
const LAST: ReplyColumn<Row> = { of: 'last_made_at', head: 'last message', drop: 4 };

const listFacts = (describe: typeof describeSchedule): readonly ReplyColumn<Row>[] => [
  { of: 'slug', head: 'rule' },
  'name',
  SCOPE,
  KINDS,
  { of: 'filter', as: ({ filter, digest }) => (digest !== null ? null : filter === '' ? 'none' : filter) },
  {
    of: 'cooldown_seconds',
    head: 'cooldown',
    as: ({ digest, cooldown_seconds: seconds }) =>
      digest !== null ? null : seconds === 0 ? 'none' : formatInterval(seconds),
  },
  {
    of: 'digest',
    head: 'sent',
    as: ({ digest, tz }) => (digest === null ? null : describe({ kind: 'cron', cron: digest, tz })),
  },
  {
    of: 'digest_due_at',
    head: 'next digest',
    as: ({ digest_due_at: at }, { page }) => (at === null ? null : formatTime(at, page)),
  },
  { of: 'preset', as: ({ digest, preset }) => (digest === null ? preset : null) },
  {
    of: 'max_per_day',
    head: 'per day',
    as: ({ digest, max_per_day: most }) =>
      digest === null ? (most === null ? 'no limit' : `at most ${most}`) : null,
  },
  {
    of: 'quiet_hours',
    head: 'quiet hours',
    as: ({ quiet_hours: hours, tz }) => (hours === null ? 'none' : `${hours} (${tz})`),
  },
  'channels',
  MUTED,
  {
    of: 'state',
    as: ({ state, state_since }, { page }) => `${state} since ${formatTime(state_since, page)}`,
  },
  LAST,
];

const whole = {
  lines: async (row: Row, terms: Terms) => {
    // A list needs no words for schedules.
    const { describeSchedule: describe } = await import('../monitor/schedule/schedule-text.ts');
    return renderFacts(row, listFacts(describe), terms);
  },
  says: (row: Row) => [describeRemovedScope(row, row.scope_removed_at) ?? []].flat(),
};
const changed = { says: ({ slug, state }: Row) => [`${slug}: ${state}`] };

const backtest = {
  lines: (row: Row, terms: Terms) =>
    (row as unknown as BacktestReply).messages.flatMap((message) => renderMessage(message, terms)), // as it replies
  says: (row: Row) => [describeBacktest(row as unknown as BacktestReply)], // as above
};

const VIEW: OperationView<Row> = {
  columns: [
    { of: 'slug', head: 'rule' },
    SCOPE,
    KINDS,
    { of: 'filter', elastic: 1, drop: 3 },
    { of: 'preset', drop: 5 },
    COOLDOWN,
    LIMIT,
    'channels',
    'state',
    MUTED,
    LAST,
  ],
  none: 'No rules. Add one: strandline rules add --help',
  replies: {
    createRule: {
      lines: whole.lines,
      says: ({ slug, preview, digest }) => [
        digest === null
          ? `${describePreview(preview)} Details: strandline rules try ${slug}`
          : 'What it would say of the last day: strandline digest',
      ],
    },
    editRule: whole,
    getRule: whole,
    pauseRule: changed,
    sendFewer: whole,
    resumeRule: changed,
    removeRule: { says: ({ slug }) => [`${slug}: removed; its deliveries stay`] },
    tryRule: backtest,
    previewRule: backtest,
  },
};

function describePreview({
  days,
  messages,
  discoveries,
  at_least,
  growth_since,
}: JsonOf<RulePreview>): string {
  const sent = `${at_least ? 'at least ' : ''}${formatQuantity(messages, 'message')}`;
  return `In the past ${formatQuantity(days, 'day')} it would have sent ${sent} with ${formatQuantity(discoveries, 'discovery', 'discoveries')}.${describeUnknown(growth_since)}`;
}

function describeUnknown(since: string | null): string {
  return since === null ? '' : ` ${UNKNOWN_GROWTH}`;
}

function describeBacktest({ since, until, messages, total, waiting, growth_since }: BacktestReply): string {
  const days = formatQuantity(Math.round((Date.parse(until) - Date.parse(since)) / DAY), 'day');
  if (messages.length > 0 && total === 0)
    return `${formatQuantity(messages.length, 'digest')} in ${days} at most: one without news is not sent.`;
  if (total === 0)
    return `No messages: nothing matched in the last ${days}. Baselines are never reported.${describeUnknown(growth_since)}`;
  const rest =
    waiting === 0 ? '' : `; ${formatQuantity(waiting, 'discovery', 'discoveries')} would still wait`;
  const discoveryCount = formatQuantity(total, 'discovery', 'discoveries');
  return `${formatQuantity(messages.length, 'message')} with ${discoveryCount} in ${days}${rest}${growth_since === null ? '' : `.${describeUnknown(growth_since)}`}`;
}

const cutLine = (line: string, { width }: TerminalPage) => truncate(oneLine(line), width);

/** When and what, then its items. */
function renderMessage(
  { at, title, lead, items, discoveries }: JsonOf<BacktestMessage>,
  { page }: Terms,
): string[] {
  const more = discoveries - items.length;
  const lines = items.map(({ title: name, text, author }) =>
    cutLine(`${author === null ? '' : `${author}: `}${name ?? text ?? ''}`, {
      ...page,
      width: page.width - 2,
    }),
  );
  return [
    cutLine(`${formatTime(at, page)}  ${title}`, page),
    ...(lead === null ? [] : [`  (${lead})`]),
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 && items.length > 0 ? [`  and ${more} more`] : []),
  ];
}

export function registerRules(rules: Command, cli: Cli): void {
  rules.description(
    'Rules: which discoveries to report, and to which channels. See docs/reference/alerts.md.',
  );
  addOperations(rules, cli, VIEW);
}
