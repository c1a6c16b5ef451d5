/** What can be done with a channel: its buttons, its settings, its secret. */
import type { Problem } from '../../domain/errors.ts';
import type { ChannelKind } from '../../monitor/alerts/channels/channel-kind.ts';
import type { ChannelRow } from '../../store/alerts/alert-queries.ts';
import { ActionButton, Button, Field, Form, type FormValues } from '../components/form.tsx';
import { Section } from '../components/section.tsx';

export function ChannelButtons({ channel: { slug, state } }: { channel: ChannelRow }) {
  return (
    <div class="buttons">
      <ActionButton action={`/alerts/channels/${slug}/test`} words="Send a test" icon="run" />
      {state === 'active' ? (
        <ActionButton action={`/alerts/channels/${slug}/pause`} words="Pause" icon="pause" />
      ) : (
        <>
          <ActionButton action={`/alerts/channels/${slug}/resume`} words="Resume" icon="play" />
          <ActionButton
            action={`/alerts/channels/${slug}/resume`}
            words="Resume without what waited"
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
      <ActionButton action={`/alerts/channels/${slug}/resend`} words="Send again what was given up" />
    </p>
  );
}

/** A field for each setting. */
export function SettingFields({ kind }: { kind: ChannelKind }) {
  return (
    <>
      {Object.entries(kind.settings).map(([name, { label, help, input, example, secret }]) => (
        <Field
          name={name}
          label={label}
          kind={secret ? 'password' : input}
          autocomplete="off"
          {...(secret ? {} : { placeholder: example })}
          {...(help === undefined ? {} : { help })}
        />
      ))}
    </>
  );
}

export function SettingsForm({
  channel: { slug },
  kind,
  given,
  problems,
}: {
  channel: ChannelRow;
  kind: ChannelKind;
  given?: FormValues;
  problems?: readonly Problem[];
}) {
  return (
    <Section
      title={kind.words.target}
      note="Its secret and its rules stay. What waits is sent to the new address, and a channel that was disabled is tried again."
    >
      <Form
        action={`/alerts/channels/${slug}/edit`}
        given={given}
        problems={problems}
        label="Another address"
        labels={labelSettings(kind)}
      >
        <SettingFields kind={kind} />
        <div class="buttons">
          <Button words="Save" />
        </div>
      </Form>
    </Section>
  );
}

/** What a form calls the settings of a kind, by their names. */
export function labelSettings({ settings }: ChannelKind): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, { label }]) => [name, label]));
}

export function SecretSection({ channel: { slug } }: { channel: ChannelRow }) {
  return (
    <Section
      title="Secret"
      note="A new secret is shown once. For a day messages are signed with the one before, too, so that the receiver can change over."
    >
      <ActionButton action={`/alerts/channels/${slug}/secret`} words="Make a new secret" />
    </Section>
  );
}
