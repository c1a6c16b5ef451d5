import { z } from 'zod';
import type { ActingContext } from '../monitor/context.ts';
import { changeRule, createRule, editRule, findRuleRow } from '../monitor/alerts/manage-rules.ts';
import { backtestRule, previewRule } from '../monitor/alerts/backtest.ts';
import { DEFAULT_BACKTEST_DAYS, MAX_BACKTEST_DAYS } from '../monitor/alerts/rule-definition.ts';
import { findScope, findScopeRemoval } from '../monitor/topics/find-by-slug.ts';
import { idShape, timeShape, ruleSlug } from '../model/value-shapes.ts';
import { readRules } from '../store/alerts/alert-queries.ts';
import type { StateChange } from '../store/topics.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { operation } from './operation.ts';
import { countParam, editedRule, newRule, scopeParams } from './request-shapes.ts';
import { createCursor } from '../monitor/http/cursors.ts';
import { defineListQuery, defineListReply } from './pagination.ts';
import { defineRow, defineRowWith } from '../store/row-shapes.ts';
import { addStateRoutes } from './state-routes.ts';

const tags = ['alerts'];
const params = z.strictObject({ rule: ruleSlug });
const cursor = createCursor('rules', ruleSlug);
const Rule = defineRow('Rule', 'rules');

const RuleWhole = defineRowWith('RuleWhole', 'rules', {
  scope_removed_at: timeShape
    .nullable()
    .describe(
      'When the topic or search in scope was removed (UTC): the rule finds nothing new until its scope is changed. Null unless removed.',
    ),
});
const CreatedRule = defineRowWith('CreatedRule', 'rules', {
  preview: z
    .object({
      days: z.int(),
      messages: z.int().describe('Messages that it would have sent.'),
      discoveries: z.int().describe('Discoveries in these messages.'),
      at_least: z.boolean().describe('True if there were too many discoveries to read them all.'),
    })
    .describe('What the rule would have done in the past days.'),
});

const RuleTrial = z
  .object({
    since: timeShape,
    until: timeShape,
    total: z.int().describe('Number of discoveries that match.'),
    messages: z
      .array(z.object({ at: timeShape, discoveries: z.int() }))
      .describe('Messages that the rule would have sent.'),
    discovery_ids: z.array(idShape).describe('The first 500 discoveries, oldest first.'),
  })
  .meta({ id: 'RuleTrial' });

export function ruleRoutes(app: App, routeContext: RouteContext): void {
  readRoutes(app, routeContext);
  changeRoutes(app, routeContext);
}

function readRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/rules',
    operation({
      scope: 'read',
      operationId: 'listRules',
      summary: 'List alert rules',
      description: 'Ordered by slug. Omits removed rules.',
      tags,
      querystring: defineListQuery(cursor, scopeParams),
      response: { 200: defineListReply(Rule) },
    }),
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      const scope = await findScope(ctx.db, filter);
      const rows = await readRules(ctx.db, { ...scope, after, limit });
      return reply(rows, ({ slug }) => slug);
    },
  );

  app.get(
    '/api/v1/rules/:rule',
    operation({
      scope: 'read',
      operationId: 'getRule',
      summary: 'Get a rule',
      description:
        'The kinds that it reports, its filter, cooldown and channels, and when it last created a message.',
      tags,
      params,
      response: { 200: RuleWhole },
    }),
    async ({ params: { rule } }) => {
      const row = await findRuleRow(ctx, rule);
      return { ...row, scope_removed_at: await findScopeRemoval(ctx.db, row) };
    },
  );

  app.get(
    '/api/v1/rules/:rule/try',
    operation({
      scope: 'read',
      operationId: 'tryRule',
      summary: 'Preview a rule over past days',
      description:
        'Applies the current rule to the discoveries of the last days and returns the messages that it would have sent. Sends nothing.',
      tags,
      params,
      querystring: z.strictObject({
        days: countParam(MAX_BACKTEST_DAYS, DEFAULT_BACKTEST_DAYS),
      }),
      response: { 200: RuleTrial },
    }),
    async ({ params: { rule }, query: { days } }) => {
      const { found, isWhole: _isWhole, ...trial } = await backtestRule(ctx, rule, days);
      return { ...trial, discovery_ids: found.map(({ id }) => id) };
    },
  );
}

function changeRoutes(app: App, { ctx }: RouteContext): void {
  app.post(
    '/api/v1/rules',
    operation({
      scope: 'write',
      idempotent: true,
      sends: ['Location'],
      operationId: 'createRule',
      summary: 'Create a rule',
      description: 'The rule reports discoveries made from now on to each of its channels.',
      tags,
      body: newRule,
      response: { 201: CreatedRule },
    }),
    async ({ body, acting }, reply) => {
      const rule = await createRule(acting, body);
      void reply.code(201).header('location', `/api/v1/rules/${rule.slug}`);
      return { ...rule, preview: await previewRule(ctx, rule.slug) };
    },
  );

  app.patch(
    '/api/v1/rules/:rule',
    operation({
      scope: 'write',
      operationId: 'editRule',
      summary: 'Edit a rule',
      description:
        'Omitted members keep their values. Discoveries made before the change are evaluated by the previous rule.',
      tags,
      params,
      body: editedRule,
      response: { 200: Rule },
    }),
    ({ params: { rule }, body, acting }) => editRule(acting, rule, body),
  );

  const apply = (acting: ActingContext, { rule }: z.output<typeof params>, change: StateChange) =>
    changeRule(acting, rule, change);
  addStateRoutes(
    app,
    { path: '/api/v1/rules/:rule', params, tags, reply: Rule, apply },
    {
      pause: {
        operationId: 'pauseRule',
        summary: 'Pause a rule',
        description: 'The rule never reports discoveries made while it is paused.',
      },
      resume: {
        operationId: 'resumeRule',
        summary: 'Resume a rule',
        description: 'The rule reports discoveries made from now on.',
      },
      remove: {
        operationId: 'removeRule',
        summary: 'Remove a rule',
        description: 'Cancels messages that have not been sent. Past deliveries stay listed.',
      },
    },
  );
}
