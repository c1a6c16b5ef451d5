import type { Command } from 'commander';
import type { ChannelRow } from '../store/alerts/alert-queries.ts';
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
import { lowerFirst, oneLine } from './terminal-text.ts';
import { formatCount } from './value-formatting.ts';

type Row = JsonOf<ChannelRow> & {
  secret: string | null;
  reports_problems: boolean;
  settings: readonly { label: string; shown: string }[];
};
type Test = { taken: boolean; http_status: number | null; detail: string | null; answer: string | null };

const changed = { says: ({ slug, state }: Row) => [`${slug}: ${state}`] };
const saySecret = ({ slug, secret }: Row) =>
  secret === null ? [] : [`Signing secret for ${slug}, shown once. Use it to verify messages.`];

const VIEW: OperationView<Row> = {
  columns: [
    { of: 'slug', head: 'channel' },
    { of: 'kind', head: 'sends', drop: 4 },
    { of: 'host', head: 'to' },
    'state',
    { of: 'rules', drop: 3 },
    { of: 'waiting', drop: 1 },
    { of: 'dead', head: 'failed', drop: 2 },
    { of: 'last_delivered_at', head: 'last delivered', drop: 2 },
    { of: 'state_reason', head: 'reason', as: ({ state_reason }) => state_reason ?? '', elastic: 1, drop: 5 },
  ],
  none: 'No channels. Add one: strandline channels add --help',
  replies: {
    createChannel: {
      says: (row) => [
        ...saySecret(row),
        ...(row.reports_problems
          ? ['Problems of strandline itself are reported there: strandline rules show system']
          : []),
        `Send a test message: strandline channels test ${row.slug}`,
      ],
    },
    editChannel: { says: ({ slug, host, state }) => [`${slug}: sends to ${host} (${state})`] },
    rotateChannelSecret: { says: saySecret },
    getChannel: { lines: (row, terms) => renderFacts(row, listFacts(row), terms) },
    testChannel: {
      says: (row, { typed }) => {
        const { taken, http_status, detail, answer } = row as unknown as Test; // as `testChannel` replies
        const status = http_status === null ? '' : ` (${http_status})`;
        const result = taken ? `delivered${status}` : `rejected: ${oneLine(detail ?? '')}`;
        return [
          `${String(typed['channel'])}: ${result}`,
          ...(answer === null ? [] : [`Response: ${oneLine(answer)}`]),
        ];
      },
      fails: (row) => !(row as unknown as Test).taken, // as above
    },
    pauseChannel: changed,
    resumeChannel: changed,
    removeChannel: { says: ({ slug }) => [`${slug}: removed; its deliveries stay`] },
  },
};

/** A time that is omitted while there is none. */
const when = (of: 'resting_until' | 'rotating_until', head: string): ReplyColumn<Row> => ({
  of,
  head,
  as: (row, { page }) => (row[of] === null ? null : formatTime(row[of], page)),
});

function listFacts({ settings }: Row): ReplyColumn<Row>[] {
  return [
    { of: 'slug', head: 'channel' },
    { of: 'kind', head: 'sends', as: ({ kind, host }) => `${kind} to ${host}` },
    ...settings.slice(1).map(({ label, shown }) => ({
      of: 'settings' as const,
      head: lowerFirst(label),
      as: () => shown,
    })),
    {
      of: 'state',
      as: ({ state, state_since, state_reason }, { page }: Terms) =>
        `${state} since ${formatTime(state_since, page)}${state_reason === null ? '' : `: ${state_reason}`}`,
    },
    'rules',
    'waiting',
    { of: 'dead', head: 'failed' },
    { of: 'last_delivered_at', head: 'last delivered' },
    {
      of: 'failing_since',
      head: 'failing since',
      as: ({ failing_since, failures }, { page }) =>
        failing_since === null
          ? null
          : `${formatTime(failing_since, page)} (${formatCount(failures, page)} attempts)`,
    },
    when('resting_until', 'backing off until'),
    when('rotating_until', 'old secret valid until'),
  ];
}

export function registerChannels(channels: Command, cli: Cli): void {
  channels.description('Channels: destinations for alerts. See docs/reference/alerts.md.');
  addOperations(channels, cli, VIEW);
}
