/** Actions on a channel: buttons, settings, secret. */
import type { ChannelKind } from '../../monitor/alerts/channels/channel-kind.ts';
import { RECOGNIZED_ADDRESSES } from '../../monitor/alerts/recognize-address.ts';
import type { ChannelRow } from '../../store/alerts/alert-queries.ts';
import { ActionButton, Field, Form } from '../components/form.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { Section } from '../components/section.tsx';
import type { ComponentChildren, ComponentProps } from 'preact';

export function ChannelButtons({ channel: { slug, state } }: { channel: ChannelRow }) {
  return (
    <div class="buttons">
      <IfAllowed scope="admin">
        <ActionButton action={`/alerts/channels/${slug}/test`} words="Send a test message" icon="run" />
      </IfAllowed>
      {state === 'active' ? (
        <ActionButton action={`/alerts/channels/${slug}/pause`} words="Pause" icon="pause" />
      ) : (
        <>
          <ActionButton action={`/alerts/channels/${slug}/resume`} words="Resume" icon="play" />
          <ActionButton
            action={`/alerts/channels/${slug}/resume`}
            words="Resume and skip what was found meanwhile"
            fields={{ skip: 'yes' }}
          />
        </>
      )}
      <a href={`/alerts/channels/${slug}/remove`}>Remove</a>
    </div>
  );
}

export function ResendButton({ channel: { slug, dead } }: { channel: ChannelRow }) {
  if (dead === 0) return null;
  return (
    <p>
      <ActionButton action={`/alerts/channels/${slug}/resend`} words="Resend failed messages" />
    </p>
  );
}

/** A form with a field per setting of a kind, between `before` and the children. */
export function SettingsForm({
  kind,
  before,
  children,
  ...form
}: Pick<ComponentProps<typeof Form>, 'action' | 'values' | 'problems' | 'label' | 'children'> & {
  kind: ChannelKind;
  before?: ComponentChildren;
}) {
  const settings = Object.entries(kind.settings);
  const labels = {
    slug: 'Short name',
    address: 'Where to send',
    ...Object.fromEntries(settings.map(([name, { label }]) => [name, label])),
  };
  return (
    <Form {...form} labels={labels}>
      {before}
      {settings.map(([name, { label, help, input, example, secret }]) => (
        <Field
          name={name}
          label={label}
          kind={secret ? 'password' : input}
          autocomplete="off"
          {...(secret ? {} : { placeholder: example })}
          {...(help === undefined ? {} : { help })}
        />
      ))}
      <div class="buttons">{children}</div>
    </Form>
  );
}

/** One field for what people paste: its kind is recognized. It is not sent back after a problem, because it may be a secret. */
export function AddressField() {
  return (
    <Field
      name="address"
      label="Where to send"
      help={`Paste ${RECOGNIZED_ADDRESSES}. For Telegram: the bot token, a space, and the chat id. Or fill in the fields below.`}
      autocomplete="off"
    />
  );
}

export function SecretSection({ channel: { slug } }: { channel: ChannelRow }) {
  return (
    <Section
      title="Secret"
      note="The new secret is shown once. For a day, messages are signed with both secrets, so that the receiver can switch."
    >
      <ActionButton action={`/alerts/channels/${slug}/secret`} words="Rotate the secret" />
    </Section>
  );
}
