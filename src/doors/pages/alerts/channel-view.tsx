import type { ChannelRow } from '../../../store/tell/reads.ts';
import { Badge } from '../kit/badge.tsx';
import { Outside } from '../kit/outside.tsx';
import { When } from '../kit/when.tsx';

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

export function ChannelFacts({ channel }: { channel: ChannelRow }) {
  const { slug, host, state_reason, state_since, rules, waiting, dead, failures } = channel;
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <ChannelState channel={channel} /> since <When at={state_since} />
        {state_reason === null ? null : (
          <>
            : <Outside text={state_reason} />
          </>
        )}
      </dd>
      <dt>Sends to</dt>
      <dd>
        <Outside text={host} /> (the rest of the address is not shown)
      </dd>
      <dt>Told by</dt>
      <dd>{rules === 1 ? '1 rule' : `${rules} rules`}</dd>
      <dt>Last delivered</dt>
      <dd>
        <When at={channel.last_delivered_at} />
      </dd>
      <dt>Waiting</dt>
      <dd>
        <a href={`/alerts/deliveries?channel=${slug}&state=pending`}>{waiting}</a>
        {channel.resting_until === null ? null : (
          <>
            , at rest until <When at={channel.resting_until} exact />
          </>
        )}
      </dd>
      <dt>Given up</dt>
      <dd>
        <a href={`/alerts/deliveries?channel=${slug}&state=dead`}>{dead}</a>
      </dd>
      {failures === 0 ? null : (
        <>
          <dt>Failing</dt>
          <dd>
            {failures} times in a row, since <When at={channel.failing_since} />
          </dd>
        </>
      )}
      {channel.rotating_until === null ? null : (
        <>
          <dt>The secret before</dt>
          <dd>
            still signs, until <When at={channel.rotating_until} exact />
          </dd>
        </>
      )}
    </dl>
  );
}
