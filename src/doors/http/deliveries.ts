import { z } from 'zod';
import { Refused } from '../../errors.ts';
import { mayDo } from '../../monitor/access/scopes.ts';
import { resend } from '../../monitor/tell/resend.ts';
import { DELIVERY_STATES } from '../../store/schema/analytics/tell.ts';
import { readDeliveries, readDelivery } from '../../store/tell/reads.ts';
import type { App, WebHome } from '../routes.ts';
import { channelSlug, ruleSlug } from './alert-bodies.ts';
import { idCursor } from './cursor.ts';
import { givenId } from './given.ts';
import { listOf, listQuery, noQuery } from './listing.ts';
import { row, rowWith } from './shapes.ts';

const tags = ['alerts'];
const params = z.strictObject({ id: givenId });
const cursor = idCursor('deliveries');
const Delivery = row('Delivery', 'deliveries');
const DeliveryWithBody = rowWith('DeliveryWithBody', 'deliveries', {
  body: z
    .string()
    .nullable()
    .describe('What is sent, byte for byte; null while it gathers, and where it was forgotten.'),
  answer: z
    .string()
    .nullable()
    .describe('The beginning of the last answer of its receiver; null without the scope admin.'),
});
const resent = z
  .union([z.strictObject({ delivery: givenId }), z.strictObject({ channel: channelSlug })], {
    error: 'either delivery or channel',
  })
  .meta({ examples: [{ delivery: '1' }] });
const Resent = z
  .object({ resent: z.int().describe('How many messages are sent again.') })
  .meta({ id: 'Resent' });

export function deliveryRoutes(app: App, { ctx }: WebHome): void {
  app.get(
    '/api/v1/deliveries',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listDeliveries',
        summary: 'Messages of alerts, the newest first',
        description:
          'A delivery is one message to one channel, with its state and attempts; `dead` ones can be sent again by `resendDeliveries`.',
        tags,
        querystring: listQuery(cursor, {
          channel: channelSlug.optional(),
          rule: ruleSlug.optional(),
          state: z.enum(DELIVERY_STATES).optional(),
        }),
        response: { 200: listOf(Delivery) },
      },
    },
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      const rows = await readDeliveries(ctx.db, { ...filter, before: after?.[0], limit: limit + 1 });
      return reply(rows, ({ id }) => [id]);
    },
  );

  app.get(
    '/api/v1/deliveries/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getDelivery',
        summary: 'A message of an alert, and what it says',
        description:
          'With the body exactly as it is sent, and the beginning of the last answer of the receiver.',
        tags,
        params,
        querystring: noQuery,
        response: { 200: DeliveryWithBody },
      },
    },
    async ({ params: { id }, visitor }) => {
      const found = await readDelivery(ctx.db, id);
      if (found === undefined) throw new Refused('not_found', `there is no delivery ${id}`);
      return { ...found, answer: mayDo(visitor, 'admin') ? found.answer : null };
    },
  );

  app.post(
    '/api/v1/deliveries/resend',
    {
      config: { scope: 'write', idempotent: true },
      schema: {
        operationId: 'resendDeliveries',
        summary: 'Send a message that was given up once more, or all of a channel; ids and bodies stay',
        description:
          'Name one delivery, or a channel for all its dead ones. Receivers see the same `webhook-id` as before.',
        tags,
        querystring: noQuery,
        body: resent,
        response: { 200: Resent },
      },
    },
    async ({ body, acting }) => ({ resent: await resend(acting, body) }),
  );
}
