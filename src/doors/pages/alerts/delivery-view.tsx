import type { DeliveryRow } from '../../../store/tell/reads.ts';
import { DELIVERY_CODES } from '../../../store/tell/codes.ts';
import { Badge, type BadgeState } from '../kit/badge.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';

const SHAPES: Readonly<Record<DeliveryRow['state'], BadgeState>> = {
  gathering: 'queued',
  pending: 'queued',
  delivered: 'succeeded',
  dead: 'failed',
  cancelled: 'cancelled',
};

export function DeliveryState({ delivery: { state, reason } }: { delivery: DeliveryRow }) {
  return <Badge state={SHAPES[state]} words={state} why={reason} />;
}

/** Why it went amiss, in words; nothing where it did not. */
export function outcomeOf({ code, http_status, reason }: DeliveryRow): string {
  const words = code === null ? [] : [DELIVERY_CODES[code]];
  const status = http_status === null || code === null ? [] : [`HTTP ${http_status}`];
  return [...words, ...status, ...(reason === null ? [] : [reason])].join('; ');
}

export function DeliveryTable({ rows }: { rows: readonly DeliveryRow[] }) {
  return (
    <Table
      caption="Deliveries, the newest first"
      rows={rows}
      columns={[
        {
          head: 'Delivery',
          cell: ({ id }) => <a href={`/alerts/deliveries/${id}`}>{String(id)}</a>,
          number: true,
        },
        { head: 'State', cell: (row) => <DeliveryState delivery={row} /> },
        { head: 'Rule', cell: ({ rule }) => <a href={`/alerts/rules/${rule}`}>{rule}</a> },
        { head: 'Channel', cell: ({ channel }) => <a href={`/alerts/channels/${channel}`}>{channel}</a> },
        { head: 'Discoveries', cell: ({ discoveries }) => discoveries, number: true, wide: true },
        { head: 'Made', cell: ({ made_at, created_at }) => <When at={made_at ?? created_at} /> },
        { head: 'Attempts', cell: ({ attempts }) => attempts, number: true, wide: true },
        { head: 'What came of it', cell: (row) => <span class="why">{outcomeOf(row)}</span>, wide: true },
      ]}
    />
  );
}
