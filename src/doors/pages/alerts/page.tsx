/** Alerts: which rules tell what to whom, and how that goes. */
import type { Scope } from '../../../monitor/access/scopes.ts';
import { RULE_KINDS } from '../../../store/schema/analytics/tell.ts';
import {
  type ChannelRow,
  readChannels,
  readDeliveries,
  readRules,
  type RuleRow,
} from '../../../store/tell/reads.ts';
import type { App, WebHome } from '../../routes.ts';
import { Badge } from '../kit/badge.tsx';
import { Act } from '../kit/form.tsx';
import { May } from '../kit/may.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';
import { ChannelState } from './channel-view.tsx';
import { channelPages } from './channels.tsx';
import { deliveryPages } from './deliveries.tsx';
import { DeliveryTable } from './delivery-view.tsx';
import { cooldownOf } from './rule-form.tsx';
import { rulePages } from './rules.tsx';

const MOST = 500;
const LAST = 10;

export function alertPages(app: App, home: WebHome): void {
  const { db } = home.ctx;
  app.get('/alerts', { config: { scope: 'read' } }, async (request, reply) => {
    const [rules, channels, deliveries] = await Promise.all([
      readRules(db, { limit: MOST }),
      readChannels(db, { limit: MOST }),
      readDeliveries(db, { limit: LAST }),
    ]);
    return showPage(request, reply, {
      title: 'Alerts',
      here: '/alerts',
      lead: 'A rule says of what to tell, a channel whom. Each message is delivered at least once.',
      body: (
        <>
          <Rules rules={rules} channels={channels} />
          <Channels channels={channels} />
          <Section title="Last deliveries" aside={<a href="/alerts/deliveries">All deliveries</a>}>
            {deliveries.length === 0 ? (
              <Empty words="Nothing was told yet. When a rule finds something, its messages stand here." />
            ) : (
              <DeliveryTable rows={deliveries} />
            )}
          </Section>
        </>
      ),
    });
  });
  rulePages(app, home);
  channelPages(app, home);
  deliveryPages(app, home);
}

function Rules({ rules, channels }: { rules: readonly RuleRow[]; channels: readonly ChannelRow[] }) {
  if (rules.length === 0)
    return (
      <Section title="Rules">
        {channels.length === 0 ? (
          <Empty
            words="Nothing is told to anybody. It begins with a channel: an address that takes webhooks."
            todo={{ words: 'Make a channel', href: '/alerts/channels/new', scope: 'admin' }}
          />
        ) : (
          <Empty
            words="No rule says of what to tell."
            todo={{ words: 'Make a rule', href: '/alerts/rules/new', scope: 'write' }}
          />
        )}
      </Section>
    );
  return (
    <Section title="Rules" aside={<New scope="write" href="/alerts/rules/new" words="New rule" />}>
      <Table
        caption="Rules"
        rows={rules}
        columns={[
          { head: 'Rule', cell: ({ slug, name }) => <a href={`/alerts/rules/${slug}`}>{name}</a> },
          { head: 'State', cell: ({ state }) => <Badge state={state} /> },
          {
            head: 'Tells of',
            cell: ({ kinds }) => RULE_KINDS.filter((one) => kinds.includes(one)).join(', '),
          },
          { head: 'Found by', cell: (rule) => <Watched rule={rule} /> },
          { head: 'Only with', cell: ({ filter }) => filter, wide: true },
          {
            head: 'At most every',
            cell: ({ cooldown_seconds: seconds }) => (seconds === 0 ? 'no limit' : cooldownOf(seconds)),
            wide: true,
          },
          { head: 'Channels', cell: ({ channels: to }) => to.join(', ') },
          { head: 'Last told', cell: ({ last_made_at: at }) => <When at={at} />, wide: true },
          {
            head: <span class="unseen">Change</span>,
            cell: ({ slug, state }) => (
              <May scope="write">
                <Act
                  action={`/alerts/rules/${slug}/${state === 'active' ? 'pause' : 'resume'}`}
                  words={state === 'active' ? 'Pause' : 'Resume'}
                  kind="quiet"
                />
              </May>
            ),
          },
        ]}
      />
    </Section>
  );
}

function New({ scope, href, words }: { scope: Scope; href: string; words: string }) {
  return (
    <May scope={scope}>
      <a href={href}>{words}</a>
    </May>
  );
}

function Watched({ rule: { topic, search } }: { rule: RuleRow }) {
  if (search !== null) return <a href={`/searches/${search}`}>{search}</a>;
  return topic === null ? <>any search</> : <a href={`/topics/${topic}`}>{topic}</a>;
}

function Channels({ channels }: { channels: readonly ChannelRow[] }) {
  if (channels.length === 0) return null;
  return (
    <Section title="Channels" aside={<New scope="admin" href="/alerts/channels/new" words="New channel" />}>
      <Table
        caption="Channels"
        rows={channels}
        columns={[
          { head: 'Channel', cell: ({ slug }) => <a href={`/alerts/channels/${slug}`}>{slug}</a> },
          { head: 'State', cell: (channel) => <ChannelState channel={channel} /> },
          { head: 'Sends to', cell: ({ host }) => host },
          { head: 'Waiting', cell: ({ waiting }) => waiting, number: true },
          {
            head: 'Given up',
            cell: ({ slug, dead }) => <a href={`/alerts/deliveries?channel=${slug}&state=dead`}>{dead}</a>,
            number: true,
          },
          { head: 'Last delivered', cell: ({ last_delivered_at: at }) => <When at={at} />, wide: true },
        ]}
      />
    </Section>
  );
}
