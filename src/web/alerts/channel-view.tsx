import type { DeliveryAttempt } from '../../monitor/alerts/channel-secrets.ts';
import type { ShownSetting } from '../../monitor/alerts/channel-settings.ts';
import type { ChannelRow } from '../../store/alerts/alert-queries.ts';
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
    <>
      <a href="/alerts">Alerts</a> / <a href={`/alerts/channels/${slug}`}>{slug}</a>
    </>
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
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <ChannelState channel={channel} /> since <Timestamp at={state_since} />
        {state_reason === null ? null : (
          <>
            : <UntrustedText text={state_reason} />
          </>
        )}
      </dd>
      <dt>Sends to</dt>
      <dd>
        <UntrustedText text={host} />
        {settings[0]?.isPart === true ? ' (the rest of the address is hidden)' : null}
      </dd>
      {settings.slice(1).map(({ label, shown }) => (
        <>
          <dt>{label}</dt>
          <dd>
            <UntrustedText text={shown} />
          </dd>
        </>
      ))}
      <dt>Used by</dt>
      <dd>{formatCount(rules, 'rule')}</dd>
      <dt>Last delivered</dt>
      <dd>
        <Timestamp at={channel.last_delivered_at} />
      </dd>
      <dt>Waiting</dt>
      <dd>
        <a href={`/alerts/deliveries?channel=${slug}&state=pending`}>
          <Count of={waiting} />
        </a>
        {channel.resting_until === null ? null : (
          <>
            , next attempt after <Timestamp at={channel.resting_until} exact />
          </>
        )}
      </dd>
      <dt>Failed</dt>
      <dd>
        <a href={`/alerts/deliveries?channel=${slug}&state=dead`}>
          <Count of={dead} />
        </a>
      </dd>
      {failures === 0 ? null : (
        <>
          <dt>Failing</dt>
          <dd>
            {formatCount(failures, 'time')} in a row, since <Timestamp at={channel.failing_since} />
          </dd>
        </>
      )}
      {channel.rotating_until === null ? null : (
        <>
          <dt>Previous secret</dt>
          <dd>
            also signs until <Timestamp at={channel.rotating_until} exact />
          </dd>
        </>
      )}
    </dl>
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
