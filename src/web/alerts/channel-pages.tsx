/** Channels: made, tested, moved, given a new secret, paused, removed. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput, type Problem, Refused } from '../../domain/errors.ts';
import {
  changeChannel,
  type ChannelChange,
  findChannelRow,
  createChannel,
  editChannel,
  rotateSecret,
  testChannel,
  type ChannelWithSecret,
} from '../../monitor/alerts/manage-channels.ts';
import { resendMessages } from '../../monitor/alerts/resend.ts';
import type { ChannelRow } from '../../store/alerts/alert-queries.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { abortOnClose } from '../../platform/http/raw-reply.ts';
import { formBody, readField, slugParams, isChecked } from '../request-input.ts';
import { type FlashCode, redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, Form, type FormValues } from '../components/form.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { Section } from '../components/section.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { AddressForm, ChannelButtons, ResendButton, SecretSection } from './channel-forms.tsx';
import { AttemptView, ChannelFacts, ChannelPath } from './channel-view.tsx';

/** Pages that hold a secret are kept nowhere. */
const preventCaching = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.header('cache-control', 'no-store');
};

const CHANNEL_CHANGES = [
  ['pause', 'channel_paused'],
  ['resume', 'channel_resumed'],
  ['remove', 'channel_removed'],
] as const satisfies readonly (readonly [ChannelChange, FlashCode])[];

export function addChannelPages(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };

  app.get('/alerts/channels/new', { config: { scope: 'admin' } }, async (request, reply) =>
    renderNewChannel(request, reply),
  );

  app.post(
    '/alerts/channels',
    { schema: { body: formBody }, config: { scope: 'admin' }, onSend: preventCaching },
    async (request, reply) => {
      const given = request.body;
      try {
        const written = { slug: readField(given, 'slug') ?? '', webhook: readField(given, 'webhook') ?? '' };
        return renderSecret(
          request,
          reply,
          await createChannel(request.acting, written),
          'The channel is there',
        );
      } catch (error) {
        return renderNewChannel(request, reply, given, toFieldProblems(error, given));
      }
    },
  );

  app.get('/alerts/channels/:slug', { schema, config: { scope: 'read' } }, async (request, reply) =>
    renderChannel(request, reply, await findChannelRow(ctx, request.params.slug)),
  );

  app.post('/alerts/channels/:slug/test', { schema, config: { scope: 'write' } }, async (request, reply) => {
    const channel = await findChannelRow(ctx, request.params.slug);
    const attempt = await testChannel(ctx, channel.slug, abortOnClose(reply));
    return renderPage(request, reply, {
      title: `Test of ${channel.slug}`,
      here: '/alerts',
      above: <ChannelPath channel={channel} />,
      body: (
        <Section
          title="What came back"
          note="A message of the type strandline.test was sent, signed as all are."
        >
          <AttemptView attempt={attempt} />
          <div class="buttons">
            <ActionButton action={`/alerts/channels/${channel.slug}/test`} words="Test again" icon="run" />
            <a href={`/alerts/channels/${channel.slug}`}>To the channel</a>
          </div>
        </Section>
      ),
    });
  });

  app.post(
    '/alerts/channels/:slug/edit',
    { schema: { ...schema, body: formBody }, config: { scope: 'admin' } },
    async (request, reply) => {
      const { slug } = request.params;
      try {
        await editChannel(request.acting, slug, { webhook: readField(request.body, 'webhook') ?? '' });
        return redirectWithFlash(reply, `/alerts/channels/${slug}`, 'channel_moved');
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        const { problems } = error;
        return renderChannel(request, reply, await findChannelRow(ctx, slug), {
          given: request.body,
          problems,
        });
      }
    },
  );

  app.post(
    '/alerts/channels/:slug/secret',
    { schema, config: { scope: 'admin' }, onSend: preventCaching },
    async (request, reply) =>
      renderSecret(request, reply, await rotateSecret(request.acting, request.params.slug), 'A new secret'),
  );

  app.post(
    '/alerts/channels/:slug/resend',
    { schema, config: { scope: 'write' } },
    async (request, reply) => {
      const { slug } = request.params;
      const sent = await resendMessages(request.acting, { channel: slug });
      return redirectWithFlash(reply, `/alerts/channels/${slug}`, sent === 0 ? 'unchanged' : 'sent_again');
    },
  );

  for (const [change, code] of CHANNEL_CHANGES)
    app.post(
      `/alerts/channels/:slug/${change}`,
      { schema: { ...schema, body: formBody.optional() }, config: { scope: 'write' } },
      async (request, reply) => {
        const { slug } = request.params;
        await changeChannel(request.acting, slug, change, { skip: isChecked(request.body ?? {}, 'skip') });
        return redirectWithFlash(reply, change === 'remove' ? '/alerts' : `/alerts/channels/${slug}`, code);
      },
    );

  app.get('/alerts/channels/:slug/remove', { schema, config: { scope: 'write' } }, async (request, reply) => {
    const channel = await findChannelRow(ctx, request.params.slug);
    return renderPage(request, reply, {
      title: `Remove ${channel.slug}?`,
      here: '/alerts',
      above: <ChannelPath channel={channel} />,
      lead: `Its address and secret go, and what was not sent yet is cancelled (${channel.waiting} waiting). Rules that tell only this channel tell nobody any more. What was sent stays.`,
      body: (
        <div class="buttons">
          <ActionButton
            action={`/alerts/channels/${channel.slug}/remove`}
            words="Remove this channel"
            kind="danger"
          />
          <a href={`/alerts/channels/${channel.slug}`}>Keep it</a>
        </div>
      ),
    });
  });
}

/** @throws what is not about what was typed */
function toFieldProblems(error: unknown, given: FormValues): readonly Problem[] {
  if (error instanceof InvalidInput) return error.problems;
  if (error instanceof Refused && error.kind === 'conflict')
    return [{ path: 'slug', given: readField(given, 'slug'), expected: `another one: ${error.message}` }];
  throw error;
}

function renderChannel(
  request: FastifyRequest,
  reply: FastifyReply,
  channel: ChannelRow,
  sent: { given?: FormValues; problems?: readonly Problem[] } = {},
): FastifyReply {
  return renderPage(request, reply, {
    title: channel.slug,
    here: '/alerts',
    above: <a href="/alerts">Alerts</a>,
    status: sent.problems === undefined ? 200 : 400,
    aside: (
      <IfAllowed scope="write">
        <ChannelButtons channel={channel} />
      </IfAllowed>
    ),
    body: (
      <>
        <ChannelFacts channel={channel} />
        <IfAllowed scope="write">
          <ResendButton channel={channel} />
        </IfAllowed>
        <IfAllowed scope="admin">
          <AddressForm channel={channel} {...sent} />
          <SecretSection channel={channel} />
        </IfAllowed>
      </>
    ),
  });
}

function renderNewChannel(
  request: FastifyRequest,
  reply: FastifyReply,
  given?: FormValues,
  problems: readonly Problem[] = [],
): FastifyReply {
  return renderPage(request, reply, {
    title: 'New channel',
    here: '/alerts',
    above: <a href="/alerts">Alerts</a>,
    status: problems.length === 0 ? 200 : 400,
    lead: 'A channel sends signed messages (Standard Webhooks) to one address, each at least once.',
    body: (
      <Form action="/alerts/channels" given={given} problems={problems} label="New channel">
        <Field name="slug" label="Short name" placeholder="team-chat" autocomplete="off" />
        <Field
          name="webhook"
          label="Address of the webhook"
          kind="url"
          placeholder="https://hooks.example/strandline"
          autocomplete="off"
          help="It is kept like a secret: only its host is shown afterwards."
        />
        <div class="buttons">
          <Button words="Make the channel" kind="main" />
          <a href="/alerts">Leave it</a>
        </div>
      </Form>
    ),
  });
}

function renderSecret(
  request: FastifyRequest,
  reply: FastifyReply,
  { channel, secret }: ChannelWithSecret,
  title: string,
): FastifyReply {
  const until = channel.rotating_until;
  return renderPage(request, reply, {
    title,
    here: '/alerts',
    above: <ChannelPath channel={channel} />,
    body: (
      <>
        <p>Messages are signed with this secret. It is shown this once:</p>
        <p class="secret">
          <code>{secret}</code>
        </p>
        <p>
          The receiver checks the headers <code>webhook-id</code>, <code>webhook-timestamp</code> and{' '}
          <code>webhook-signature</code> with it; libraries for that are named Standard Webhooks.
          {until === null ? '' : ' For a day messages are signed with the secret before it, too.'}
        </p>
        <div class="buttons">
          <ActionButton
            action={`/alerts/channels/${channel.slug}/test`}
            words="Send a test message"
            icon="run"
          />
          <a href="/alerts/rules/new">Make a rule</a>
          <a href={`/alerts/channels/${channel.slug}`}>To the channel</a>
        </div>
      </>
    ),
  });
}
