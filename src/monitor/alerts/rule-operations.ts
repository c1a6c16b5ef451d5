/** Operations on rules: what to report, and to which channels. */
import { z } from 'zod';
import { RULE_KINDS, WAIT_REASONS } from '../../model/alerts.ts';
import { idShape, ruleSlug, timeShape } from '../../model/value-shapes.ts';
import { readRules, type RuleRow } from '../../store/alerts/alert-queries.ts';
import { defineRowWith } from '../../store/db/row-shapes.ts';
import type { StateChange } from '../../store/topics/topics.ts';
import type { Context } from '../context.ts';
import { declareOperation } from '../operation.ts';
import { findScope, findScopeRemoval } from '../topics/find-by-slug.ts';
import { findPreset, PRESET_NAMES } from './rule-presets.ts';
import {
  editedRule,
  namedRule,
  newRule,
  previewedRule,
  putRuleShape,
  ruleFilter,
  triedRule,
} from './rule-shapes.ts';

// A list needs neither.
const loadManagement = () => import('./manage-rules.ts');
const loadBacktest = () => import('./backtest.ts');

const preset = z
  .enum([...PRESET_NAMES, 'own'])
  .describe('The preset that its kinds, cooldown and limit equal; `own` if they equal none.');
const Rule = defineRowWith('Rule', 'rules', { preset });
const RuleWhole = defineRowWith('RuleWhole', 'rules', {
  preset,
  scope_removed_at: timeShape
    .nullable()
    .describe(
      'When the topic or search in scope was removed (UTC): the rule finds nothing new until its scope is changed. Null unless removed.',
    ),
});
const growth_since = timeShape
  .nullable()
  .describe(
    'From when on it is known which posts grew as the rule asks: no rule asked before. Null if it reports no growth, or all is known.',
  );
const CreatedRule = defineRowWith('CreatedRule', 'rules', {
  preset,
  preview: z
    .object({
      days: z.int(),
      messages: z.int().describe('Messages that it would have sent.'),
      discoveries: z.int().describe('Discoveries in these messages.'),
      at_least: z.boolean().describe('True if there were too many discoveries to read them all.'),
      growth_since,
    })
    .describe('What the rule would have done in the past days.'),
});
const RuleTrial = z
  .object({
    since: timeShape,
    until: timeShape,
    total: z.int().describe('Number of discoveries that match.'),
    waiting: z.int().describe('How many of them would still wait.'),
    messages: z
      .array(
        z.object({
          at: timeShape,
          discoveries: z.int(),
          waits_for: z
            .enum(WAIT_REASONS)
            .nullable()
            .describe('Why it would not have been sent at once; null if nothing held it back.'),
          title: z.string().describe('The title that a chat or mail shows.'),
          lead: z.string().nullable().describe('The sentence above its items; null: none.'),
          items: z
            .array(
              z.object({
                kind: z.enum([...RULE_KINDS, 'digest', 'problem']),
                title: z.string().nullable(),
                text: z.string().nullable(),
                author: z.string().nullable().describe('User name of the author, or the site of a link.'),
                copies: z
                  .string()
                  .nullable()
                  .describe('How often the topic has it, such as `×27, 3 authors`; null if once.'),
                counters: z.array(z.string()).describe('Such as `1,204 likes`.'),
                at: z.string().nullable(),
                url: z.string().nullable(),
                page: z.string().nullable().describe('URL in the dashboard; null without `BASE_URL`.'),
              }),
            )
            .describe(
              'The few that matter most; none for messages before the newest 100, and digests before the newest 3.',
            ),
        }),
      )
      .describe('Messages that the rule would have sent, newest first.'),
    growth_since,
    discovery_ids: z.array(idShape).describe('The first 500 discoveries, oldest first.'),
    is_whole: z.boolean().describe('False if there were too many discoveries to read them all.'),
  })
  .meta({ id: 'RuleTrial' });

const withPreset = <R extends RuleRow>(row: R) => ({ ...row, preset: findPreset(row) });
const readWhole = async ({ db }: Context, row: RuleRow) => ({
  ...withPreset(row),
  scope_removed_at: await findScopeRemoval(db, row),
});

const about = { tag: 'alerts', scope: 'read' } as const;

const declareChange = (change: StateChange, does: string, more: string) =>
  declareOperation({
    ...about,
    id: `${change}Rule`,
    route: change === 'remove' ? 'DELETE /api/v1/rules/{rule}' : `POST /api/v1/rules/{rule}/${change}`,
    command: `rules ${change}`,
    scope: 'write',
    does,
    more,
    input: namedRule,
    output: Rule,
    run: async ({ ctx }, { rule }) =>
      withPreset(await (await loadManagement()).changeRule(ctx, rule, change)),
  });

export const RULE_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'createRule',
    route: 'POST /api/v1/rules',
    command: 'rules add',
    scope: 'write',
    does: 'Create a rule; it reports what is found from now on',
    more: 'The rule reports discoveries made from now on to each of its channels.',
    input: newRule,
    output: CreatedRule,
    created: ({ slug }: { slug: string }) => `/api/v1/rules/${slug}`,
    idempotent: true,
    example: 'strandline rules add ferry --on post,spike --topic harbour-ferry --cooldown 1h --channel ops',
    run: async ({ ctx }, written) => {
      const { createRule } = await loadManagement();
      const { previewRule } = await loadBacktest();
      const row = await createRule(ctx, written);
      return { ...withPreset(row), preview: await previewRule(ctx, row.slug) };
    },
  }),
  declareOperation({
    ...about,
    id: 'putRule',
    route: 'PUT /api/v1/rules/{rule}',
    scope: 'write',
    does: 'Create or replace a rule',
    more: 'Omitted members get the defaults of a new rule. The rule keeps its state, and discoveries made before a change are evaluated by the previous rule. Repeating the request changes nothing.',
    input: putRuleShape,
    output: RuleWhole,
    created: ({ slug }: { slug: string }) => `/api/v1/rules/${slug}`,
    run: async ({ ctx, onlyCreate = false }, { rule, ...written }) => {
      const { isNew, made } = await (await loadManagement()).putRule(ctx, rule, written, { onlyCreate });
      return { isNew, made: await readWhole(ctx, made) };
    },
  }),
  declareOperation({
    ...about,
    id: 'editRule',
    route: 'PATCH /api/v1/rules/{rule}',
    command: 'rules edit',
    scope: 'write',
    does: 'Edit a rule; applies to what is found from now on',
    more: 'Omitted members keep their values. Discoveries made before the change are evaluated by the previous rule.',
    input: editedRule,
    shortcuts: { '--all': { help: 'all topics', sets: { topic: null, search: null } } },
    output: RuleWhole,
    run: async ({ ctx }, { rule, ...written }) => {
      const { editRule } = await loadManagement();
      return readWhole(ctx, await editRule(ctx, rule, written));
    },
  }),
  declareOperation({
    ...about,
    id: 'listRules',
    route: 'GET /api/v1/rules',
    command: 'rules list',
    does: 'List rules',
    more: 'Ordered by slug. Omits removed rules.',
    input: ruleFilter,
    output: Rule,
    list: { cursor: ruleSlug, key: ({ slug }: { slug: string }) => slug },
    run: async ({ ctx, page: { limit, after } }, filter) => {
      const scope = await findScope(ctx.db, filter);
      const rows = await readRules(ctx.db, { ...scope, after: after as string | undefined, limit }); // as `list` declares it
      return rows.map(withPreset);
    },
  }),
  declareOperation({
    ...about,
    id: 'getRule',
    route: 'GET /api/v1/rules/{rule}',
    command: 'rules show',
    does: 'Show a rule',
    more: 'The kinds that it reports, its filter, cooldown and channels, and when it last created a message.',
    input: namedRule,
    output: RuleWhole,
    run: async ({ ctx }, { rule }) => readWhole(ctx, await (await loadManagement()).findRuleRow(ctx, rule)),
  }),
  declareOperation({
    ...about,
    id: 'tryRule',
    route: 'GET /api/v1/rules/{rule}/try',
    command: 'rules try',
    does: 'Preview the messages a rule would have sent; sends nothing',
    more: 'Applies the current rule to the discoveries of the last days and returns the messages that it would have sent. Sends nothing.',
    input: triedRule,
    output: RuleTrial,
    run: async ({ ctx }, { rule, days }) => {
      const { backtestRule } = await loadBacktest();
      return backtestRule(ctx, rule, days);
    },
  }),
  declareOperation({
    ...about,
    id: 'previewRule',
    route: 'POST /api/v1/rules/preview',
    command: 'rules preview',
    does: 'Preview the messages of a rule before it is created; saves and sends nothing',
    more: 'As `tryRule`, for a rule that is not saved. Takes the members of `createRule`, except its channels.',
    input: previewedRule,
    output: RuleTrial,
    example: 'strandline rules preview --topic harbour-ferry --preset fewer',
    run: async ({ ctx }, { days, ...written }) => {
      const { backtestNewRule } = await loadBacktest();
      return backtestNewRule(ctx, written, days);
    },
  }),
  declareOperation({
    ...about,
    id: 'sendFewer',
    route: 'POST /api/v1/rules/{rule}/fewer',
    command: 'rules fewer',
    scope: 'write',
    does: 'Make a rule send less, by one step',
    more: 'Messages: more becomes balanced, balanced becomes fewer; own settings get the cooldown and limit of the next stricter preset. Digests: several a day become one a day, several a week one a week. 409 if no step is left.',
    input: namedRule,
    output: Rule,
    idempotent: true,
    run: async ({ ctx }, { rule }) =>
      withPreset(await (await import('./send-fewer.ts')).sendFewer(ctx, rule)),
  }),
  declareChange(
    'pause',
    'Pause a rule; what is found meanwhile is never reported',
    'The rule never reports discoveries made while it is paused.',
  ),
  declareChange(
    'resume',
    'Resume a rule; it reports what is found from now on',
    'The rule reports discoveries made from now on.',
  ),
  declareChange(
    'remove',
    'Remove a rule and cancel its pending messages',
    'Cancels messages that have not been sent. Past deliveries stay listed.',
  ),
];
