/** Deliveries: messages and their results. */

import { Facts } from '../components/fact-list.tsx';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import { resendMessages } from '../../monitor/alerts/resend.ts';
import { idKey } from '../../model/value-shapes.ts';
import { findById } from '../../monitor/http/find-by-id.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import {
  type DeliveryDetail,
  type DeliveryRow,
  findMessageScope,
  readDeliveries,
  readDelivery,
  readRuleNames,
} from '../../store/alerts/alert-queries.ts';
import { CHANNEL_KINDS, describeDeliveryCode } from '../../monitor/alerts/channels/channel-kinds.ts';
import { DELIVERY_STATES } from '../../model/alerts.ts';
import type { Id } from '../../store/db/database.ts';
import { listDeliveryDiscoveries } from '../../store/alerts/held-deliveries.ts';
import { type DiscoveryRow, readDiscoveriesByIds } from '../../store/queries/discoveries.ts';
import { DiscoveryLine } from '../components/discovery-item.tsx';
import { Table } from '../components/data-table.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton } from '../components/form.tsx';
import { Badge, type BadgeState } from '../components/icons.tsx';
import { writeAddress } from '../components/list-address.ts';
import { IfAllowed } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Crumbs, EmptyState, type NextStep, Pager, Section, Tabs } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { z } from 'zod';

const PAGE_SIZE = 50;
/** Discoveries of a delivery that are listed. */
const MAX_FOUND = 200;

export function addDeliveryPages(app: App, { ctx }: RouteContext): void {
  const querystring = z.object({
    channel: z.string().max(63).optional(),
    rule: z.string().max(63).optional(),
    state: z
      .literal(getStateName('dead'))
      .transform(() => 'dead' as const)
      .or(z.enum(DELIVERY_STATES))
      .optional(),
    before: idKey.optional(),
  });
  const params = z.object({ id: idKey });

  app.get(
    '/alerts/deliveries',
    { schema: { querystring }, config: { scope: 'read' } },
    async (request, reply) => {
      const { before, ...filter } = request.query;
      const writePath = (more: Partial<typeof request.query> = {}) =>
        writeAddress('/alerts/deliveries', { ...filter, ...more });
      await findMessageScope(ctx.db, filter.rule);
      const rows = await readDeliveries(ctx.db, { ...filter, before, limit: PAGE_SIZE + 1 });
      const shown = rows.slice(0, PAGE_SIZE);
      const last = rows.length > PAGE_SIZE ? shown.at(-1) : undefined;
      const names = await readRuleNames(ctx.db, [...shown.map(({ rule }) => rule), filter.rule ?? []].flat());
      return renderPage(request, reply, {
        title: 'Deliveries',
        here: '/alerts/deliveries',
        lead: [filter.channel, names.get(filter.rule ?? '')].filter(Boolean).join(', ') || undefined,
        body: (
          <>
            <Tabs
              label="State"
              tabs={[undefined, ...DELIVERY_STATES].map((state) => ({
                href: writePath({ state }),
                words: state === undefined ? 'all' : getStateName(state),
                here: state === filter.state,
              }))}
            />
            <DeliveryTable
              rows={shown}
              names={names}
              empty="No deliveries."
              todo={{ words: 'All alerts', href: '/alerts' }}
            />
            <Pager
              first={before === undefined ? null : writePath()}
              next={last === undefined ? null : writePath({ before: last.id })}
            />
          </>
        ),
      });
    },
  );

  app.get(
    '/alerts/deliveries/:id',
    { schema: { params }, config: { scope: 'read' } },
    async (request, reply) => {
      const { id: key } = request.params;
      const delivery = await findById('delivery', key, readDelivery(ctx.db, key));
      return renderPage(request, reply, {
        title: `Delivery ${delivery.id}`,
        here: '/alerts/deliveries',
        above: (
          <Crumbs
            path={[
              ['Alerts', '/alerts'],
              ['Deliveries', '/alerts/deliveries'],
            ]}
          />
        ),
        aside:
          delivery.state === 'dead' ? (
            <IfAllowed scope="write">
              <ActionButton action={`/alerts/deliveries/${delivery.id}/resend`} words="Resend" icon="run" />
            </IfAllowed>
          ) : undefined,
        // As in the API: a response may reveal a network that readers have no access to.
        body: (
          <DeliveryView
            delivery={hasScopes(request.visitor, 'admin') ? delivery : { ...delivery, answer: null }}
            discoveries={await readFound(key)}
            names={await readRuleNames(ctx.db, [delivery.rule])}
          />
        ),
      });
    },
  );

  /** The newest first. */
  async function readFound(id: Id): Promise<DiscoveryRow[]> {
    const ids = await listDeliveryDiscoveries(ctx.db.pool, id, MAX_FOUND);
    const rows = new Map((await readDiscoveriesByIds(ctx.db, ids)).map((row) => [row.id, row]));
    return ids.flatMap((discovery) => rows.get(discovery) ?? []);
  }

  app.post(
    '/alerts/deliveries/:id/resend',
    { schema: { params }, config: { scope: 'write' } },
    async (request, reply) => {
      await resendMessages(request.acting, { delivery: request.params.id });
      return redirectWithFlash(reply, `/alerts/deliveries/${request.params.id}`, 'sent_again');
    },
  );
}

function RuleLink({ slug, names }: { slug: string; names: ReadonlyMap<string, string> }) {
  return <a href={`/alerts/rules/${slug}`}>{names.get(slug) ?? slug}</a>;
}

function DeliveryView({
  delivery,
  discoveries,
  names,
}: {
  delivery: DeliveryDetail;
  discoveries: readonly DiscoveryRow[];
  /** Of rules, by slug. */
  names: ReadonlyMap<string, string>;
}) {
  const { body, answer, run_id } = delivery;
  return (
    <>
      <Facts
        label="Delivery"
        facts={[
          [
            'State',
            <>
              <DeliveryState delivery={delivery} /> {describeOutcome(delivery)}
            </>,
          ],
          ['Rule', <RuleLink slug={delivery.rule} names={names} />],
          ['Channel', <a href={`/alerts/channels/${delivery.channel}`}>{delivery.channel}</a>],
          [
            'New items',
            <>
              {delivery.discoveries}
              {run_id === null ? null : ' from '}
              {run_id === null ? null : <a href={`/runs/${run_id}`}>run {String(run_id)}</a>}
            </>,
          ],
          [
            'Attempts',
            <>
              {delivery.attempts}
              {delivery.last_attempt_at === null ? null : ', last '}
              {delivery.last_attempt_at === null ? null : <Timestamp at={delivery.last_attempt_at} />}
            </>,
          ],
          ['Next attempt', delivery.next_attempt_at && <Timestamp at={delivery.next_attempt_at} />],
          ['Delivered', <Timestamp at={delivery.delivered_at} never="not delivered" />],
          ['Message ID', <code>{delivery.message_id}</code>],
          ['Response', answer && <UntrustedText text={answer} />],
        ]}
      />
      {discoveries.length === 0 ? null : (
        <Section
          title="New items"
          note={discoveries.length < delivery.discoveries ? `The newest ${discoveries.length}.` : undefined}
        >
          {discoveries.map((discovery) => (
            <DiscoveryLine discovery={discovery} />
          ))}
        </Section>
      )}
      <Section title="Body">
        {body === null ? (
          <EmptyState words="No body: the message is not composed yet, or its body was deleted (after MESSAGE_DAYS, or with an author in it)." />
        ) : (
          <pre class="body" tabIndex={0}>
            {formatBody(delivery.channel_kind, body)}
          </pre>
        )}
      </Section>
    </>
  );
}

/** JSON is stored as one line and indented here; anything else is shown as sent. */
function formatBody(kind: string, body: string): string {
  const isJson = CHANNEL_KINDS[kind]?.contentType === 'application/json';
  return isJson ? JSON.stringify(JSON.parse(body), null, 2) : body;
}

const DELIVERY_BADGES: Readonly<Record<DeliveryRow['state'], BadgeState>> = {
  gathering: 'queued',
  pending: 'queued',
  delivered: 'succeeded',
  dead: 'failed',
  cancelled: 'cancelled',
};

/** People read `dead` as failed. */
function getStateName(state: DeliveryRow['state']): string {
  return state === 'dead' ? 'failed' : state;
}

function DeliveryState({ delivery: { state, reason } }: { delivery: DeliveryRow }) {
  return <Badge state={DELIVERY_BADGES[state]} words={getStateName(state)} why={reason} />;
}

/** Why it failed; empty if it did not. */
function describeOutcome({ code, channel_kind: kind, http_status, reason }: DeliveryRow): string {
  const words = code === null ? [] : [describeDeliveryCode(kind, code)];
  const status = http_status === null || code === null ? [] : [`HTTP ${http_status}`];
  return [...words, ...status, ...(reason === null ? [] : [reason])].join('; ');
}

export function DeliveryTable({
  names,
  ...shown
}: {
  rows: readonly DeliveryRow[];
  /** Of rules, by slug. */
  names: ReadonlyMap<string, string>;
  empty: string;
  todo?: NextStep;
}) {
  return (
    <Table
      {...shown}
      caption="Deliveries, newest first"
      columns={[
        {
          head: 'Delivery',
          cell: ({ id }) => <a href={`/alerts/deliveries/${id}`}>{String(id)}</a>,
          number: true,
        },
        { head: 'State', cell: (row) => <DeliveryState delivery={row} /> },
        { head: 'Rule', cell: ({ rule }) => <RuleLink slug={rule} names={names} /> },
        {
          head: 'Channel',
          cell: ({ channel }) => <a href={`/alerts/channels/${channel}`}>{channel}</a>,
        },
        { head: 'New items', cell: ({ discoveries }) => discoveries, number: true, wide: true },
        { head: 'Created', cell: ({ made_at, created_at }) => <Timestamp at={made_at ?? created_at} /> },
        { head: 'Attempts', cell: ({ attempts }) => attempts, number: true, wide: true },
        {
          head: 'Result',
          cell: (row) => <span class="why">{describeOutcome(row)}</span>,
          wide: true,
        },
      ]}
    />
  );
}
