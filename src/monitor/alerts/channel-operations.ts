/** Operations on channels. Operations that decide where messages go, or show secrets, need `admin`. */
import { z } from 'zod';
import { channelSlug } from '../../model/value-shapes.ts';
import { readChannels } from '../../store/alerts/alert-queries.ts';
import { DELIVERY_CODE_NAMES } from '../../model/alerts.ts';
import { defineRowWith } from '../../store/db/row-shapes.ts';
import type { StateChange } from '../../store/topics/topics.ts';
import { declareOperation } from '../operation.ts';
import type { DeliveryAttempt } from './channel-secrets.ts';
import {
  editedChannel,
  namedChannel,
  NEW_CHANNEL_EXAMPLES,
  newChannel,
  resumedChannel,
} from './channel-shapes.ts';
import type { Settings } from './channels/channel-kind.ts';
import { CHANNEL_KINDS } from './channels/channel-kinds.ts';
import { describeFailure } from './delivery-retry.ts';
import type { ChannelWithSecret as ChannelWithSecretRow, WrittenChannel } from './manage-channels.ts';

// A list does not need it.
const loadManagement = () => import('./manage-channels.ts');

const kind = z.enum(Object.keys(CHANNEL_KINDS));
const Channel = defineRowWith('Channel', 'channels', { kind });
const ChannelWhole = defineRowWith('ChannelWhole', 'channels', {
  kind,
  settings: z
    .array(z.object({ name: z.string(), label: z.string(), shown: z.string() }))
    .describe('Its settings, as far as they may be shown.'),
});
const ChannelWithSecret = defineRowWith('ChannelWithSecret', 'channels', {
  kind,
  secret: z
    .string()
    .nullable()
    .describe('Signing secret, shown once; null in a replayed reply, and for kinds without a secret.'),
});
const CreatedChannel = defineRowWith('CreatedChannel', 'channels', {
  ...ChannelWithSecret.shape,
  reports_problems: z
    .boolean()
    .describe(
      'True for the first channel of the rule `system`: problems of strandline itself are reported there.',
    ),
});
const ChannelTest = z
  .object({
    taken: z.boolean().describe('True if the receiver accepted the message.'),
    http_status: z.int().nullable().describe('Status of its reply; null if there was none.'),
    code: z.enum(DELIVERY_CODE_NAMES).nullable().describe('Reason for the failure; null if delivered.'),
    detail: z.string().nullable().describe('Details of the failure.'),
    answer: z.string().nullable().describe('Start of its reply, on one line.'),
  })
  .meta({ id: 'ChannelTest' });

const flatten = <C extends ChannelWithSecretRow>({ channel, ...more }: C) => ({ ...channel, ...more });

const about = { tag: 'alerts', scope: 'admin' } as const;

const declareChange = (change: StateChange, does: string, more: string) =>
  declareOperation({
    ...about,
    id: `${change}Channel`,
    route:
      change === 'remove' ? 'DELETE /api/v1/channels/{channel}' : `POST /api/v1/channels/{channel}/${change}`,
    command: `channels ${change}`,
    scope: 'write',
    does,
    more,
    input: change === 'resume' ? resumedChannel : namedChannel,
    query: ['skip'],
    output: Channel,
    run: async ({ ctx }, { channel, ...options }) =>
      (await loadManagement()).changeChannel(ctx, channel, change, options),
  });

export const CHANNEL_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'createChannel',
    route: 'POST /api/v1/channels',
    command: 'channels add',
    does: 'Create a channel; its signing secret is shown once',
    more: 'Messages are signed with the secret, which only this reply contains. The address must be public, unless `CHANNELS_ALLOW` names it.',
    input: newChannel,
    output: CreatedChannel,
    once: 'secret',
    created: ({ slug }: { slug: string }) => `/api/v1/channels/${slug}`,
    idempotent: true,
    runsIn: 'server',
    example: NEW_CHANNEL_EXAMPLES.join('\n'),
    run: async ({ ctx }, settings) =>
      flatten(await (await loadManagement()).createChannel(ctx, settings as WrittenChannel)), // texts, all of them
  }),
  declareOperation({
    ...about,
    id: 'editChannel',
    route: 'PATCH /api/v1/channels/{channel}',
    command: 'channels edit',
    does: 'Edit a channel; keeps its secret, rules and pending messages',
    more: 'Waiting messages go to the new address with the same ids and bodies. A disabled channel becomes active again; a paused one stays paused. The secret and the rules do not change.',
    input: editedChannel,
    output: Channel,
    runsIn: 'server',
    run: async ({ ctx }, { channel = '', ...settings }: Settings) =>
      (await loadManagement()).editChannel(ctx, channel, settings),
  }),
  declareOperation({
    ...about,
    id: 'rotateChannelSecret',
    route: 'POST /api/v1/channels/{channel}/rotate',
    command: 'channels rotate',
    does: 'Rotate the signing secret, shown once; the old one also signs for 24 hours',
    more: 'Only this reply contains the new secret. For 24 hours messages carry signatures of both secrets, so that receivers can switch without losing messages.',
    input: namedChannel,
    output: ChannelWithSecret,
    once: 'secret',
    idempotent: true,
    runsIn: 'server',
    run: async ({ ctx }, { channel }) => flatten(await (await loadManagement()).rotateSecret(ctx, channel)),
  }),
  declareOperation({
    ...about,
    id: 'listChannels',
    route: 'GET /api/v1/channels',
    command: 'channels list',
    scope: 'read',
    does: 'List channels',
    more: 'Ordered by slug, with state and the number of waiting and dead messages. Of a URL only the host is shown, as it may contain a secret.',
    input: z.strictObject({}),
    output: Channel,
    list: { cursor: channelSlug, key: ({ slug }: { slug: string }) => slug },
    run: ({ ctx, page: { limit, after } }) =>
      readChannels(ctx.db, { after: after as string | undefined, limit }), // as `list` declares it
  }),
  declareOperation({
    ...about,
    id: 'getChannel',
    route: 'GET /api/v1/channels/{channel}',
    command: 'channels show',
    scope: 'read',
    does: 'Show a channel and its state',
    more: 'Settings, state, consecutive failures, end of its pause after failures, and time of the last delivery. Of a URL only the host is shown, and nothing of a secret.',
    input: namedChannel,
    output: ChannelWhole,
    run: async ({ ctx }, { channel }) => {
      const { findChannelRow, findShownSettings } = await loadManagement();
      const row = await findChannelRow(ctx, channel);
      const settings = await findShownSettings(ctx, channel);
      return { ...row, settings: settings.map(({ name, label, shown }) => ({ name, label, shown })) };
    },
  }),
  declareOperation({
    ...about,
    id: 'testChannel',
    route: 'POST /api/v1/channels/{channel}/test',
    command: 'channels test',
    does: 'Send a test message now and show the response',
    more: 'Sends one message of type `strandline.test` immediately, even if the channel is paused, and does not retry it. `taken` is true if the receiver replied 2xx.',
    input: namedChannel,
    output: ChannelTest,
    idempotent: true,
    runsIn: 'server',
    run: async ({ ctx, stopping }, { channel }) =>
      toChannelTest(await (await loadManagement()).testChannel(ctx, channel, stopping)),
  }),
  declareChange(
    'pause',
    'Pause a channel; messages wait',
    'Messages wait. Rules evaluate new discoveries when the channel is resumed.',
  ),
  declareChange(
    'resume',
    'Resume a channel, also a disabled one',
    'Also reactivates a channel that was disabled after failures. Sends waiting messages and what was found in the meantime; with `skip`, the latter is never sent.',
  ),
  declareChange(
    'remove',
    'Remove a channel and cancel its pending messages',
    'Deletes its secrets and cancels messages that have not been sent. Past deliveries stay listed.',
  ),
];

function toChannelTest(attempt: DeliveryAttempt): z.infer<typeof ChannelTest> {
  if (attempt.kind === 'aborted')
    return {
      taken: false,
      http_status: null,
      code: 'internal',
      detail: 'the server is shutting down',
      answer: null,
    };
  const { httpStatus, answer } = attempt;
  if (attempt.kind === 'taken')
    return { taken: true, http_status: httpStatus, code: null, detail: null, answer };
  return {
    taken: false,
    http_status: httpStatus,
    code: attempt.code,
    detail: describeFailure(attempt),
    answer,
  };
}
