import { z } from 'zod';
import type { DeliveryAttempt } from '../monitor/alerts/channel-secrets.ts';
import { CHANNEL_KINDS } from '../monitor/alerts/channels/channel-kinds.ts';
import type { ActingContext } from '../monitor/context.ts';
import {
  changeChannel,
  findChannelRow,
  createChannel,
  editChannel,
  rotateSecret,
  testChannel,
} from '../monitor/alerts/manage-channels.ts';
import { DELIVERY_CODE_NAMES } from '../store/alerts/delivery-rows.ts';
import { readChannels } from '../store/alerts/alert-queries.ts';
import type { StateChange } from '../store/topics.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { operation } from './operation.ts';
import { editedChannel, flagParam, newChannel } from './request-shapes.ts';
import { channelSlug } from '../model/value-shapes.ts';
import { createCursor } from '../monitor/http/cursors.ts';
import { defineListQuery, defineListReply } from './pagination.ts';
import { defineRowWith } from '../store/row-shapes.ts';
import { addStateRoutes } from './state-routes.ts';

const tags = ['alerts'];
const params = z.strictObject({ channel: channelSlug });
const cursor = createCursor('channels', channelSlug);
const kind = z.enum(Object.keys(CHANNEL_KINDS));
const Channel = defineRowWith('Channel', 'channels', { kind });
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

export function channelRoutes(app: App, routeContext: RouteContext): void {
  readRoutes(app, routeContext);
  secretRoutes(app, routeContext);
  changeRoutes(app);
}

function readRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/channels',
    operation({
      scope: 'read',
      operationId: 'listChannels',
      summary: 'List channels',
      description:
        'Ordered by slug, with state and the number of waiting and dead messages. Of a URL only the host is shown, as it may contain a secret.',
      tags,
      querystring: defineListQuery(cursor, {}),
      response: { 200: defineListReply(Channel) },
    }),
    async ({ query }) => {
      const { limit, after, reply } = cursor.pageOf(query);
      const rows = await readChannels(ctx.db, { after, limit });
      return reply(rows, ({ slug }) => slug);
    },
  );

  app.get(
    '/api/v1/channels/:channel',
    operation({
      scope: 'read',
      operationId: 'getChannel',
      summary: 'Get a channel',
      description:
        'State, consecutive failures, end of its pause after failures, and time of the last delivery. Of a URL only the host is shown.',
      tags,
      params,
      response: { 200: Channel },
    }),
    ({ params: { channel } }) => findChannelRow(ctx, channel),
  );
}

/** These need `admin`: they decide where results are sent, and show secrets. */
function secretRoutes(app: App, { ctx }: RouteContext): void {
  app.post(
    '/api/v1/channels',
    operation({
      scope: 'admin',
      idempotent: { secret: 'secret' },
      sends: ['Location'],
      operationId: 'createChannel',
      summary: 'Create a channel',
      description:
        'Messages are signed with the secret, which only this reply contains. The address must be public, unless `CHANNELS_ALLOW` names it.',
      tags,
      body: newChannel,
      response: { 201: CreatedChannel },
    }),
    async ({ body, acting }, reply) => {
      const { channel, ...created } = await createChannel(acting, body);
      return reply
        .code(201)
        .header('location', `/api/v1/channels/${channel.slug}`)
        .header('cache-control', 'no-store')
        .send({ ...channel, ...created });
    },
  );

  app.patch(
    '/api/v1/channels/:channel',
    operation({
      scope: 'admin',
      operationId: 'editChannel',
      summary: 'Edit a channel',
      description:
        'Waiting messages go to the new address with the same ids and bodies. A disabled channel becomes active again; a ' +
        'paused one stays paused. The secret and the rules do not change.',
      tags,
      params,
      body: editedChannel,
      response: { 200: Channel },
    }),
    ({ params: { channel }, body, acting }) => editChannel(acting, channel, body),
  );

  app.post(
    '/api/v1/channels/:channel/rotate',
    operation({
      scope: 'admin',
      idempotent: { secret: 'secret' },
      operationId: 'rotateChannelSecret',
      summary: 'Rotate the secret of a channel',
      description:
        'Only this reply contains the new secret. For 24 hours messages carry signatures of both secrets, so that receivers can switch without losing messages.',
      tags,
      params,
      response: { 200: ChannelWithSecret },
    }),
    async ({ params: { channel: slug }, acting }, reply) => {
      const { channel, secret } = await rotateSecret(acting, slug);
      return reply.header('cache-control', 'no-store').send({ ...channel, secret });
    },
  );

  app.post(
    '/api/v1/channels/:channel/test',
    operation({
      scope: 'admin',
      idempotent: true,
      operationId: 'testChannel',
      summary: 'Send a test message',
      description:
        'Sends one message of type `strandline.test` immediately, even if the channel is paused, and does not retry it. `taken` is true if the receiver replied 2xx.',
      tags,
      params,
      response: { 200: ChannelTest },
    }),
    async ({ params: { channel } }) => toChannelTest(await testChannel(ctx, channel)),
  );
}

function changeRoutes(app: App): void {
  const apply = (acting: ActingContext, { channel }: z.output<typeof params>, change: StateChange) =>
    changeChannel(acting, channel, change);
  // Resume has an option and is a route of its own, below.
  addStateRoutes(
    app,
    { path: '/api/v1/channels/:channel', params, tags, reply: Channel, apply },
    {
      pause: {
        operationId: 'pauseChannel',
        summary: 'Pause a channel',
        description: 'Messages wait. Rules evaluate new discoveries when the channel is resumed.',
      },
      remove: {
        operationId: 'removeChannel',
        summary: 'Remove a channel',
        description:
          'Deletes its secrets and cancels messages that have not been sent. Past deliveries stay listed.',
      },
    },
  );

  app.post(
    '/api/v1/channels/:channel/resume',
    operation({
      scope: 'write',
      operationId: 'resumeChannel',
      summary: 'Resume a channel',
      description:
        'Also reactivates a channel that was disabled after failures. Sends waiting messages and what was found in the meantime; with `skip`, the latter is never sent.',
      tags,
      params,
      querystring: z.strictObject({
        skip: flagParam.optional().describe('Skip discoveries made in the meantime.'),
      }),
      response: { 200: Channel },
    }),
    ({ params: { channel }, query: { skip }, acting }) => changeChannel(acting, channel, 'resume', { skip }),
  );
}

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
  const { code, detail, meaning } = attempt;
  return { taken: false, http_status: httpStatus, code, detail: detail ?? meaning, answer };
}
