/** Deliveries: what was sent to whom, and what came of it. */
import { z } from 'zod';
import { Refused } from '../../../errors.ts';
import { mayDo } from '../../../monitor/access/scopes.ts';
import { resend } from '../../../monitor/tell/resend.ts';
import { DELIVERY_STATES } from '../../../store/schema/analytics/tell.ts';
import { type DeliveryDetail, readDeliveries, readDelivery } from '../../../store/tell/reads.ts';
import type { App, WebHome } from '../../routes.ts';
import { goOn } from '../kit/done.tsx';
import { Act } from '../kit/form.tsx';
import { Outside } from '../kit/outside.tsx';
import { May } from '../kit/may.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Pager, Tabs } from '../kit/tabs.tsx';
import { When } from '../kit/when.tsx';
import { DeliveryState, DeliveryTable, outcomeOf } from './delivery-view.tsx';

const PAGE = 50;

export function deliveryPages(app: App, { ctx }: WebHome): void {
  const id = z
    .string()
    .regex(/^[1-9]\d{0,17}$/, 'an id')
    .transform(BigInt);
  const querystring = z.object({
    channel: z.string().max(63).optional(),
    rule: z.string().max(63).optional(),
    state: z.enum(DELIVERY_STATES).optional(),
    before: id.optional(),
  });
  type Asked = z.output<typeof querystring>;

  app.get(
    '/alerts/deliveries',
    { schema: { querystring }, config: { scope: 'read' } },
    async (request, reply) => {
      const asked = request.query;
      const rows = await readDeliveries(ctx.db, { ...asked, limit: PAGE + 1 });
      const shown = rows.slice(0, PAGE);
      const last = rows.length > PAGE ? shown.at(-1) : undefined;
      return showPage(request, reply, {
        title: 'Deliveries',
        here: '/alerts',
        above: <a href="/alerts">Alerts</a>,
        lead: [asked.channel, asked.rule].filter(Boolean).join(', ') || undefined,
        body: (
          <>
            <Tabs
              label="In which state"
              tabs={[undefined, ...DELIVERY_STATES].map((state) => ({
                href: placeOf({ ...asked, state, before: undefined }),
                words: state ?? 'all',
                here: state === asked.state,
              }))}
            />
            {shown.length === 0 ? (
              <Empty words="There is none." todo={{ words: 'To all alerts', href: '/alerts' }} />
            ) : (
              <DeliveryTable rows={shown} />
            )}
            <Pager
              first={asked.before === undefined ? null : placeOf({ ...asked, before: undefined })}
              next={last === undefined ? null : placeOf({ ...asked, before: last.id })}
            />
          </>
        ),
      });
    },
  );

  app.get(
    '/alerts/deliveries/:id',
    { schema: { params: z.object({ id }) }, config: { scope: 'read' } },
    async (request, reply) => {
      const delivery = await deliveryOf(request.params.id);
      return showPage(request, reply, {
        title: `Delivery ${delivery.id}`,
        here: '/alerts',
        above: (
          <>
            <a href="/alerts">Alerts</a> / <a href="/alerts/deliveries">Deliveries</a>
          </>
        ),
        aside:
          delivery.state === 'dead' ? (
            <May scope="write">
              <Act action={`/alerts/deliveries/${delivery.id}/resend`} words="Send again" icon="run" />
            </May>
          ) : undefined,
        // As over the API: what a receiver said may be of a network that readers are not in.
        body: (
          <Detail delivery={mayDo(request.visitor, 'admin') ? delivery : { ...delivery, answer: null }} />
        ),
      });
    },
  );

  app.post(
    '/alerts/deliveries/:id/resend',
    { schema: { params: z.object({ id }) }, config: { scope: 'write' } },
    async (request, reply) => {
      await resend(request.acting, { delivery: request.params.id });
      return goOn(reply, `/alerts/deliveries/${request.params.id}`, 'sent_again');
    },
  );

  async function deliveryOf(which: bigint): Promise<DeliveryDetail> {
    const row = await readDelivery(ctx.db, which);
    if (row === undefined) throw new Refused('not_found', `there is no delivery ${which}`);
    return row;
  }

  function placeOf(asked: Asked): string {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(asked))
      if (value !== undefined) query.set(name, String(value));
    return `/alerts/deliveries${query.size === 0 ? '' : `?${query}`}`;
  }
}

function Detail({ delivery }: { delivery: DeliveryDetail }) {
  const { body, answer, run_id } = delivery;
  return (
    <>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <DeliveryState delivery={delivery} /> {outcomeOf(delivery)}
        </dd>
        <dt>Rule</dt>
        <dd>
          <a href={`/alerts/rules/${delivery.rule}`}>{delivery.rule}</a>
        </dd>
        <dt>Channel</dt>
        <dd>
          <a href={`/alerts/channels/${delivery.channel}`}>{delivery.channel}</a>
        </dd>
        <dt>Discoveries</dt>
        <dd>
          {delivery.discoveries}
          {run_id === null ? null : (
            <>
              {' '}
              of <a href={`/runs/${run_id}`}>run {String(run_id)}</a>
            </>
          )}
        </dd>
        <dt>Attempts</dt>
        <dd>
          {delivery.attempts}, the last <When at={delivery.last_attempt_at} />
        </dd>
        {delivery.next_attempt_at === null ? null : (
          <>
            <dt>Next attempt</dt>
            <dd>
              <When at={delivery.next_attempt_at} />
            </dd>
          </>
        )}
        <dt>Delivered</dt>
        <dd>
          <When at={delivery.delivered_at} />
        </dd>
        <dt>Message</dt>
        <dd>
          <code>{delivery.message_id}</code>
        </dd>
        {answer === null || answer === '' ? null : (
          <>
            <dt>The receiver said</dt>
            <dd>
              <Outside text={answer} />
            </dd>
          </>
        )}
      </dl>
      <Section title="What it says">
        {body === null ? (
          <Empty words="Nothing yet, or no more: it still gathers, or somebody in it was forgotten." />
        ) : (
          <pre class="body" tabIndex={0}>
            {indented(body)}
          </pre>
        )}
      </Section>
    </>
  );
}

/** The body as it was made is one line; what it holds is ours, in JSON. */
function indented(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}
