/** Alerts: rules, channels and the last deliveries. */
import { SearchLink, TopicLink } from '../components/scope-names.tsx';
import type { Scope } from '../../monitor/access/visitor-scopes.ts';
import { findPreset } from '../../monitor/alerts/rule-presets.ts';
import { RULE_KINDS, SYSTEM_RULE } from '../../model/alerts.ts';
import {
  type ChannelRow,
  readChannels,
  readDeliveries,
  readRuleNames,
  readRules,
  readSystemEventRows,
  readSystemRule,
  type RuleRow,
} from '../../store/alerts/alert-queries.ts';
import { listMutes } from '../../store/alerts/mutes.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { Badge } from '../components/icons.tsx';
import { ActionButton } from '../components/form.tsx';
import { formatInterval } from '../../lib/format-interval.ts';
import { IfAllowed } from '../components/page-frame.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Table } from '../components/data-table.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { Count } from '../components/numbers.tsx';
import { ChannelState } from './channel-view.tsx';
import { addChannelPages } from './channel-pages.tsx';
import { addFeedPages } from './feed-pages.tsx';
import { addDeliveryPages, DeliveryTable } from './delivery-pages.tsx';
import { ProblemSection } from './problem-section.tsx';
import { addMutePages, MuteButton, MutesSection } from './mute-pages.tsx';
import { addRulePages } from './rule-pages.tsx';

const MAX_ROWS = 500;
const MAX_LAST_DELIVERIES = 10;
const MAX_ENDED_PROBLEMS = 20;

export function addAlertPages(app: App, routeContext: RouteContext): void {
  const { db } = routeContext.ctx;
  app.get('/alerts', { config: { scope: 'read' } }, async (request, reply) => {
    const [rules, systemRule, channels, open, ended, deliveries, mutes] = await Promise.all([
      readRules(db, { limit: MAX_ROWS }),
      readSystemRule(db),
      readChannels(db, { limit: MAX_ROWS }),
      readSystemEventRows(db, { open: true, limit: MAX_ROWS }),
      readSystemEventRows(db, { open: false, limit: MAX_ENDED_PROBLEMS }),
      readDeliveries(db, { limit: MAX_LAST_DELIVERIES }),
      listMutes(db, request.frame.now),
    ]);
    const names = await readRuleNames(db, [
      ...deliveries.map(({ rule }) => rule),
      ...mutes.flatMap(({ scope, slug }) => (scope === 'rule' ? (slug ?? []) : [])),
    ]);
    return renderPage(request, reply, {
      title: 'Alerts',
      here: '/alerts',
      aside: (
        <MuteButton
          target={{ scope: 'all' }}
          until={mutes.find(({ scope }) => scope === 'all')?.until ?? null}
        />
      ),
      lead: 'Rules decide what to send; channels decide where. Each message is delivered at least once.',
      body: (
        <>
          <MutesSection mutes={mutes} ruleNames={names} />
          <RuleTable rules={rules.filter(({ slug }) => slug !== SYSTEM_RULE)} />
          <ChannelTable channels={channels} />
          <ProblemSection open={open} ended={ended} rule={systemRule} />
          <Section title="Last deliveries" aside={<a href="/alerts/deliveries">All deliveries</a>}>
            <DeliveryTable rows={deliveries} names={names} empty="No messages yet." />
          </Section>
        </>
      ),
    });
  });
  addRulePages(app, routeContext);
  addChannelPages(app, routeContext);
  addDeliveryPages(app, routeContext);
  addFeedPages(app, routeContext);
  addMutePages(app, routeContext);
}

function RuleTable({ rules }: { rules: readonly RuleRow[] }) {
  if (rules.length === 0)
    return (
      <Section title="Rules">
        <EmptyState
          words="No rules yet. A rule says what is sent, and where."
          todo={{ words: 'Create a rule', href: '/alerts/rules/new', scope: 'write' }}
        />
      </Section>
    );
  return (
    <Section title="Rules" aside={<NewLink scope="write" href="/alerts/rules/new" words="New rule" />}>
      <Table
        caption="Rules"
        rows={rules}
        columns={[
          { head: 'Rule', cell: ({ slug, name }) => <a href={`/alerts/rules/${slug}`}>{name}</a> },
          { head: 'State', cell: ({ state }) => <Badge state={state} /> },
          {
            head: 'Notifies about',
            cell: ({ kinds }) => RULE_KINDS.filter((kind) => kinds.includes(kind)).join(', '),
          },
          { head: 'Scope', cell: (rule) => <RuleScope rule={rule} /> },
          { head: 'Filter', cell: ({ filter }) => filter, wide: true },
          {
            head: 'Cooldown',
            cell: ({ cooldown_seconds: seconds }) => (seconds === 0 ? 'none' : formatInterval(seconds)),
            wide: true,
          },
          { head: 'How much', cell: (rule) => findPreset(rule), wide: true },
          { head: 'Channels', cell: ({ channels: to }) => to.join(', ') },
          { head: 'Last message', cell: ({ last_made_at: at }) => <Timestamp at={at} />, wide: true },
          {
            head: <span class="unseen">Change</span>,
            cell: ({ slug, state }) => (
              <IfAllowed scope="write">
                <ActionButton
                  action={`/alerts/rules/${slug}/${state === 'active' ? 'pause' : 'resume'}`}
                  words={state === 'active' ? 'Pause' : 'Resume'}
                  kind="quiet"
                />
              </IfAllowed>
            ),
          },
        ]}
      />
    </Section>
  );
}

function NewLink({ scope, href, words }: { scope: Scope; href: string; words: string }) {
  return (
    <IfAllowed scope={scope}>
      <a href={href}>{words}</a>
    </IfAllowed>
  );
}

function RuleScope({ rule: { topic, search } }: { rule: RuleRow }) {
  if (search !== null) return <SearchLink slug={search} />;
  return topic === null ? <>all searches</> : <TopicLink slug={topic} />;
}

function ChannelTable({ channels }: { channels: readonly ChannelRow[] }) {
  if (channels.length === 0) return null;
  return (
    <Section
      title="Channels"
      aside={<NewLink scope="admin" href="/alerts/channels/new" words="New channel" />}
    >
      <Table
        caption="Channels"
        rows={channels}
        columns={[
          {
            head: 'Channel',
            cell: ({ slug }) => <a href={`/alerts/channels/${slug}`}>{slug}</a>,
          },
          { head: 'State', cell: (channel) => <ChannelState channel={channel} /> },
          { head: 'Sends to', cell: ({ host }) => host },
          { head: 'Waiting', cell: ({ waiting }) => waiting, number: true },
          {
            head: 'Failed',
            cell: ({ slug, dead }) => (
              <a href={`/alerts/deliveries?channel=${slug}&state=dead`}>
                <Count of={dead} />
              </a>
            ),
            number: true,
          },
          { head: 'Last delivered', cell: ({ last_delivered_at: at }) => <Timestamp at={at} />, wide: true },
        ]}
      />
    </Section>
  );
}
