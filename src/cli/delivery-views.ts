import type { Command } from 'commander';
import type { DeliveryDetail } from '../store/alerts/alert-queries.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import { formatTime, type JsonOf, type OperationView, renderFacts, type Terms } from './reply-view.ts';
import { formatBytes, formatQuantity } from './value-formatting.ts';

/** A delivery, or how many are sent again. */
type Row = JsonOf<DeliveryDetail> & { resent: number };

/** A time that is omitted while there is none. */
const when = (of: 'last_attempt_at' | 'next_attempt_at' | 'delivered_at', head: string) => ({
  of,
  head,
  as: (row: Row, { page }: Terms) => (row[of] === null ? null : formatTime(row[of], page)),
});

const VIEW: OperationView<Row> = {
  columns: [
    { of: 'id', right: true },
    'channel',
    'rule',
    'state',
    { of: 'discoveries', drop: 2 },
    {
      of: 'bytes',
      head: 'size',
      as: ({ bytes }, { page }) => formatBytes(bytes, page),
      right: true,
      drop: 4,
    },
    { of: 'attempts', drop: 3 },
    { of: 'created_at', head: 'created', drop: 1 },
    { ...when('next_attempt_at', 'next attempt'), drop: 2 },
    { of: 'reason', as: ({ reason, code }) => reason ?? code ?? '', elastic: 1, drop: 5 },
  ],
  none: 'No deliveries yet.',
  replies: {
    getDelivery: { lines: renderDelivery },
    resendDeliveries: {
      says: ({ resent }) => [
        `${formatQuantity(resent, 'message')} queued; a worker sends ${resent === 1 ? 'it' : 'them'}`,
      ],
    },
  },
};

async function renderDelivery(row: Row, terms: Terms): Promise<string[]> {
  // A list needs no senders.
  const { describeDeliveryCode } = await import('../monitor/alerts/channels/channel-kinds.ts');
  const error = row.code === null ? null : describeDeliveryCode(row.channel_kind, row.code);
  const status = row.http_status === null ? '' : ` (${row.http_status})`;
  return renderFacts<Row>(
    row,
    [
      { of: 'id', head: 'delivery', as: ({ id, message_id }) => `${id} ${message_id}` },
      'channel',
      'rule',
      { of: 'state', as: ({ state, reason }) => (reason === null ? state : `${state}: ${reason}`) },
      {
        of: 'discoveries',
        head: 'contains',
        as: ({ discoveries }) => formatQuantity(discoveries, 'discovery', 'discoveries'),
      },
      { of: 'created_at', head: 'created' },
      { of: 'made_at', head: 'completed' },
      'attempts',
      when('last_attempt_at', 'last attempt'),
      when('next_attempt_at', 'next attempt'),
      when('delivered_at', 'delivered'),
      { of: 'code', head: 'error', as: () => (error === null ? null : `${error}${status}`) },
      { of: 'answer', head: 'response', as: ({ answer }) => answer },
      { of: 'body', as: ({ body }) => body },
    ],
    terms,
  );
}

export function registerDeliveries(deliveries: Command, cli: Cli): void {
  deliveries.description('Deliveries: messages to channels and their results. See docs/reference/alerts.md.');
  addOperations(deliveries, cli, VIEW);
}
