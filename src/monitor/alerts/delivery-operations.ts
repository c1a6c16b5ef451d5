/** Operations on deliveries: messages to channels and their results. */
import { z } from 'zod';
import { createNotFound } from '../../model/errors.ts';
import { idParam } from '../../model/value-shapes.ts';
import { findMessageScope, readDeliveries, readDelivery } from '../../store/alerts/alert-queries.ts';
import type { Id } from '../../store/db/database.ts';
import { defineRow, defineRowWith } from '../../store/db/row-shapes.ts';
import { hasScopes } from '../access/visitor-scopes.ts';
import { declareOperation } from '../operation.ts';
import { deadDeliveries, deliveryFilter, namedDelivery, Resent } from './delivery-shapes.ts';
import { resendMessages } from './resend.ts';

const about = { tag: 'alerts', scope: 'read' } as const;

export const DELIVERY_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'listDeliveries',
    route: 'GET /api/v1/deliveries',
    command: 'deliveries list',
    does: 'List deliveries, newest first',
    more: 'A delivery is one message to one channel, with its state and attempts. To send `dead` ones again, use `resendDeliveries`.',
    input: deliveryFilter,
    output: defineRow('Delivery', 'deliveries'),
    list: { cursor: z.tuple([idParam]), key: ({ id }: { id: Id }) => [id], shown: 20 },
    run: async ({ ctx, page: { limit, after } }, filter) => {
      await findMessageScope(ctx.db, filter.rule);
      const before = (after as [Id] | undefined)?.[0]; // as `list` declares it
      return readDeliveries(ctx.db, { ...filter, before, limit });
    },
  }),
  declareOperation({
    ...about,
    id: 'getDelivery',
    route: 'GET /api/v1/deliveries/{id}',
    command: 'deliveries show',
    does: 'Show a message, its body and its result',
    more: 'With the exact body of the message and the start of the last reply of the receiver.',
    input: namedDelivery,
    output: defineRowWith('DeliveryWithBody', 'deliveries', {
      body: z
        .string()
        .nullable()
        .describe('Exact body of the message; null until it is composed, and after it is deleted.'),
      answer: z
        .string()
        .nullable()
        .describe('Start of the last reply of the receiver; null without the scope `admin`.'),
    }),
    run: async ({ ctx, visitor }, { id }) => {
      const delivery = await readDelivery(ctx.db, id);
      if (delivery === undefined) throw createNotFound('delivery', id);
      return { ...delivery, answer: hasScopes(visitor, 'admin') ? delivery.answer : null };
    },
  }),
  declareOperation({
    ...about,
    id: 'resendDeliveries',
    route: 'POST /api/v1/deliveries/resend',
    command: 'deliveries resend',
    scope: 'write',
    does: 'Resend a failed message, or all failed messages of a channel, unchanged',
    more: 'Resends one delivery, or all `dead` ones of a channel. Each keeps its `webhook-id` and body.',
    input: deadDeliveries,
    output: Resent,
    idempotent: true,
    runsIn: 'server',
    run: async ({ ctx }, which) => ({ resent: await resendMessages(ctx, which) }),
  }),
];
