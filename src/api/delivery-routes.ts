import { z } from 'zod';
import { hasScopes } from '../monitor/access/visitor-scopes.ts';
import { resendMessages } from '../monitor/alerts/resend.ts';
import { DELIVERY_STATES } from '../store/schema/analytics/alert-views.ts';
import { findMessageScope, readDeliveries, readDelivery } from '../store/alerts/alert-queries.ts';
import { findById } from '../monitor/http/find-by-id.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { operation } from './operation.ts';
import { channelSlug, idParam, ruleSlug } from '../model/value-shapes.ts';
import { createIdCursor, defineListQuery, defineListReply } from './pagination.ts';
import { defineRow, defineRowWith } from './reply-shapes.ts';

const tags = ['alerts'];
const params = z.strictObject({ id: idParam });
const cursor = createIdCursor('deliveries');
const Delivery = defineRow('Delivery', 'deliveries');
const DeliveryWithBody = defineRowWith('DeliveryWithBody', 'deliveries', {
  body: z
    .string()
    .nullable()
    .describe('Exact body of the message; null until it is composed, and after it is deleted.'),
  answer: z
    .string()
    .nullable()
    .describe('Start of the last reply of the receiver; null without the scope `admin`.'),
});
const resendBody = z
  .union([z.strictObject({ delivery: idParam }), z.strictObject({ channel: channelSlug })], {
    error: 'either delivery or channel',
  })
  .meta({ examples: [{ delivery: '1' }] });
const Resent = z
  .object({ resent: z.int().describe('Number of messages that are sent again.') })
  .meta({ id: 'Resent' });

export function deliveryRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/deliveries',
    operation({
      scope: 'read',
      operationId: 'listDeliveries',
      summary: 'List deliveries',
      description:
        'Newest first. A delivery is one message to one channel, with its state and attempts. To send `dead` ones again, use `resendDeliveries`.',
      tags,
      querystring: defineListQuery(cursor, {
        channel: channelSlug.optional(),
        rule: ruleSlug.optional(),
        state: z.enum(DELIVERY_STATES).optional(),
      }),
      response: { 200: defineListReply(Delivery) },
    }),
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      await findMessageScope(ctx.db, filter.rule);
      const rows = await readDeliveries(ctx.db, { ...filter, before: after?.[0], limit });
      return reply(rows, ({ id }) => [id]);
    },
  );

  app.get(
    '/api/v1/deliveries/:id',
    operation({
      scope: 'read',
      operationId: 'getDelivery',
      summary: 'Get a delivery',
      description: 'With the exact body of the message and the start of the last reply of the receiver.',
      tags,
      params,
      response: { 200: DeliveryWithBody },
    }),
    async ({ params: { id }, visitor }) => {
      const delivery = await findById('delivery', id, readDelivery(ctx.db, id));
      return { ...delivery, answer: hasScopes(visitor, 'admin') ? delivery.answer : null };
    },
  );

  app.post(
    '/api/v1/deliveries/resend',
    operation({
      scope: 'write',
      idempotent: true,
      operationId: 'resendDeliveries',
      summary: 'Resend dead messages',
      description:
        'Resends one delivery, or all dead ones of a channel. Each keeps its `webhook-id` and body.',
      tags,
      body: resendBody,
      response: { 200: Resent },
    }),
    async ({ body, acting }) => ({ resent: await resendMessages(acting, body) }),
  );
}
