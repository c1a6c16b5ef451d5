import { z } from 'zod';
import type { Acting } from '../../monitor/context.ts';
import { changeRule, createRule, editRule, type RuleChange, ruleRow } from '../../monitor/tell/rules.ts';
import { DAYS_MAX, tryRule } from '../../monitor/tell/try.ts';
import { assertFilter } from '../../monitor/topic/find.ts';
import { idShape, timeShape } from '../../store/shapes.ts';
import { readRules } from '../../store/tell/reads.ts';
import type { App, WebHome } from '../routes.ts';
import { editedRule, newRule, ruleSlug } from './alert-bodies.ts';
import { cursorOf } from './cursor.ts';
import { searchSlug, topicSlug } from './given.ts';
import { listOf, listQuery, noQuery } from './listing.ts';
import { row } from './shapes.ts';

const tags = ['alerts'];
const params = z.strictObject({ rule: ruleSlug });
const cursor = cursorOf('rules', ruleSlug);
const Rule = row('Rule', 'rules');

const Trial = z
  .object({
    since: timeShape,
    until: timeShape,
    total: z.int().describe('How many discoveries it would have told.'),
    messages: z
      .array(z.object({ at: timeShape, discoveries: z.int() }))
      .describe('In how many messages, and when.'),
    discovery_ids: z.array(idShape).describe('The first 500 of the discoveries, the oldest first.'),
  })
  .meta({ id: 'RuleTrial' });

export function ruleRoutes(app: App, home: WebHome): void {
  readRoutes(app, home);
  changeRoutes(app, home);
}

function readRoutes(app: App, { ctx }: WebHome): void {
  app.get(
    '/api/v1/rules',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listRules',
        summary: 'Rules of alerts, by slug',
        description: 'Removed rules are left out.',
        tags,
        querystring: listQuery(cursor, { topic: topicSlug.optional(), search: searchSlug.optional() }),
        response: { 200: listOf(Rule) },
      },
    },
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      await assertFilter(ctx.db, filter);
      const rows = await readRules(ctx.db, { ...filter, after, limit: limit + 1 });
      return reply(rows, ({ slug }) => slug);
    },
  );

  app.get(
    '/api/v1/rules/:rule',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getRule',
        summary: 'A rule',
        description:
          'What it reports, its filter and cooldown, its channels, and when it last made a message.',
        tags,
        params,
        querystring: noQuery,
        response: { 200: Rule },
      },
    },
    ({ params: { rule } }) => ruleRow(ctx, rule),
  );

  app.get(
    '/api/v1/rules/:rule/try',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'tryRule',
        summary: 'What a rule would have told of the last days; nothing is sent',
        description:
          'Judges the discoveries of the last days as the rule is now, and returns in how many messages they would have been sent.',
        tags,
        params,
        querystring: z.strictObject({ days: z.coerce.number().int().min(1).max(DAYS_MAX).default(7) }),
        response: { 200: Trial },
      },
    },
    async ({ params: { rule }, query: { days } }) => {
      const { found, ...trial } = await tryRule(ctx, rule, days);
      return { ...trial, discovery_ids: found.map(({ id }) => id) };
    },
  );
}

const CHANGES = [
  [
    'pause',
    'pauseRule',
    'Tell nothing of what is found from now on',
    'What is found while it is paused is never reported by it.',
  ],
  [
    'resume',
    'resumeRule',
    'Tell of what is found from now on',
    'What was found while it was paused is not reported.',
  ],
] as const;

function changeRoutes(app: App, { ctx }: WebHome): void {
  app.post(
    '/api/v1/rules',
    {
      config: { scope: 'write', idempotent: true, sends: ['Location'] },
      schema: {
        operationId: 'createRule',
        summary: 'Make a rule; it tells of what is found from now on',
        description:
          'It reports what is found from now on, to each of its channels; nothing of before is sent.',
        tags,
        querystring: noQuery,
        body: newRule,
        response: { 201: Rule },
      },
    },
    async ({ body, acting }, reply) => {
      const made = await createRule(acting, body);
      return reply.code(201).header('location', `/api/v1/rules/${made.slug}`).send(made);
    },
  );

  app.patch(
    '/api/v1/rules/:rule',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'editRule',
        summary: 'Change a rule; what was found until now is judged by the rule as it was',
        description:
          'Members that are left out stay. What was found before the change is still judged by the rule as it was.',
        tags,
        params,
        querystring: noQuery,
        body: editedRule,
        response: { 200: Rule },
      },
    },
    ({ params: { rule }, body, acting }) => editRule(acting, rule, body),
  );

  const changed = async (acting: Acting, slug: string, change: RuleChange) => {
    await changeRule(acting, slug, change);
    return ruleRow(acting, slug);
  };
  for (const [change, operationId, summary, description] of CHANGES)
    app.post(
      `/api/v1/rules/:rule/${change}`,
      {
        config: { scope: 'write' },
        schema: {
          operationId,
          summary,
          description,
          tags,
          params,
          querystring: noQuery,
          response: { 200: Rule },
        },
      },
      ({ params: { rule }, acting }) => changed(acting, rule, change),
    );

  app.delete(
    '/api/v1/rules/:rule',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'removeRule',
        summary: 'Remove a rule; what it has not sent yet is cancelled, what it sent stays',
        description: 'Messages that were not sent yet are cancelled; deliveries that were made stay listed.',
        tags,
        params,
        querystring: noQuery,
        response: { 200: Rule },
      },
    },
    async ({ params: { rule }, acting }) => {
      const before = await ruleRow(ctx, rule);
      await changeRule(acting, rule, 'remove');
      return { ...before, archived_at: ctx.clock.now() };
    },
  );
}
