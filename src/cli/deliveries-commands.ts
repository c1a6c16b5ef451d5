import { findScope } from '../monitor/topics/find-by-slug.ts';
import type { Command } from 'commander';
import { InvalidInput, Refused } from '../domain/errors.ts';
import { DELIVERY_STATES, type DeliveryState } from '../store/schema/analytics/alert-views.ts';
import {
  type DeliveryDetail,
  type DeliveryRow,
  readDeliveries,
  readDelivery,
  findMessageScope,
} from '../store/alerts/alert-queries.ts';
import { showRows } from './list-command.ts';
import { choiceOption, limitOption, parseId } from './option-values.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderList } from './terminal-table.ts';
import { formatBytes, formatCount, formatQuantity, formatInstant } from './value-formatting.ts';

export function registerDeliveries(deliveries: Command, cli: Cli): void {
  deliveries.description('Deliveries: messages to channels and their results. See docs/reference/alerts.md.');
  registerList(deliveries, cli);
  registerShow(deliveries, cli);
  registerResend(deliveries, cli);
}

type DeliveryListOptions = {
  channel?: string;
  rule?: string;
  state?: DeliveryState;
  limit: number;
  json?: boolean;
};

function registerList(deliveries: Command, cli: Cli): void {
  const words = `only messages in this state: ${DELIVERY_STATES.join(', ')}`;
  deliveries
    .command('list')
    .description('list messages, newest first')
    .option('--channel <channel>', 'only messages to this channel')
    .option('--rule <rule>', 'only messages of this rule')
    .addOption(choiceOption('--state <state>', words, DELIVERY_STATES))
    .addOption(limitOption(20))
    .option('--json', 'print JSON')
    .action(({ json, ...filter }: DeliveryListOptions) =>
      cli.withProgram(async ({ ctx }) => {
        await findScope(ctx.db, await findMessageScope(ctx.db, filter.rule));
        const rows = await readDeliveries(ctx.db, { ...filter });
        await showRows(cli, json, rows, { columns: deliveryColumns(cli.page), none: 'No deliveries yet.' });
      }),
    );
}

function registerShow(deliveries: Command, cli: Cli): void {
  deliveries
    .command('show')
    .description('show a message, its body and its result')
    .argument('<id>', 'delivery id or message id (msg_...)')
    .option('--json', 'print JSON')
    .action((given: string, { json }: { json?: boolean }) => {
      const id = parseDeliveryId(given);
      return cli.withProgram(async ({ ctx }) => {
        const row = await readDelivery(ctx.db, id);
        if (row === undefined)
          throw new Refused('not_found', `no delivery ${given}; see: strandline deliveries list`);
        const { describeDeliveryCode } = await import('../monitor/alerts/channels/channel-kinds.ts');
        const error = row.code === null ? null : describeDeliveryCode(row.channel_kind, row.code);
        await cli.show(json, row, () => renderDelivery(row, error, cli.page));
      });
    });
}

function registerResend(deliveries: Command, cli: Cli): void {
  deliveries
    .command('resend')
    .description('resend a failed message, or all failed messages of a channel, unchanged')
    .argument('[id]', 'delivery id or message id (msg_...)')
    .option('--channel <channel>', 'all failed messages of this channel')
    .option('--json', 'print JSON')
    .action((given: string | undefined, { channel, json }: { channel?: string; json?: boolean }) => {
      const which =
        channel === undefined
          ? given === undefined
            ? undefined
            : { delivery: parseDeliveryId(given) }
          : given === undefined
            ? { channel }
            : undefined;
      if (which === undefined)
        throw new InvalidInput([{ path: 'id', given, expected: 'either an id or --channel' }]);
      return cli.withServer(async ({ ctx }) => {
        const { resendMessages } = await import('../monitor/alerts/resend.ts');
        const resent = await resendMessages(ctx, which);
        await cli.show(json, { resent }, () => []);
        cli.page.say(
          `${formatQuantity(resent, 'message')} queued; a worker sends ${resent === 1 ? 'it' : 'them'}`,
        );
      });
    });
}

function parseDeliveryId(given: string): bigint | string {
  return given.startsWith('msg_') ? given : parseId('id', given);
}

/** @param error of the last attempt, in words; null if there is none */
function renderDelivery(row: DeliveryDetail, error: string | null, page: TerminalPage): string[] {
  const status = row.http_status === null ? '' : ` (${row.http_status})`;
  return renderList(
    [
      ['delivery', `${row.id} ${row.message_id}`],
      ['channel', row.channel],
      ['rule', row.rule],
      ['state', row.reason === null ? row.state : `${row.state}: ${row.reason}`],
      ['contains', formatQuantity(row.discoveries, 'discovery', 'discoveries')],
      ['created', formatInstant(row.created_at, page)],
      ['completed', formatInstant(row.made_at, page)],
      ['attempts', formatCount(row.attempts, page)],
      ['last attempt', row.last_attempt_at && formatInstant(row.last_attempt_at, page)],
      ['next attempt', row.next_attempt_at && formatInstant(row.next_attempt_at, page)],
      ['delivered', row.delivered_at && formatInstant(row.delivered_at, page)],
      ['error', error && `${error}${status}`],
      ['response', row.answer],
      ['body', row.body],
    ],
    page,
  );
}

function deliveryColumns(page: TerminalPage): Column<DeliveryRow>[] {
  return [
    { head: 'id', cell: ({ id }) => String(id), right: true },
    { head: 'channel', cell: ({ channel }) => channel },
    { head: 'rule', cell: ({ rule }) => rule },
    { head: 'state', cell: ({ state }) => state },
    { head: 'discoveries', cell: ({ discoveries }) => formatCount(discoveries, page), right: true, drop: 2 },
    { head: 'size', cell: (row) => formatBytes(row.bytes, page), right: true, drop: 4 },
    { head: 'attempts', cell: ({ attempts }) => formatCount(attempts, page), right: true, drop: 3 },
    { head: 'created', cell: ({ created_at }) => formatInstant(created_at, page), drop: 1 },
    {
      head: 'next attempt',
      cell: ({ next_attempt_at: at }) => (at === null ? '' : formatInstant(at, page)),
      drop: 2,
    },
    { head: 'reason', cell: ({ reason, code }) => reason ?? code ?? '', elastic: 1, drop: 5 },
  ];
}
