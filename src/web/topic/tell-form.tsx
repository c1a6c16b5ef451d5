/** One field to be told about a topic: the address is recognized, the rest is one choice. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatCount } from '../../lib/display-format.ts';
import { awaitMembers } from '../../lib/await-members.ts';
import {
  estimateWeek,
  NOTICE_KINDS,
  type NoticeKind,
  notifyAbout,
} from '../../monitor/alerts/notify-about.ts';
import { RECOGNIZED_ADDRESSES } from '../../monitor/alerts/recognize-address.ts';
import { type ChannelRow, readChannels } from '../../store/alerts/alert-queries.ts';
import type { ActingContext, Context } from '../../monitor/context.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { renderSecret } from '../alerts/channel-pages.tsx';
import { readPastedSettings } from '../alerts/pasted-address.ts';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { Button, Field, type FieldOption, Form } from '../components/form.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { Section } from '../components/section.tsx';
import { type FormOutcome, readField } from '../request-input.ts';

const MAX_CHANNELS = 50;

type TellChoices = {
  channels: readonly ChannelRow[];
  /** About how many messages a week, by kind; null: not known yet. */
  weekly: Record<NoticeKind, number | null>;
};

export async function readTellChoices(ctx: Context, topic: TopicRow, tz: string): Promise<TellChoices> {
  const estimate = (what: NoticeKind) => estimateWeek(ctx, { topic: topic.slug, what, tz }, topic.created_at);
  const { channels, digest, spikes } = await awaitMembers({
    channels: readChannels(ctx.db, { limit: MAX_CHANNELS }),
    digest: estimate('digest'),
    spikes: estimate('spikes'),
  });
  return { channels, weekly: { digest, spikes } };
}

/** Creates what the form describes. @throws InvalidInput, Refused */
export async function saveTell(
  acting: ActingContext,
  request: FastifyRequest<{ Body: Record<string, string | string[]> }>,
  reply: FastifyReply,
  topic: string,
): Promise<FastifyReply> {
  const values = request.body;
  const what = NOTICE_KINDS.find((kind) => kind === readField(values, 'what')) ?? 'digest';
  const channel = readField(values, 'channel');
  const notice = { topic, what, tz: request.frame.zone };
  const { created } = await notifyAbout(
    acting,
    notice,
    channel === undefined
      ? { settings: readPastedSettings(readField(values, 'address') ?? '') }
      : { channel },
  );
  // A secret is shown once.
  if (created?.secret != null) return renderSecret(request, reply, created, 'Channel and rule created');
  return redirectWithFlash(reply, `/topics/${topic}`, 'told');
}

export function TellSection({
  topic,
  choices: { channels, weekly },
  values,
  problems,
}: { topic: string; choices: TellChoices } & FormOutcome) {
  const known: FieldOption[] = channels.map(({ slug, kind }) => [slug, `${slug} (${kind})`]);
  return (
    <IfAllowed scope="admin">
      <Section title="Tell me" id="tell">
        <Form
          action={`/topics/${topic}/tell`}
          values={values}
          problems={problems}
          label="Tell me"
          labels={{ address: 'Where to send', channel: 'Channel', what: 'What' }}
        >
          <Field
            name="address"
            label="Where to send"
            autocomplete="off"
            help={`Paste ${RECOGNIZED_ADDRESSES}.`}
          />
          {known.length === 0 ? null : (
            <Field name="channel" label="Or a channel" kind="select" options={[['', 'none'], ...known]} />
          )}
          <Field
            name="what"
            label="What"
            kind="select"
            value="digest"
            options={[
              ['digest', `A digest every morning at 8:00: ${describeWeek(weekly.digest)}`],
              ['spikes', `Spikes only: ${describeWeek(weekly.spikes)}`],
            ]}
          />
          <div class="buttons">
            <Button words="Tell me" />
            <a href={`/alerts/rules/new?topic=${topic}`}>More settings</a>
          </div>
        </Form>
      </Section>
    </IfAllowed>
  );
}

function describeWeek(messages: number | null): string {
  return messages === null
    ? 'how many a week is known after a day'
    : `about ${formatCount(messages, 'message')} a week`;
}
