/** What can be done with a channel: its buttons, its address, its secret. */
import type { Problem } from '../../domain/errors.ts';
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

export function AddressForm({
  channel: { slug },
  given,
  problems,
}: {
  channel: ChannelRow;
  given?: FormValues;
  problems?: readonly Problem[];
}) {
  return (
    <Section
      title="Address"
      note="Its secret and its rules stay. What waits is sent to the new address, and a channel that was disabled is tried again."
    >
      <Form
        action={`/alerts/channels/${slug}/edit`}
        given={given}
        problems={problems}
        label="Another address"
        labels={{ webhook: 'New address of the webhook' }}
      >
        <Field
          name="webhook"
          label="New address of the webhook"
          kind="url"
          placeholder="https://hooks.example/strandline"
          autocomplete="off"
        />
        <div class="buttons">
          <Button words="Save" />
        </div>
      </Form>
    </Section>
  );
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
