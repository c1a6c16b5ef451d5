/** Input and replies of operations on deliveries. Pure. */
import { z } from 'zod';
import { DELIVERY_STATES } from '../../model/alerts.ts';
import { channelSlug, MAX_ID, ruleSlug } from '../../model/value-shapes.ts';
import { commandWords } from '../operation.ts';

const DELIVERY_ID = /^(?:[1-9]\d{0,18}|msg_\w{1,60})$/;
/** Id of a delivery, or of its message. */
const deliveryId = z
  .codec(
    z.string().refine((text) => DELIVERY_ID.test(text), 'an id of digits, or of a message (msg_...)'),
    z.union([z.bigint().max(MAX_ID, 'an id'), z.string()]),
    { decode: (text) => (text.startsWith('msg_') ? text : BigInt(text)), encode: String },
  )
  .meta({ description: 'Id of a delivery, or of its message (msg_...).', examples: ['1'] });
const words = { help: 'delivery id or message id (msg_...)' };

export const deliveryFilter = z.strictObject({
  channel: channelSlug.optional().register(commandWords, { help: 'only messages to this channel' }),
  rule: ruleSlug.optional().register(commandWords, { help: 'only messages of this rule' }),
  state: z.enum(DELIVERY_STATES).optional().register(commandWords, { help: 'only messages in this state' }),
});
export const namedDelivery = z.strictObject({
  id: deliveryId.clone().register(commandWords, { argument: 'id', ...words }),
});

const EXPECTED_DEAD = 'either delivery or channel';
export const deadDeliveries = z
  .union(
    [
      z.strictObject({ delivery: deliveryId.clone().register(commandWords, { argument: 'id', ...words }) }),
      z.strictObject({
        channel: channelSlug.clone().register(commandWords, { help: 'all failed messages of this channel' }),
      }),
    ],
    { error: EXPECTED_DEAD },
  )
  .meta({ examples: [{ delivery: '1' }] });

export const Resent = z
  .object({ resent: z.int().describe('Number of messages that are sent again.') })
  .meta({ id: 'Resent' });
