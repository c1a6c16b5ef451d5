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
import { channelSlug, editedChannel, flagParam, newChannel } from './request-shapes.ts';
import { createCursor, defineListQuery, defineListReply, emptyQuery } from './pagination.ts';
import { defineRowWith } from './reply-shapes.ts';
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
    .describe(
      'What messages are signed with, shown this once; null in a reply that is replayed, and where its kind has none.',
    ),
});

const ChannelTest = z
  .object({
    taken: z.boolean().describe('Whether the receiver took the message.'),
    http_status: z.int().nullable().describe('Status of its answer; null when there was none.'),
    code: z.enum(DELIVERY_CODE_NAMES).nullable().describe('Why it failed; null where it was taken.'),
    detail: z.string().nullable().describe('More on that, in words.'),
    answer: z.string().nullable().describe('The beginning of what it answered, on one line.'),
  })
  .meta({ id: 'ChannelTest' });

export function channelRoutes(app: App, routeContext: RouteContext): void {
  readRoutes(app, routeContext);
  secretRoutes(app, routeContext);
  changeRoutes(app, routeContext);
}

function readRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/channels',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listChannels',
        summary: 'Channels, by slug; without addresses and secrets',
        description:
          'Each with its state and how many messages wait or are dead. An address may be a secret, so only its host is shown.',
        tags,
        querystring: defineListQuery(cursor, {}),
        response: { 200: defineListReply(Channel) },
      },
    },
    async ({ query }) => {
      const { limit, after, reply } = cursor.pageOf(query);
      const rows = await readChannels(ctx.db, { after, limit: limit + 1 });
      return reply(rows, ({ slug }) => slug);
    },
  );

  app.get(
    '/api/v1/channels/:channel',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getChannel',
        summary: 'A channel; without address and secret',
        description:
          'Its state, failures in a row, until when it rests, and when it last delivered. Of its address only the host is shown.',
        tags,
        params,
        querystring: emptyQuery,
        response: { 200: Channel },
      },
    },
    ({ params: { channel } }) => findChannelRow(ctx, channel),
  );
}

/** Who makes a channel decides where what was found goes, and gets to know its secret. */
function secretRoutes(app: App, { ctx }: RouteContext): void {
  app.post(
    '/api/v1/channels',
    {
      config: { scope: 'admin', idempotent: { secret: 'secret' }, sends: ['Location'] },
      schema: {
        operationId: 'createChannel',
        summary: 'Make a channel, such as one that sends webhooks; its secret is told this once',
        description:
          'Messages are signed with its secret, which only this reply contains. The address must be public, unless `WEBHOOK_ALLOW` names it.',
        tags,
        querystring: emptyQuery,
        body: newChannel,
        response: { 201: ChannelWithSecret },
      },
    },
    async ({ body, acting }, reply) => {
      const { channel, secret } = await createChannel(acting, body);
      return reply
        .code(201)
        .header('location', `/api/v1/channels/${channel.slug}`)
        .header('cache-control', 'no-store')
        .send({ ...channel, secret });
    },
  );

  app.patch(
    '/api/v1/channels/:channel',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'editChannel',
        summary: 'Send to another address; its secret, rules and waiting messages stay',
        description:
          'What waits goes to the new address, with the same ids and bodies. A channel that was disabled is tried again; one ' +
          'that is paused stays paused.',
        tags,
        params,
        querystring: emptyQuery,
        body: editedChannel,
        response: { 200: Channel },
      },
    },
    ({ params: { channel }, body, acting }) => editChannel(acting, channel, body),
  );

  app.post(
    '/api/v1/channels/:channel/rotate',
    {
      config: { scope: 'admin', idempotent: { secret: 'secret' } },
      schema: {
        operationId: 'rotateChannelSecret',
        summary: 'Give a channel a new secret; for a day the one before signs, too',
        description:
          'For 24 hours messages carry signatures of both secrets, so that a receiver can change over without losing one. The new secret is only in this reply.',
        tags,
        params,
        querystring: emptyQuery,
        response: { 200: ChannelWithSecret },
      },
    },
    async ({ params: { channel: slug }, acting }, reply) => {
      const { channel, secret } = await rotateSecret(acting, slug);
      return reply.header('cache-control', 'no-store').send({ ...channel, secret });
    },
  );

  app.post(
    '/api/v1/channels/:channel/test',
    {
      config: { scope: 'admin', idempotent: true },
      schema: {
        operationId: 'testChannel',
        summary: 'Send one message of the type strandline.test right now, and say what came back',
        description:
          'The message is sent at once, also while the channel is paused, and is not retried. `taken` says whether the receiver answered 2xx.',
        tags,
        params,
        querystring: emptyQuery,
        response: { 200: ChannelTest },
      },
    },
    async ({ params: { channel } }) => toChannelTest(await testChannel(ctx, channel)),
  );
}

function changeRoutes(app: App, { ctx }: RouteContext): void {
  const apply = async (acting: ActingContext, { channel }: z.output<typeof params>, change: StateChange) => {
    const removed =
      change === 'remove' ? { ...(await findChannelRow(ctx, channel)), archived_at: ctx.clock.now() } : null;
    await changeChannel(acting, channel, change);
    return removed ?? findChannelRow(ctx, channel);
  };
  // Resuming has an option of its own, below.
  addStateRoutes(
    app,
    { path: '/api/v1/channels/:channel', params, tags, reply: Channel, apply },
    {
      pause: {
        operationId: 'pauseChannel',
        summary: 'Send nothing; what is found waits',
        description: 'Messages wait, and discoveries are judged when it is resumed.',
      },
      remove: {
        operationId: 'removeChannel',
        summary: 'Remove a channel and its secrets; what was not sent yet is cancelled',
        description:
          'Its secrets are deleted and messages that were not sent yet are cancelled; deliveries that were made stay listed.',
      },
    },
  );

  app.post(
    '/api/v1/channels/:channel/resume',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'resumeChannel',
        summary: 'Go on sending, also after it was disabled; what was found meanwhile is told',
        description:
          'Also after it was disabled for failing. With `skip`, what was found meanwhile is never sent.',
        tags,
        params,
        querystring: z.strictObject({
          skip: flagParam.optional().describe('Leaves out what was found meanwhile.'),
        }),
        response: { 200: Channel },
      },
    },
    async ({ params: { channel }, query: { skip }, acting }) => {
      await changeChannel(acting, channel, 'resume', { skip });
      return findChannelRow(ctx, channel);
    },
  );
}

function toChannelTest(attempt: DeliveryAttempt): z.infer<typeof ChannelTest> {
  if (attempt.kind === 'aborted')
    return { taken: false, http_status: null, code: 'internal', detail: 'the process stops', answer: null };
  const { httpStatus, answer } = attempt;
  if (attempt.kind === 'taken')
    return { taken: true, http_status: httpStatus, code: null, detail: null, answer };
  const { code, detail, meaning } = attempt;
  return { taken: false, http_status: httpStatus, code, detail: detail ?? meaning, answer };
}
