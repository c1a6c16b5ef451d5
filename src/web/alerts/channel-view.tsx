import type { DeliveryAttempt } from '../../monitor/alerts/channel-secrets.ts';
import type { ShownSetting } from '../../monitor/alerts/channel-settings.ts';
import type { ChannelRow } from '../../store/alerts/alert-queries.ts';
import { Crumbs } from '../components/section.tsx';
import { Facts } from '../components/fact-list.tsx';
import { Badge } from '../components/icons.tsx';
import { Count, formatCount } from '../components/numbers.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

export function ChannelState({ channel: { state, state_reason: why } }: { channel: ChannelRow }) {
  return state === 'disabled' ? (
    <Badge state="broken" words="disabled" why={why} />
  ) : (
    <Badge state={state} why={why} />
  );
}

export function ChannelPath({ channel: { slug } }: { channel: ChannelRow }) {
  return (
    <Crumbs
      path={[
        ['Alerts', '/alerts'],
        [slug, `/alerts/channels/${slug}`],
      ]}
    />
  );
}

export function ChannelFacts({
  channel,
  settings,
}: {
  channel: ChannelRow;
  settings: readonly ShownSetting[];
}) {
  const { slug, host, state_reason, state_since, rules, waiting, dead, failures } = channel;
  return (
    <Facts
      label="Channel"
      facts={[
        [
          'State',
          <>
            <ChannelState channel={channel} /> since <Timestamp at={state_since} />
            {state_reason === null ? null : ': '}
            {state_reason === null ? null : <UntrustedText text={state_reason} />}
          </>,
        ],
        [
          'Sends to',
          <>
            <UntrustedText text={host} />
            {settings[0]?.isPart === true ? ' (the rest of the address is hidden)' : null}
          </>,
        ],
        ...settings.slice(1).map(({ label, shown }) => [label, <UntrustedText text={shown} />] as const),
        ['Used by', formatCount(rules, 'rule')],
        ['Last delivered', <Timestamp at={channel.last_delivered_at} />],
        [
          'Waiting',
          <>
            <a href={`/alerts/deliveries?channel=${slug}&state=pending`}>
              <Count of={waiting} />
            </a>
            {channel.resting_until === null ? null : ', next attempt after '}
            {channel.resting_until === null ? null : <Timestamp at={channel.resting_until} exact />}
          </>,
        ],
        [
          'Failed',
          <a href={`/alerts/deliveries?channel=${slug}&state=dead`}>
            <Count of={dead} />
          </a>,
        ],
        [
          'Failing',
          failures === 0 ? null : (
            <>
              {formatCount(failures, 'time')} in a row, since <Timestamp at={channel.failing_since} />
            </>
          ),
        ],
        [
          'Previous secret',
          channel.rotating_until === null ? null : (
            <>
              also signs until <Timestamp at={channel.rotating_until} exact />
            </>
          ),
        ],
      ]}
    />
  );
}

/** The outcome of one delivery attempt. */
export function AttemptView({ attempt }: { attempt: DeliveryAttempt }) {
  if (attempt.kind === 'aborted')
    return <p class="wrong">The request was aborted before a result arrived.</p>;
  const { answer, httpStatus } = attempt;
  return (
    <>
      {attempt.kind === 'taken' ? (
        <p>Delivered{httpStatus === null ? '' : ` (HTTP ${httpStatus})`}.</p>
      ) : (
        <p class="wrong">
          Rejected: {attempt.meaning}
          {httpStatus === null ? '' : ` (HTTP ${httpStatus})`}
          {attempt.detail === null ? '' : `; ${attempt.detail}`}.
        </p>
      )}
      {answer === null || answer === '' ? null : (
        <p class="why">
          Response: <UntrustedText text={answer} />
        </p>
      )}
    </>
  );
}
