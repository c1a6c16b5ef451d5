/** Rules: create, edit, pause, remove, preview. */

import { formatAnswerLine } from '../../domain/answer-change.ts';
import { Refused } from '../../domain/errors.ts';
import { SYSTEM_RULE } from '../../model/alerts.ts';
import { type Backtest, backtestRule } from '../../monitor/alerts/backtest.ts';
import { changeRule, createRule, editRule, findRuleRow } from '../../monitor/alerts/manage-rules.ts';
import {
  DEFAULT_BACKTEST_DAYS,
  editedRule,
  MAX_BACKTEST_DAYS,
  newRule,
} from '../../monitor/alerts/rule-shapes.ts';
import { decodeInput } from '../../monitor/http/request-problems.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { describeRemovedScope, findScope, findScopeRemoval } from '../../monitor/topics/find-by-slug.ts';
import { createSlug } from '../../monitor/topics/save-topic.ts';
import { readChannels, type RuleRow } from '../../store/alerts/alert-queries.ts';
import type { FeedEntry } from '../../store/alerts/feed-entries.ts';
import { readSearches } from '../../store/queries/search-list.ts';
import type { StateChange } from '../../store/topics.ts';
import { readTopics } from '../../store/queries/topic-list.ts';
import { type FlashCode, redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, type FormValues } from '../components/form.tsx';
import { Icon } from '../components/icons.tsx';
import { formatCount } from '../components/numbers.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Crumbs, EmptyState, Section, Tabs } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { type FormOutcome, formBody, readField, slugParams, toFormOutcome } from '../request-input.ts';
import {
  describeEditedRule,
  parseRuleForm,
  parseSystemRuleForm,
  placeRuleProblem,
  proposeRule,
  type RuleChoices,
  RuleForm,
  ruleProposal,
} from './rule-form.tsx';
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
    async (request, reply) => renderRule(ctx, request, reply, null, { given: proposeRule(request.query) }),
  );

  app.post(
    '/alerts/rules',
    { schema: { body: formBody }, config: { scope: 'write' } },
    async (request, reply) => {
      const given = { on: [], channels: [], ...request.body };
      const rule = parseRuleForm(given);
      try {
        const slug = readField(given, 'slug') ?? createSlug(rule.name ?? '');
        const made = await createRule(request.acting, decodeInput(newRule, { ...rule, slug }));
        return redirectWithFlash(reply, `/alerts/rules/${made.slug}/past`, 'rule_made');
      } catch (error) {
        return renderRule(ctx, request, reply, null, toRuleOutcome(error, given));
      }
    },
  );

  app.get('/alerts/rules/:slug', { schema, config: { scope: 'read' } }, async (request, reply) =>
    renderRule(ctx, request, reply, await findRuleRow(ctx, request.params.slug)),
  );

  app.post(
    '/alerts/rules/:slug',
    { schema: { ...schema, body: formBody }, config: { scope: 'write' } },
    async (request, reply) => {
      const given = { on: [], channels: [], ...request.body };
      const rule = await findRuleRow(ctx, request.params.slug);
      try {
        assertNotEdited(given, describeEditedRule(rule));
        const parse = rule.slug === SYSTEM_RULE ? parseSystemRuleForm : parseRuleForm;
        const written = { ...parse(given), name: readField(given, 'name') ?? '' };
        const { rule: slug, ...edited } = decodeInput(editedRule, { rule: rule.slug, ...written });
        await editRule(request.acting, slug, edited);
        return redirectWithFlash(reply, `/alerts/rules/${rule.slug}`, 'rule_saved');
      } catch (error) {
        return renderRule(ctx, request, reply, rule, toRuleOutcome(error, given));
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
        body: <BacktestSection rule={rule} past={past} days={request.query.days} />,
      });
    },
  );

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

const FIELDS_OF_NAMED = { topic: 'watches', search: 'watches', channel: 'channels' };

/** @throws errors that are not about the input */
function toRuleOutcome(error: unknown, given: FormValues): FormOutcome {
  const outcome = toFormOutcome(error, given, 'slug', FIELDS_OF_NAMED);
  return { ...outcome, problems: outcome.problems.map(placeRuleProblem) };
}

async function renderRule(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  rule: RuleRow | null,
  { given, problems = [], status = 200 }: FormOutcome = {},
): Promise<FastifyReply> {
  const { topic, search } = rule ?? parseRuleForm({ on: [], channels: [], ...given });
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
        <RuleForm rule={rule} given={given} problems={problems} choices={choices} />
        {rule === null || rule.slug === SYSTEM_RULE ? null : (
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

function RuleButtons({ rule: { slug, state } }: { rule: RuleRow }) {
  return (
    <div class="buttons">
      {state === 'active' ? (
        <ActionButton action={`/alerts/rules/${slug}/pause`} words="Pause" icon="pause" />
      ) : (
        <ActionButton action={`/alerts/rules/${slug}/resume`} words="Resume" icon="play" />
      )}
      {slug === SYSTEM_RULE ? null : <a href={`/alerts/rules/${slug}/remove`}>Remove</a>}
    </div>
  );
}

function RulePath({ rule: { slug } }: { rule: RuleRow }) {
  return (
    <Crumbs
      path={[
        ['Alerts', '/alerts'],
        [slug, `/alerts/rules/${slug}`],
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

const BACKTEST_DAYS = [1, DEFAULT_BACKTEST_DAYS, 14, 30, MAX_BACKTEST_DAYS];
const MAX_SHOWN = 100;

/** The messages that a rule would have sent, and their discoveries. */
function BacktestSection({ rule, past, days }: { rule: RuleRow; past: Backtest; days: number }) {
  const { messages, total, found } = past;
  return (
    <Section
      title={`${formatCount(messages.length, 'message')} in ${formatCount(days, 'day')}`}
      note={`${formatCount(total, 'discovery', 'discoveries')} in all, by the current rule. Nothing was sent.`}
      aside={
        <Tabs
          label="Time range"
          tabs={BACKTEST_DAYS.map((span) => ({
            href: `/alerts/rules/${rule.slug}/past?days=${span}`,
            words: span === 1 ? '1 day' : `${span} days`,
            here: span === days,
          }))}
        />
      }
    >
      {found.length === 0 ? (
        <EmptyState
          words="No messages. Baseline discoveries are never reported."
          todo={{ words: 'Edit the rule', href: `/alerts/rules/${rule.slug}` }}
        />
      ) : null}
      {found.slice(0, MAX_SHOWN).map((one) => (
        <BacktestLine found={one} />
      ))}
      {total > MAX_SHOWN ? (
        <p class="note">and {formatCount(total - MAX_SHOWN, 'discovery', 'discoveries')} more</p>
      ) : null}
    </Section>
  );
}

function BacktestLine({ found }: { found: FeedEntry }) {
  const { kind, at, search } = found;
  return (
    <div class={`line is-${kind}`}>
      <span class="line-what">
        <Icon name={kind} />
        <span class="unseen">{`${kind}: `}</span>
        <BacktestLink found={found} />
      </span>
      <span class="line-more">
        <a href={`/searches/${search}`}>{search}</a>
        <Timestamp at={at} />
      </span>
    </div>
  );
}

function BacktestLink({ found }: { found: FeedEntry }) {
  switch (found.kind) {
    case 'post':
      return (
        <a href={`/posts/${found.post.id}`}>
          <UntrustedText text={found.post.text} most={180} />
        </a>
      );
    case 'link':
      return (
        <a href={`/links/${found.link.id}`}>
          <UntrustedText text={found.link.post?.text ?? found.link.title ?? found.link.url} most={180} />
        </a>
      );
    case 'spike':
      return <a href={`/searches/${found.search}#spikes`}>{found.spike.sentence}</a>;
    case 'trend':
      return <a href={`/searches/${found.search}#volume`}>{found.trend.sentence}</a>;
    case 'growth':
      return (
        <a href={`/posts/${found.growth.post.id}`}>
          {found.growth.sentence} <UntrustedText text={found.growth.post.text} most={120} />
        </a>
      );
    case 'completion':
      return (
        <a href={`/searches/${found.search}/completions?to=${found.run_id}`}>
          <UntrustedText text={formatAnswerLine(found.answer.changes) ?? ''} most={180} />
        </a>
      );
  }
}
