/** Rules: create, edit, pause, remove, preview. */

import { Refused } from '../../model/errors.ts';
import { UNKNOWN_GROWTH } from '../../model/growth-condition.ts';
import { SYSTEM_RULE } from '../../model/alerts.ts';
import {
  type Backtest,
  type BacktestMessage,
  backtestNewRule,
  backtestRule,
} from '../../monitor/alerts/backtest.ts';
import type { SummaryItem } from '../../monitor/alerts/channels/message-summary.ts';
import { changeRule, createRule, editRule, findRuleRow } from '../../monitor/alerts/manage-rules.ts';
import { type FewerStep, planFewer, sendFewer } from '../../monitor/alerts/send-fewer.ts';
import {
  DEFAULT_BACKTEST_DAYS,
  editedRule,
  MAX_BACKTEST_DAYS,
  newRule,
  previewedRule,
} from '../../monitor/alerts/rule-shapes.ts';
import { decodeInput } from '../../monitor/http/request-problems.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { findScope, findScopeRemoval } from '../../monitor/topics/find-by-slug.ts';
import { describeRemovedScope } from '../../monitor/topics/removed-scope.ts';
import { createSlug } from '../../monitor/topics/save-topic.ts';
import { readChannels, type RuleRow } from '../../store/alerts/alert-queries.ts';
import { readSearches } from '../../store/queries/search-list.ts';
import type { StateChange } from '../../store/topics/topics.ts';
import { readTopics } from '../../store/queries/topic-list.ts';
import { type FlashCode, redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, type FormValues } from '../components/form.tsx';
import { Icon, type IconName } from '../components/icons.tsx';
import { formatCount } from '../components/numbers.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { preventCaching, renderPage } from '../components/page-layout.tsx';
import { Crumbs, EmptyState, Section, Tabs } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import {
  type FormOutcome,
  formBody,
  readField,
  readFieldList,
  slugParams,
  toFormOutcome,
} from '../request-input.ts';
import {
  describeEditedRule,
  parseRuleForm,
  parseSystemRuleForm,
  placeRuleProblem,
  proposeRule,
  readFormAct,
  type RuleChoices,
  RuleForm,
  ruleProposal,
} from './rule-form.tsx';
import { renderSecret } from './channel-pages.tsx';
import { createPastedChannel } from './pasted-address.ts';
import { MuteButton, MuteNotice } from './mute-pages.tsx';
import { assertNotEdited } from '../edit/opened-field.tsx';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

type Ctx = RouteContext['ctx'];

const MAX_CHOICES = 500;

const RULE_CHANGES = [
  ['pause', 'rule_paused'],
  ['resume', 'rule_resumed'],
  ['remove', 'rule_removed'],
] as const satisfies readonly (readonly [StateChange, FlashCode])[];

export function addRulePages(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };
  const days = z.object({
    days: z.coerce.number().int().min(1).max(MAX_BACKTEST_DAYS).default(DEFAULT_BACKTEST_DAYS),
  });

  app.get(
    '/alerts/rules/new',
    { schema: { querystring: ruleProposal }, config: { scope: 'write' } },
    async (request, reply) => renderRule(ctx, request, reply, null, { values: proposeRule(request.query) }),
  );

  app.post(
    '/alerts/rules',
    { schema: { body: formBody }, config: { scope: 'write' }, onSend: preventCaching },
    async (request, reply) => {
      const values = { on: [], channels: [], ...request.body };
      const again = readFormAct(values);
      if (again !== null) return previewForm(ctx, request, reply, null, again.values);
      const rule = parseRuleForm(values);
      const pasted = takeAddress(values);
      try {
        const slug = readField(values, 'slug') ?? createSlug(rule.name ?? '');
        const decoded = decodeInput(newRule, { ...rule, slug, channels: pasted.placed });
        const added = await pasted.create(request);
        const made = await createRule(request.acting, { ...decoded, channels: pasted.channels });
        if (added?.secret != null) return renderSecret(request, reply, added, 'Channel and rule created');
        return redirectWithFlash(reply, `/alerts/rules/${made.slug}/past`, 'rule_made');
      } catch (error) {
        return renderRule(ctx, request, reply, null, toRuleOutcome(error, pasted.shown(values)));
      }
    },
  );

  app.get('/alerts/rules/:slug', { schema, config: { scope: 'read' } }, async (request, reply) =>
    renderRule(ctx, request, reply, await findRuleRow(ctx, request.params.slug)),
  );

  app.post(
    '/alerts/rules/:slug',
    { schema: { ...schema, body: formBody }, config: { scope: 'write' }, onSend: preventCaching },
    async (request, reply) => {
      const values = { on: [], channels: [], ...request.body };
      const pasted = takeAddress(values);
      const rule = await findRuleRow(ctx, request.params.slug);
      const again = readFormAct(values);
      if (again !== null) return previewForm(ctx, request, reply, rule, again.values);
      try {
        assertNotEdited(values, describeEditedRule(rule));
        const parse = rule.slug === SYSTEM_RULE ? parseSystemRuleForm : parseRuleForm;
        const written = { ...parse(values), name: readField(values, 'name') ?? '', channels: pasted.placed };
        const { rule: slug, ...edited } = decodeInput(editedRule, { rule: rule.slug, ...written });
        const added = await pasted.create(request);
        await editRule(request.acting, slug, { ...edited, channels: pasted.channels });
        if (added?.secret != null) return renderSecret(request, reply, added, 'Channel created, rule saved');
        return redirectWithFlash(reply, `/alerts/rules/${rule.slug}`, 'rule_saved');
      } catch (error) {
        return renderRule(ctx, request, reply, rule, toRuleOutcome(error, pasted.shown(values)));
      }
    },
  );

  app.get(
    '/alerts/rules/:slug/past',
    { schema: { ...schema, querystring: days }, config: { scope: 'read' } },
    async (request, reply) => {
      const rule = await findRuleRow(ctx, request.params.slug);
      const past = await backtestRule(ctx, rule.slug, request.query.days);
      return renderPage(request, reply, {
        title: `Preview of ${rule.name}`,
        here: '/alerts',
        above: <RulePath rule={rule} />,
        body: <BacktestSection rule={rule} past={past} days={request.query.days} by="the current rule" />,
      });
    },
  );

  app.get('/alerts/rules/:slug/fewer', { schema, config: { scope: 'write' } }, async (request, reply) => {
    const rule = await findRuleRow(ctx, request.params.slug);
    return renderFewer(request, reply, rule, planFewer(rule, ctx.clock.now()));
  });

  app.post('/alerts/rules/:slug/fewer', { schema, config: { scope: 'write' } }, async (request, reply) => {
    const { slug } = await sendFewer(request.acting, request.params.slug);
    return redirectWithFlash(reply, `/alerts/rules/${slug}`, 'rule_saved');
  });

  for (const [change, code] of RULE_CHANGES)
    app.post(
      `/alerts/rules/:slug/${change}`,
      { schema, config: { scope: 'write' } },
      async (request, reply) => {
        const { slug } = request.params;
        await changeRule(request.acting, slug, change);
        return redirectWithFlash(reply, change === 'remove' ? '/alerts' : `/alerts/rules/${slug}`, code);
      },
    );

  app.get('/alerts/rules/:slug/remove', { schema, config: { scope: 'write' } }, async (request, reply) => {
    const rule = await findRuleRow(ctx, request.params.slug);
    return renderPage(request, reply, {
      title: `Remove ${rule.name}?`,
      here: '/alerts',
      above: <RulePath rule={rule} />,
      lead: 'Cancels messages not sent yet. Past deliveries stay.',
      body: (
        <div class="buttons">
          <ActionButton action={`/alerts/rules/${rule.slug}/remove`} words="Remove this rule" kind="danger" />
          <a href={`/alerts/rules/${rule.slug}`}>Cancel</a>
        </div>
      ),
    });
  });
}

/** A slug that no channel has, in place of a channel that is created when the rest of the form is valid. */
const NEW_CHANNEL = 'new-channel';

/** The channels of a form, with that of a pasted address. It may be a secret, so it is not sent back. */
function takeAddress(values: FormValues) {
  const address = readField(values, 'address');
  const channels = readFieldList(values, 'channels');
  return {
    channels,
    placed: address === undefined ? [...channels] : [...channels, NEW_CHANNEL],
    /** Creates it and adds it to `channels`. */
    create: async (request: FastifyRequest) => {
      if (address === undefined) return null;
      const created = await createPastedChannel(request, address);
      channels.push(created.channel.slug);
      return created;
    },
    shown: ({ address: _secret, ...others }: FormValues): FormValues => ({ ...others, channels }),
  };
}

/** A page with a button: how much the rule sends now, and how much it would send after one step. */
async function renderFewer(
  request: FastifyRequest,
  reply: FastifyReply,
  rule: RuleRow,
  { now, next }: FewerStep,
): Promise<FastifyReply> {
  const { slug, name } = rule;
  return renderPage(request, reply, {
    title: `Fewer messages of ${name}`,
    here: '/alerts',
    above: <RulePath rule={rule} />,
    body: (
      <>
        <p>It sends {now}.</p>
        <p>
          {next === null
            ? 'This rule cannot send fewer messages. Mute or pause the rule instead.'
            : `Then: ${next}.`}
        </p>
        <div class="buttons">
          {next === null ? (
            <>
              <a class="button" href={`/alerts/mute?rule=${slug}`}>
                Mute until…
              </a>
              <ActionButton action={`/alerts/rules/${slug}/pause`} words="Pause" icon="pause" />
            </>
          ) : (
            <ActionButton action={`/alerts/rules/${slug}/fewer`} words="Send fewer" kind="main" />
          )}
          <a href={`/alerts/rules/${slug}`}>Cancel</a>
        </div>
      </>
    ),
  });
}

const FIELDS_OF_NAMED = { topic: 'watches', search: 'watches', channel: 'channels' };

/** @throws errors that are not about the input */
function toRuleOutcome(error: unknown, values: FormValues): FormOutcome {
  const outcome = toFormOutcome(error, values, 'slug', FIELDS_OF_NAMED);
  return { ...outcome, problems: outcome.problems.map(placeRuleProblem) };
}

/** The form again, with the messages that the rule would have sent. */
async function previewForm(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  rule: RuleRow | null,
  values: FormValues,
): Promise<FastifyReply> {
  try {
    const { channels: _channels, ...written } = parseRuleForm(values);
    const { days, ...decoded } = decodeInput(previewedRule, { ...written, name: written.name ?? 'New rule' });
    const past = await backtestNewRule(ctx, decoded, days);
    return await renderRule(ctx, request, reply, rule, { values }, past);
  } catch (error) {
    return renderRule(ctx, request, reply, rule, toRuleOutcome(error, values));
  }
}

async function renderRule(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  rule: RuleRow | null,
  { values, problems = [], status = 200 }: FormOutcome = {},
  past: Backtest | null = null,
): Promise<FastifyReply> {
  const { topic, search } = rule ?? parseRuleForm({ on: [], channels: [], ...values });
  await findScope(ctx.db, { topic: topic ?? undefined, search: search ?? undefined }).catch(
    (error: unknown) => {
      // What a form with problems names may have been removed since it was shown; the input is kept.
      if (problems.length === 0 || !(error instanceof Refused)) throw error;
    },
  );
  const choices = await readChoices(ctx);
  const removedScope =
    rule === null ? null : describeRemovedScope(rule, await findScopeRemoval(ctx.db, rule));
  return renderPage(request, reply, {
    title: rule === null ? 'New rule' : rule.name,
    here: '/alerts',
    above: rule === null ? <a href="/alerts">Alerts</a> : <RulePath rule={rule} />,
    lead:
      rule?.slug === SYSTEM_RULE
        ? 'Reports problems of strandline itself, each once, with its end. It cannot be removed; to stop its messages, pause it.'
        : undefined,
    status,
    aside:
      rule === null ? undefined : (
        <IfAllowed scope="write">
          <RuleButtons rule={rule} />
        </IfAllowed>
      ),
    body: (
      <>
        {removedScope === null ? null : <p class="advice">{removedScope}</p>}
        <MuteNotice until={rule?.muted_until ?? null} />
        <RuleForm rule={rule} values={values} problems={problems} choices={choices} />
        {past === null ? null : (
          <BacktestSection past={past} days={DEFAULT_BACKTEST_DAYS} by="the form above" />
        )}
        {rule === null || rule.slug === SYSTEM_RULE || past !== null ? null : (
          <Section title="Preview">
            <p>
              <a href={`/alerts/rules/${rule.slug}/past`}>
                Messages of the last {DEFAULT_BACKTEST_DAYS} days
              </a>{' '}
              that this rule would have sent. Sends nothing.
            </p>
          </Section>
        )}
      </>
    ),
  });
}

function RuleButtons({ rule: { slug, state, muted_until } }: { rule: RuleRow }) {
  return (
    <div class="buttons">
      {state === 'active' ? (
        <ActionButton action={`/alerts/rules/${slug}/pause`} words="Pause" icon="pause" />
      ) : (
        <ActionButton action={`/alerts/rules/${slug}/resume`} words="Resume" icon="play" />
      )}
      <a class="button" href={`/alerts/rules/${slug}/fewer`}>
        Fewer…
      </a>
      <MuteButton target={{ scope: 'rule', slug }} until={muted_until} />
      {slug === SYSTEM_RULE ? null : <a href={`/alerts/rules/${slug}/remove`}>Remove</a>}
    </div>
  );
}

function RulePath({ rule: { slug, name } }: { rule: RuleRow }) {
  return (
    <Crumbs
      path={[
        ['Alerts', '/alerts'],
        [name, `/alerts/rules/${slug}`],
      ]}
    />
  );
}

async function readChoices({ db }: Ctx): Promise<RuleChoices> {
  const [topics, searches, channels] = await Promise.all([
    readTopics(db, { limit: MAX_CHOICES }),
    readSearches(db, { limit: MAX_CHOICES }),
    readChannels(db, { limit: MAX_CHOICES }),
  ]);
  return { topics, searches, channels };
}

const BACKTEST_DAYS = [1, 7, DEFAULT_BACKTEST_DAYS, 30, MAX_BACKTEST_DAYS];
const MAX_SHOWN = 100;

/** The messages that a rule would have sent, newest first, each with its items. */
function BacktestSection({
  rule,
  past,
  days,
  by,
}: {
  /** Saved, so that it can be previewed over other ranges. */
  rule?: RuleRow;
  past: Backtest;
  days: number;
  /** What decided. */
  by: string;
}) {
  const { messages, total, waiting, is_whole, growth_since } = past;
  const count = formatCount(total, 'new item');
  const isDigest = total === 0 && messages.length > 0;
  const rest = waiting === 0 ? '' : ` ${formatCount(waiting, 'of them', 'of them')} would still wait.`;
  return (
    <Section
      title={`${is_whole ? '' : 'At least '}${formatCount(messages.length, isDigest ? 'digest' : 'message')} in ${formatCount(days, 'day')}`}
      note={
        isDigest
          ? `At most, by ${by}: a digest without news is not sent. Nothing was sent.`
          : `${count} in all, by ${by}.${rest} Nothing was sent.${growth_since === null ? '' : ` ${UNKNOWN_GROWTH}`}`
      }
      aside={
        rule === undefined ? undefined : (
          <Tabs
            label="Time range"
            tabs={BACKTEST_DAYS.map((span) => ({
              href: `/alerts/rules/${rule.slug}/past?days=${span}`,
              words: span === 1 ? '1 day' : `${span} days`,
              here: span === days,
            }))}
          />
        )
      }
    >
      {total === 0 && !isDigest ? (
        <EmptyState
          words="No messages. What was there at the start is never reported."
          {...(rule === undefined
            ? {}
            : { todo: { words: 'Edit the rule', href: `/alerts/rules/${rule.slug}` } })}
        />
      ) : null}
      {messages.slice(0, MAX_SHOWN).map((message) => (
        <PastMessage message={message} />
      ))}
      {messages.length > MAX_SHOWN ? (
        <p class="note">and {formatCount(messages.length - MAX_SHOWN, 'earlier message')}</p>
      ) : null}
    </Section>
  );
}

function PastMessage({ message: { at, title, lead, items, discoveries } }: { message: BacktestMessage }) {
  const more = discoveries - items.length;
  return (
    <article class="past-message">
      <h3>
        <Timestamp at={at} /> <UntrustedText text={title} />
      </h3>
      {lead === null ? null : <p class="note">{lead}</p>}
      <ul>
        {items.map((item) => (
          <li>
            <PastItem item={item} />
          </li>
        ))}
        {more > 0 && items.length > 0 ? <li class="note">and {more} more</li> : null}
      </ul>
    </article>
  );
}

function findIcon(kind: SummaryItem['kind']): IconName {
  if (kind === 'problem') return 'warning';
  return kind === 'answer' || kind === 'digest' ? 'completion' : kind;
}

function PastItem({ item: { kind, title, text, author, url } }: { item: BacktestMessage['items'][number] }) {
  const words = <UntrustedText text={title ?? text ?? url ?? ''} most={180} />;
  return (
    <>
      <Icon name={findIcon(kind)} />
      <span class="unseen">{`${kind}: `}</span>
      {author === null ? null : (
        <>
          <UntrustedText text={author} />:{' '}
        </>
      )}
      {url === null ? words : <a href={url}>{words}</a>}
    </>
  );
}
