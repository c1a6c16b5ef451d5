import type { Problem } from '../../domain/errors.ts';
import { GROWTH_MEASURES, UNUSUAL } from '../../domain/growth-condition.ts';
import { MAX_QUERY_LENGTH } from '../../domain/search-query.ts';
import { DEFAULT_COOLDOWN } from '../../monitor/alerts/rule-shapes.ts';
import { RULE_KINDS, type RuleKind, SYSTEM_RULE } from '../../model/alerts.ts';
import type { ChannelRow, RuleRow } from '../../store/alerts/alert-queries.ts';
import { readFieldList, readField } from '../request-input.ts';
import { Button, Field, type FieldOption, Form, type FormValues } from '../components/form.tsx';
import { formatInterval } from '../../monitor/schedule/schedule.ts';
import { IfAllowed } from '../components/page-frame.tsx';
import { EmptyState } from '../components/section.tsx';
import { OpenedField } from '../edit/opened-field.tsx';
import { z } from 'zod';

/** Scopes and channels to choose from. */
export type RuleChoices = {
  topics: readonly { slug: string; name: string }[];
  searches: readonly { slug: string; topic: string }[];
  channels: readonly ChannelRow[];
};

const KIND_WORDS: Readonly<Record<RuleKind, string>> = {
  post: 'new posts',
  link: 'new links',
  spike: 'spikes',
  trend: 'trends',
  answer: 'changed answers',
  growth: 'growing posts',
};
const FIELD_LABELS = {
  name: 'Name',
  slug: 'Short name',
  on: 'Notify about',
  watches: 'Scope',
  filter: 'Filter',
  growth: 'Growth',
  cooldown: 'Cooldown',
  channels: 'Channels',
} as const;
const COOLDOWNS = [
  ['0', 'none: send immediately'],
  ['5m', 'at most every 5 minutes'],
  ['15m', 'at most every 15 minutes'],
  ['1h', 'at most every hour'],
  ['3h', 'at most every 3 hours'],
  ['6h', 'at most every 6 hours'],
  ['1d', 'at most once a day'],
] as const;

/** The rule that the form describes, as the API takes it. If no box is ticked, the list is empty and not unchanged. */
export function parseRuleForm(given: FormValues) {
  const [kind, slug] = (readField(given, 'watches') ?? '').split(':');
  return {
    name: readField(given, 'name'),
    on: readFieldList(given, 'on'),
    topic: kind === 'topic' ? (slug ?? '') : null,
    search: kind === 'search' ? (slug ?? '') : null,
    filter: readField(given, 'filter') ?? '',
    growth: (readField(given, 'growth') ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
    cooldown: readField(given, 'cooldown') ?? '0',
    channels: readFieldList(given, 'channels'),
  };
}

/** The same of the rule `system`, which has fewer fields. */
export function parseSystemRuleForm(given: FormValues) {
  const { name, cooldown, channels } = parseRuleForm(given);
  return { name, cooldown, channels };
}

/** What a list proposes for a rule. */
export const ruleProposal = z.object({
  topic: z.string().max(64).optional(),
  search: z.string().max(64).optional(),
  filter: z.string().max(MAX_QUERY_LENGTH).optional(),
  on: z.enum(RULE_KINDS).optional(),
});

/** The values of a form for it. */
export function proposeRule({ topic, search, filter, on }: z.infer<typeof ruleProposal>): FormValues {
  const watches =
    search === undefined ? (topic === undefined ? undefined : `topic:${topic}`) : `search:${search}`;
  return { watches, filter, on: on === undefined ? undefined : [on] };
}

/** Moves problems of topic and search to the field for both. */
export function placeRuleProblem(problem: Problem): Problem {
  return problem.path === 'topic' || problem.path === 'search' ? { ...problem, path: 'watches' } : problem;
}

export function RuleForm({
  rule,
  given,
  problems,
  choices,
}: {
  /** Null for a new rule. */
  rule: RuleRow | null;
  given: FormValues | undefined;
  problems: readonly Problem[];
  choices: RuleChoices;
}) {
  const { channels } = choices;
  if (channels.length === 0)
    return (
      <EmptyState
        words="A rule needs a channel, and none exists yet."
        todo={{ words: 'Create a channel first', href: '/alerts/channels/new', scope: 'admin' }}
      />
    );
  const watches = rule === null ? '' : formatRuleScope(rule);
  return (
    <Form
      action={rule === null ? '/alerts/rules' : `/alerts/rules/${rule.slug}`}
      given={given}
      problems={problems}
      label={rule === null ? 'New rule' : `Edit ${rule.slug}`}
      labels={FIELD_LABELS}
    >
      {rule === null ? null : (
        <OpenedField edited={describeEditedRule(rule)} given={given} problems={problems} />
      )}
      <Field name="name" label={FIELD_LABELS.name} value={rule?.name} help="Included in each message." />
      {rule !== null ? null : (
        <Field
          name="slug"
          label={FIELD_LABELS.slug}
          autocomplete="off"
          help="Used in addresses and commands. Derived from the name if empty."
        />
      )}
      {rule?.slug === SYSTEM_RULE ? null : (
        <>
          <Field
            name="on"
            label={FIELD_LABELS.on}
            many
            value={rule?.kinds ?? ['post', 'link']}
            options={RULE_KINDS.map((kind) => [kind, KIND_WORDS[kind]])}
          />
          <Field
            name="watches"
            label={FIELD_LABELS.watches}
            kind="select"
            value={watches}
            options={listRuleScopes(choices, readField(given ?? {}, 'watches') ?? watches)}
          />
          <Field
            name="filter"
            label={FIELD_LABELS.filter}
            value={rule?.filter}
            placeholder={'ferry -cancelled "night line"'}
            autocomplete="off"
            help='All words must match, in any form. Also: "exact phrase", -excluded, OR, #hashtag, author:, domain:, lang:, min-engagement:. Empty: no filter. For spikes and trends, the filter applies to the sentence; for changed answers, to what changed.'
          />
        </>
      )}
      <Field
        name="growth"
        label={FIELD_LABELS.growth}
        value={rule?.growth.join(', ')}
        placeholder="likes>=1000, views>=50000"
        autocomplete="off"
        help={`For growing posts: what a post must reach (${GROWTH_MEASURES.join(', ')}). Empty, or "${UNUSUAL}": far more engagement than other posts of its age.`}
      />
      <Field
        name="cooldown"
        label={FIELD_LABELS.cooldown}
        kind="select"
        value={rule === null ? DEFAULT_COOLDOWN : formatInterval(rule.cooldown_seconds)}
        options={listCooldowns(rule?.cooldown_seconds)}
        help="What comes in between is combined into one message."
      />
      <Field
        name="channels"
        label={FIELD_LABELS.channels}
        many
        value={rule?.channels ?? (channels.length === 1 ? channels.map(({ slug }) => slug) : [])}
        options={channels.map(({ slug, host }) => [slug, `${slug} (${host})`])}
      />
      <div class="buttons">
        <IfAllowed scope="write">
          <Button words={rule === null ? 'Create rule' : 'Save'} kind="main" />
        </IfAllowed>
        <a href="/alerts">{rule === null ? 'Cancel' : 'All alerts'}</a>
      </div>
    </Form>
  );
}

/** `"Tide news" about post, link of topic:tides, filter "", cooldown 15m, to desk` */
export function describeEditedRule(rule: RuleRow): string {
  const { name, kinds, filter, cooldown_seconds, channels } = rule;
  const what = `${JSON.stringify(name)} about ${kinds.join(', ')} of ${formatRuleScope(rule) || 'all searches'}`;
  const how = `filter ${JSON.stringify(filter)}, cooldown ${formatInterval(cooldown_seconds)}`;
  return `${what}, ${how}, to ${channels.join(', ') || 'no channel'}`;
}

function formatRuleScope({ topic, search }: Pick<RuleRow, 'topic' | 'search'>): string {
  if (search !== null) return `search:${search}`;
  return topic === null ? '' : `topic:${topic}`;
}

/** Includes the chosen scope even if it was removed. */
function listRuleScopes({ topics, searches }: RuleChoices, chosen: string): FieldOption[] {
  const all: FieldOption[] = [
    ['', 'all searches'],
    ...topics.map(({ slug, name }): FieldOption => [`topic:${slug}`, `topic ${name}`]),
    ...searches.map(({ slug }): FieldOption => [`search:${slug}`, `search ${slug}`]),
  ];
  const isListed = all.some(([value]) => value === chosen);
  return isListed ? all : [...all, [chosen, `${chosen.replace(':', ' ')} (removed)`]];
}

function listCooldowns(seconds: number | undefined): readonly FieldOption[] {
  const own = seconds === undefined ? '0' : formatInterval(seconds);
  const isListed = COOLDOWNS.some(([value]) => value === own);
  return isListed ? COOLDOWNS : [...COOLDOWNS, [own, `at most every ${own}`]];
}
