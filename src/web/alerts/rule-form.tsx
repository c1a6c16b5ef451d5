import type { Problem } from '../../model/errors.ts';
import { GROWTH_MEASURES, UNUSUAL } from '../../model/growth-condition.ts';
import { MAX_QUERY_LENGTH } from '../../model/search-query.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import { RECOGNIZED_ADDRESSES } from '../../monitor/alerts/recognize-address.ts';
import { PRESET_NAMES, PRESET_WORDS, readPreset } from '../../monitor/alerts/rule-presets.ts';
import { RULE_KINDS, type RuleKind, SYSTEM_RULE } from '../../model/alerts.ts';
import type { ChannelRow, RuleRow } from '../../store/alerts/alert-queries.ts';
import { readFieldList, readField } from '../request-input.ts';
import { Button, Field, type FieldOption, Form, type FormValues } from '../components/form.tsx';
import { writeDigestSchedule } from '../../monitor/schedule/digest-schedule.ts';
import { formatInterval } from '../../lib/format-interval.ts';
import { IfAllowed, type PageFrame, useFrame } from '../components/page-frame.tsx';
import { nameSearchOf, nameTopic } from '../components/scope-names.tsx';
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
  name: 'names in answers',
};
const FIELD_LABELS = {
  name: 'Name',
  slug: 'Short name',
  on: 'Notify about',
  watches: 'Scope',
  filter: 'Filter',
  growth: 'Growth',
  digest: 'Digest',
  cooldown: 'Cooldown',
  max_per_day: 'Messages a day',
  quiet_hours: 'Quiet hours',
  tz: 'Time zone',
  channels: 'Channels',
  address: 'Where to send',
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
export function parseRuleForm(values: FormValues) {
  const [kind, slug] = (readField(values, 'watches') ?? '').split(':');
  return {
    name: readField(values, 'name'),
    on: readFieldList(values, 'on'),
    topic: kind === 'topic' ? (slug ?? '') : null,
    search: kind === 'search' ? (slug ?? '') : null,
    filter: readField(values, 'filter') ?? '',
    growth: (readField(values, 'growth') ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
    digest: readField(values, 'digest') ?? null,
    cooldown: readField(values, 'cooldown') ?? '0',
    max_per_day: readLimit(readField(values, 'max_per_day')),
    quiet_hours: readField(values, 'quiet_hours') ?? '',
    tz: readField(values, 'tz'),
    channels: readFieldList(values, 'channels'),
  };
}

/** The same of the rule `system`, which has fewer fields. */
export function parseSystemRuleForm(values: FormValues) {
  const { name, cooldown, max_per_day, quiet_hours, tz, channels } = parseRuleForm(values);
  return { name, cooldown, max_per_day, quiet_hours, tz, channels };
}

/** Empty: no limit. What is no number stays, so that it is refused. */
function readLimit(text: string | undefined): number | string | null {
  if (text === undefined) return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** The buttons of the form that save nothing. */
const PREVIEW = 'preview';

/** Whether the form was sent to be shown again: with a preview, by the settings of a preset if one was chosen. */
export function readFormAct(values: FormValues): { values: FormValues } | null {
  const act = readField(values, 'act');
  if (act === PREVIEW) return { values };
  const preset = PRESET_NAMES.find((name) => name === act);
  if (preset === undefined) return null;
  const { kinds, cooldown_seconds, max_per_day } = readPreset(preset);
  const settings = {
    on: [...kinds],
    cooldown: formatInterval(cooldown_seconds),
    max_per_day: max_per_day === null ? '' : String(max_per_day),
  };
  return { values: { ...values, ...settings } };
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

/** Without channels there is only the field for a new one. */
function placeChannelProblem(problem: Problem): Problem {
  return problem.path === 'channels' ? { ...problem, path: 'address' } : problem;
}

export function RuleForm({
  rule,
  values,
  problems,
  choices,
}: {
  /** Null for a new rule. */
  rule: RuleRow | null;
  values: FormValues | undefined;
  problems: readonly Problem[];
  choices: RuleChoices;
}) {
  const { channels } = choices;
  const frame = useFrame();
  const mayAddChannel = hasScopes(frame.visitor, 'admin');
  if (channels.length === 0 && !mayAddChannel)
    return <EmptyState words="A rule needs a channel. Ask somebody with the scope admin to create one." />;
  const { zone } = frame;
  const watches = rule === null ? '' : formatRuleScope(rule);
  const defaults = rule ?? readPreset('balanced');
  return (
    <Form
      class="form long"
      action={rule === null ? '/alerts/rules' : `/alerts/rules/${rule.slug}`}
      values={values}
      problems={channels.length === 0 ? problems.map(placeChannelProblem) : problems}
      label={rule === null ? 'New rule' : `Edit ${rule.name}`}
      labels={FIELD_LABELS}
    >
      {rule === null ? null : (
        <OpenedField edited={describeEditedRule(rule)} values={values} problems={problems} />
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
          <IfAllowed scope="write">
            <fieldset class="buttons">
              <legend>How much</legend>
              {PRESET_NAMES.map((name) => (
                <Button words={name} name="act" value={name} />
              ))}
              <p class="note">
                {PRESET_NAMES.map((name) => `${name}: ${PRESET_WORDS[name]}`).join('. ')}. Fills in the fields
                below and shows a preview.
              </p>
            </fieldset>
          </IfAllowed>
          <Field
            name="on"
            label={FIELD_LABELS.on}
            many
            value={defaults.kinds}
            options={RULE_KINDS.map((kind) => [kind, KIND_WORDS[kind]])}
          />
          <Field
            name="watches"
            label={FIELD_LABELS.watches}
            kind="select"
            value={watches}
            options={listRuleScopes(frame, choices, readField(values ?? {}, 'watches') ?? watches)}
          />
          <Field
            name="filter"
            label={FIELD_LABELS.filter}
            value={rule?.filter}
            placeholder={'ferry -cancelled "night line"'}
            autocomplete="off"
            help='All words must match, in any form. Also: "exact phrase", -excluded, OR, #hashtag, author:, domain:, lang:, min-engagement:. Empty: no filter. For spikes and trends, the filter applies to the sentence; for changed answers, to what changed.'
          />
          <Field
            name="digest"
            label={FIELD_LABELS.digest}
            value={rule === null || rule.digest === null ? '' : writeDigestSchedule(rule.digest)}
            placeholder="daily 8:00"
            autocomplete="off"
            help="Instead of single messages, a digest of everything in scope: daily 8:00, weekdays 8:00, weekly mon 8:00, or a cron expression, in the time zone below. Empty: no digest."
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
        value={formatInterval(defaults.cooldown_seconds)}
        options={listCooldowns(rule?.cooldown_seconds)}
        help="Anything found in between is combined into one message. A spike is sent at once, with it."
      />
      <Field
        name="max_per_day"
        label={FIELD_LABELS.max_per_day}
        value={defaults.max_per_day === null ? '' : String(defaults.max_per_day)}
        autocomplete="off"
        help="At most, to each channel; the rest is collected for the next day. Empty: no limit."
      />
      <Field
        name="quiet_hours"
        label={FIELD_LABELS.quiet_hours}
        value={rule?.quiet_hours ?? ''}
        placeholder="22:00-07:00"
        autocomplete="off"
        help="Nothing is sent between these times; one message comes at their end. Empty: none."
      />
      <Field
        name="tz"
        label={FIELD_LABELS.tz}
        value={rule?.tz ?? zone}
        autocomplete="off"
        help="Of the digest, the quiet hours, and the day that the limit counts."
      />
      {channels.length === 0 ? null : (
        <Field
          name="channels"
          label={FIELD_LABELS.channels}
          many
          value={rule?.channels ?? (channels.length === 1 ? channels.map(({ slug }) => slug) : [])}
          options={channels.map(({ slug, host }) => [slug, `${slug} (${host})`])}
        />
      )}
      {mayAddChannel ? (
        <Field
          name="address"
          label={channels.length === 0 ? 'Where to send' : 'Or a new channel'}
          autocomplete="off"
          help={`Paste ${RECOGNIZED_ADDRESSES}.`}
        />
      ) : null}
      <div class="buttons">
        <IfAllowed scope="write">
          <Button words={rule === null ? 'Create rule' : 'Save'} kind="main" />
          {rule?.slug === SYSTEM_RULE ? null : <Button words="Preview" name="act" value={PREVIEW} />}
        </IfAllowed>
        <a href="/alerts">{rule === null ? 'Cancel' : 'All alerts'}</a>
      </div>
    </Form>
  );
}

/** `"Tide news" about post, link of topic:tides, filter "", cooldown 15m, to desk` */
export function describeEditedRule(rule: RuleRow): string {
  const { name, kinds, filter, digest, cooldown_seconds, max_per_day, quiet_hours, tz, channels } = rule;
  const what = `${JSON.stringify(name)} about ${kinds.join(', ')} of ${formatRuleScope(rule) || 'all searches'}`;
  const limits = `${digest === null ? '' : `digest ${writeDigestSchedule(digest)}, `}cooldown ${formatInterval(cooldown_seconds)}, ${max_per_day ?? 'no'} limit, quiet ${quiet_hours ?? 'never'} ${tz}`;
  const how = `filter ${JSON.stringify(filter)}, ${limits}`;
  return `${what}, ${how}, to ${channels.join(', ') || 'no channel'}`;
}

function formatRuleScope({ topic, search }: Pick<RuleRow, 'topic' | 'search'>): string {
  if (search !== null) return `search:${search}`;
  return topic === null ? '' : `topic:${topic}`;
}

/** Includes the chosen scope even if it was removed. */
function listRuleScopes(frame: PageFrame, { topics, searches }: RuleChoices, chosen: string): FieldOption[] {
  const all: FieldOption[] = [
    ['', 'all searches'],
    ...topics.map(({ slug, name }): FieldOption => [`topic:${slug}`, `topic ${name}`]),
    ...searches.map(({ slug }): FieldOption => [`search:${slug}`, `search ${nameSearchOf(frame, slug)}`]),
  ];
  const isListed = all.some(([value]) => value === chosen);
  if (isListed) return all;
  const [kind, slug = ''] = chosen.split(':');
  const name = kind === 'search' ? nameSearchOf(frame, slug) : nameTopic(frame, slug);
  return [...all, [chosen, `${kind} ${name} (removed)`]];
}

function listCooldowns(seconds: number | undefined): readonly FieldOption[] {
  const own = seconds === undefined ? '0' : formatInterval(seconds);
  const isListed = COOLDOWNS.some(([value]) => value === own);
  return isListed ? COOLDOWNS : [...COOLDOWNS, [own, `at most every ${own}`]];
}
