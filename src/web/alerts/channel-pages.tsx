/** Channels: create, test, edit, rotate the secret, pause, remove. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput } from '../../model/errors.ts';
import {
  changeChannel,
  findChannelRow,
  findShownSettings,
  createChannel,
  editChannel,
  rotateSecret,
  testChannel,
  type ChannelWithSecret,
  type NewChannel,
  type WrittenChannel,
} from '../../monitor/alerts/manage-channels.ts';
import { pickKind, type WrittenSettings } from '../../monitor/alerts/channel-settings.ts';
import { CHANNEL_KINDS, requireKind } from '../../monitor/alerts/channels/channel-kinds.ts';
import { editedChannel, newChannel } from '../../monitor/alerts/channel-shapes.ts';
import type { Settings } from '../../monitor/alerts/channels/channel-kind.ts';
import { recognizeAddress } from '../../monitor/alerts/recognize-address.ts';
import { resendMessages } from '../../monitor/alerts/resend.ts';
import type { StateChange } from '../../store/topics/topics.ts';
import type { ChannelRow } from '../../store/alerts/alert-queries.ts';
import { decodeInput } from '../../monitor/http/request-problems.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { abortOnClose } from '../../platform/http/raw-reply.ts';
import {
  type FormOutcome,
  formBody,
  isChecked,
  readField,
  slugParams,
  toFormOutcome,
} from '../request-input.ts';
import { type FlashCode, redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, type FormValues } from '../components/form.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { Section } from '../components/section.tsx';
import { preventCaching, renderPage } from '../components/page-layout.tsx';
import { AddressField, ChannelButtons, ResendButton, SecretSection, SettingsForm } from './channel-forms.tsx';
import { AttemptView, ChannelFacts, ChannelPath } from './channel-view.tsx';
import { z } from 'zod';

const CHANNEL_CHANGES = [
  ['pause', 'channel_paused'],
  ['resume', 'channel_resumed'],
  ['remove', 'channel_removed'],
] as const satisfies readonly (readonly [StateChange, FlashCode])[];

export function addChannelPages(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };

  app.get(
    '/alerts/channels/new',
    { schema: { querystring: z.object({ kind: kindParam }) }, config: { scope: 'admin' } },
    async (request, reply) => renderNewChannel(request, reply, request.query.kind),
  );

  app.post(
    '/alerts/channels',
    { schema: { body: formBody }, config: { scope: 'admin' }, onSend: preventCaching },
    async (request, reply) => {
      const values = request.body;
      try {
        const written = { ...readNewSettings(values), slug: readField(values, 'slug') ?? '' };
        const settings = decodeInput(newChannel, written) as WrittenChannel; // texts, all of them
        const created = await createChannel(request.acting, settings);
        return renderSecret(request, reply, created, 'Channel created');
      } catch (error) {
        const { address: _secret, ...shown } = values;
        const address = readField(values, 'address');
        const kindName =
          address === undefined
            ? pickKind(readSettingFields(values)).kindName
            : recognizeAddress(address)?.kindName;
        return renderNewChannel(request, reply, kindName, toFormOutcome(error, shown));
      }
    },
  );

  app.get('/alerts/channels/:slug', { schema, config: { scope: 'read' } }, async (request, reply) =>
    renderChannel(ctx, request, reply),
  );

  // As in the API: the response of a receiver may reveal a network that others have no access to.
  app.post('/alerts/channels/:slug/test', { schema, config: { scope: 'admin' } }, async (request, reply) => {
    const channel = await findChannelRow(ctx, request.params.slug);
    const attempt = await testChannel(ctx, channel.slug, abortOnClose(reply));
    return renderPage(request, reply, {
      title: `Test of ${channel.slug}`,
      here: '/alerts',
      above: <ChannelPath channel={channel} />,
      body: (
        <Section
          title="Result"
          note={`Sent a ${isSigned(channel) ? 'signed ' : ''}message of type strandline.test.`}
        >
          <AttemptView attempt={attempt} />
          <div class="buttons">
            <ActionButton action={`/alerts/channels/${channel.slug}/test`} words="Test again" icon="run" />
            <a href={`/alerts/channels/${channel.slug}`}>Back to the channel</a>
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
        const written = { ...readSettingFields(request.body), channel: slug };
        const { channel = '', ...settings }: Settings = decodeInput(editedChannel, written) as Settings; // as above
        await editChannel(request.acting, channel, settings);
        return redirectWithFlash(reply, `/alerts/channels/${slug}`, 'channel_moved');
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        const { problems } = error;
        return renderChannel(ctx, request, reply, { values: request.body, problems, status: 400 });
      }
    },
  );

  app.post(
    '/alerts/channels/:slug/secret',
    { schema, config: { scope: 'admin' }, onSend: preventCaching },
    async (request, reply) =>
      renderSecret(request, reply, await rotateSecret(request.acting, request.params.slug), 'Secret rotated'),
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
      lead: `Deletes ${describeDeletion(channel)} and cancels messages not sent yet (${channel.waiting} waiting). Rules with no other channel will notify nobody. Past deliveries stay.`,
      body: (
        <div class="buttons">
          <ActionButton
            action={`/alerts/channels/${channel.slug}/remove`}
            words="Remove this channel"
            kind="danger"
          />
          <a href={`/alerts/channels/${channel.slug}`}>Cancel</a>
        </div>
      ),
    });
  });
}

const kindParam = z.enum(Object.keys(CHANNEL_KINDS)).optional();

function isSigned({ kind }: ChannelRow): boolean {
  return (CHANNEL_KINDS[kind]?.createSecret ?? null) !== null;
}

/** `its address and secret` */
function describeDeletion(channel: ChannelRow): string {
  const target = CHANNEL_KINDS[channel.kind]?.words.target.toLowerCase() ?? 'settings';
  return isSigned(channel) ? `its ${target} and secret` : 'its settings';
}

/** Settings among the fields of a form, including empty ones: their names identify the kind. */
function readSettingFields(values: FormValues): WrittenSettings {
  const names = Object.values(CHANNEL_KINDS).flatMap(({ settings }) => Object.keys(settings));
  const sent = names.filter((name) => values[name] !== undefined);
  return Object.fromEntries(sent.map((name) => [name, readField(values, name) ?? '']));
}

/** An address that is recognized and the fields that were filled in, or else all fields of a kind. */
function readNewSettings(values: FormValues): WrittenSettings {
  const address = readField(values, 'address');
  const settings = readSettingFields(values);
  if (address === undefined) return settings;
  return { ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== '')), address };
}

async function renderChannel(
  ctx: RouteContext['ctx'],
  request: FastifyRequest<{ Params: { slug: string } }>,
  reply: FastifyReply,
  { status = 200, ...sent }: FormOutcome = {},
): Promise<FastifyReply> {
  const channel = await findChannelRow(ctx, request.params.slug);
  const settings = await findShownSettings(ctx, channel.slug);
  const kind = CHANNEL_KINDS[channel.kind];
  return renderPage(request, reply, {
    title: channel.slug,
    here: '/alerts',
    above: <a href="/alerts">Alerts</a>,
    status,
    aside: (
      <IfAllowed scope="write">
        <ChannelButtons channel={channel} />
      </IfAllowed>
    ),
    body: (
      <>
        <ChannelFacts channel={channel} settings={settings} />
        <IfAllowed scope="write">
          <ResendButton channel={channel} />
        </IfAllowed>
        <IfAllowed scope="admin">
          {kind === undefined ? null : (
            <Section
              title={kind.words.target}
              note="The secret and the rules stay. Waiting messages go to the new address, and a disabled channel is tried again."
            >
              <SettingsForm
                action={`/alerts/channels/${channel.slug}/edit`}
                label="Change the address"
                kind={kind}
                {...sent}
              >
                <Button words="Save" />
              </SettingsForm>
            </Section>
          )}
          {isSigned(channel) ? <SecretSection channel={channel} /> : null}
        </IfAllowed>
      </>
    ),
  });
}

function renderNewChannel(
  request: FastifyRequest,
  reply: FastifyReply,
  chosen: string = Object.keys(CHANNEL_KINDS)[0] ?? '',
  { values, problems, status = 200 }: FormOutcome = {},
): FastifyReply {
  const kind = requireKind(chosen);
  const others = Object.entries(CHANNEL_KINDS).filter(([name]) => name !== chosen);
  return renderPage(request, reply, {
    title: 'New channel',
    here: '/alerts',
    above: <a href="/alerts">Alerts</a>,
    status,
    lead: kind.words.lead,
    aside: others.map(([name, { words }]) => <a href={`/alerts/channels/new?kind=${name}`}>{words.name}</a>),
    body: (
      <SettingsForm
        action="/alerts/channels"
        values={values}
        problems={problems}
        label="New channel"
        kind={kind}
        before={
          <>
            <Field name="slug" label="Short name" placeholder="team-chat" autocomplete="off" />
            <AddressField />
          </>
        }
      >
        <Button words="Create channel" kind="main" />
        <a href="/alerts">Cancel</a>
      </SettingsForm>
    ),
  });
}

/** A channel with its secret, which is shown once. */
export function renderSecret(
  request: FastifyRequest,
  reply: FastifyReply,
  { channel, secret, reports_problems: reportsProblems }: ChannelWithSecret & Partial<NewChannel>,
  title: string,
): FastifyReply {
  const until = channel.rotating_until;
  return renderPage(request, reply, {
    title,
    here: '/alerts',
    above: <ChannelPath channel={channel} />,
    body: (
      <>
        {secret === null ? null : (
          <>
            <p>Signing secret, shown once:</p>
            <p class="secret">
              <code>{secret}</code>
            </p>
            <p>
              {CHANNEL_KINDS[channel.kind]?.words.secret}
              {until === null ? '' : ' For a day, messages are also signed with the previous secret.'}
            </p>
          </>
        )}
        {reportsProblems === true ? (
          <p>
            <a href="/alerts/rules/system">Problems of strandline itself</a> are reported there.
          </p>
        ) : null}
        <div class="buttons">
          <ActionButton
            action={`/alerts/channels/${channel.slug}/test`}
            words="Send a test message"
            icon="run"
          />
          <a href="/alerts/rules/new">Create a rule</a>
          <a href={`/alerts/channels/${channel.slug}`}>Back to the channel</a>
        </div>
      </>
    ),
  });
}
