/**
 * Input of operations on rules. To add a member: a line here, a column of the same name in `store/alerts/rule-rows.ts` and
 * in the view. Pure.
 */
import { z } from 'zod';
import { collectProblems, type Problem } from '../../model/errors.ts';
import { parseSpan } from '../../lib/time-point.ts';
import {
  EXPECTED_CONDITION,
  GROWTH_MEASURES,
  parseGrowthCondition,
  UNUSUAL,
  writeGrowthCondition,
} from '../../model/growth-condition.ts';
import { DAY, SECOND } from '../../lib/time.ts';
import { RULE_KINDS } from '../../model/alerts.ts';
import { queryText } from '../../model/query-shape.ts';
import {
  channelSlug,
  countParam,
  ruleSlug,
  searchSlug,
  textParam,
  topicSlug,
} from '../../model/value-shapes.ts';
import type { RuleSettings } from '../../store/alerts/rule-rows.ts';
import { commandWords } from '../operation.ts';
import { EXPECTED_DIGEST, parseDigestSchedule } from '../schedule/digest-schedule.ts';
import { parseZone } from '../schedule/time-zone.ts';
import { EXPECTED_QUIET_HOURS, parseQuietHours, writeQuietHours } from './quiet-hours.ts';
import { PRESET_NAMES, PRESET_WORDS, type PresetName, readPreset } from './rule-presets.ts';

/** How many days back a rule is previewed: two weeks have each weekday twice. */
export const DEFAULT_BACKTEST_DAYS = 14;
export const MAX_BACKTEST_DAYS = 90;

const DEFAULT_PRESET = 'balanced' satisfies PresetName;
const DEFAULTS = readPreset(DEFAULT_PRESET);
/** Cooldown of a new rule. */
const DEFAULT_COOLDOWN = '6h';

/**
 * The settings of a new rule that names none: those of its preset. Without a preset, rules on spikes and trends alone have
 * neither cooldown nor limit, because these are rare and spikes urgent; and a rule with its own cooldown has no limit.
 */
export function chooseDefaults({
  on,
  cooldown,
  growth,
  preset,
}: Pick<EditedRule, 'on' | 'cooldown' | 'growth' | 'preset'>): Pick<
  RuleSettings,
  'kinds' | 'cooldown_seconds' | 'max_per_day' | 'quiet_hours' | 'tz'
> {
  const settings = preset === undefined ? DEFAULTS : readPreset(preset);
  const kinds =
    on ?? (growth === undefined || preset !== undefined ? settings.kinds : (['growth'] as const).slice());
  const isRare = preset === undefined && kinds.every((kind) => kind === 'spike' || kind === 'trend');
  const isOwn = preset === undefined && cooldown !== undefined;
  return {
    kinds,
    cooldown_seconds: cooldown ?? (isRare ? 0 : settings.cooldown_seconds),
    max_per_day: isRare || isOwn ? null : settings.max_per_day,
    quiet_hours: null,
    tz: 'UTC',
  };
}

const MAX_RULE_NAME = 120;
const EXPECTED_NAME = `1 to ${MAX_RULE_NAME} characters`;
const MAX_RULE_CHANNELS = 20;
const EXPECTED_CHANNELS = `1 to ${MAX_RULE_CHANNELS} channels`;
const EXPECTED_KINDS = `one or more of ${RULE_KINDS.join(', ')}`;
const MAX_COOLDOWN = 30 * DAY;
const EXPECTED_COOLDOWN = '0, or a duration of at most 30 days, such as 90s, 15m, 1h or 2d';

/** `0`, `90s`, `15m`, `1h` or `2d`, in seconds. */
const cooldown = z.codec(
  textParam(20),
  z.int(EXPECTED_COOLDOWN).max(MAX_COOLDOWN / SECOND, EXPECTED_COOLDOWN),
  {
    decode: (text) => (text.trim() === '0' ? 0 : (parseSpan(text) ?? Number.NaN) / SECOND),
    encode: (seconds) => (seconds === 0 ? '0' : `${seconds}s`),
  },
);

const isZone = (zone: string) => collectProblems([], () => parseZone(zone) !== '', false);

/** `daily 8:00` or a cron expression, as a cron expression. */
const digestSchedule = z.codec(textParam(200), z.string(), {
  decode: (text, context) => {
    const problems: Problem[] = [];
    const cron = collectProblems<string | null>(problems, () => parseDigestSchedule(text), null);
    if (cron !== null) return cron;
    context.issues.push({ code: 'custom', input: text, message: problems[0]?.expected ?? EXPECTED_DIGEST });
    return z.NEVER;
  },
  encode: (cron) => cron,
});

const MAX_PER_DAY = 1_000;
const EXPECTED_LIMIT = `a whole number from 1 to ${MAX_PER_DAY}`;

/** `22:00-07:00`; empty: null. */
const quietHours = z.codec(textParam(20), z.string(EXPECTED_QUIET_HOURS).nullable(), {
  decode: (text, context) => {
    if (text.trim() === '') return null;
    const hours = parseQuietHours(text);
    if (hours !== undefined) return writeQuietHours(hours);
    context.issues.push({ code: 'custom', input: text, message: EXPECTED_QUIET_HOURS });
    return z.NEVER;
  },
  encode: (hours) => hours ?? '',
});

const MAX_CONDITIONS = 10;
/** As it is stored: `likes>=1000`. */
const condition = textParam(40, EXPECTED_CONDITION)
  .refine((text) => parseGrowthCondition(text) !== null, EXPECTED_CONDITION)
  .overwrite((text) => {
    const parsed = parseGrowthCondition(text);
    return parsed === null ? text : writeGrowthCondition(parsed);
  })
  .meta({ examples: ['likes>=1000', UNUSUAL] });

const members = {
  preset: z
    .enum(PRESET_NAMES, `one of ${PRESET_NAMES.join(', ')}`)
    .describe(
      `Kinds, cooldown and limit in one word, unless they are given, too. ${PRESET_NAMES.map((name) => `${name}: ${PRESET_WORDS[name]}.`).join(' ')} Default of a new rule: ${DEFAULT_PRESET}.`,
    )
    .register(commandWords, {
      flag: '--preset <name>',
      help: `${PRESET_NAMES.map((name) => `${name} (${PRESET_WORDS[name]})`).join('; ')}; a new rule is ${DEFAULT_PRESET}`,
    }),
  on: z
    .array(z.enum(RULE_KINDS), EXPECTED_KINDS)
    .min(1, EXPECTED_KINDS)
    .overwrite((kinds) => [...new Set(kinds)])
    .describe(`Kinds to report. Default: ${DEFAULTS.kinds.join(', ')}.`)
    .register(commandWords, {
      flag: '--on <kinds>',
      help: `what to report: ${RULE_KINDS.join(', ')}; comma-separated (default: ${DEFAULTS.kinds.join()})`,
      read: 'kinds',
    }),
  topic: topicSlug
    .nullable()
    .describe('Report only this topic; null: all.')
    .register(commandWords, { help: 'only this topic' }),
  search: searchSlug
    .nullable()
    .describe('Report only this search; null: all.')
    .register(commandWords, { help: 'only this search' }),
  filter: queryText
    .describe(
      'Query: words, "phrases", -excluded, OR, fields such as `lang:en`. Empty: no filter. See docs/reference/queries.md.',
    )
    .register(commandWords, {
      flag: '--filter <query>',
      help: 'words, "phrases", -excluded, OR, lang:en ... (docs/reference/queries.md); "" for no filter',
    }),
  growth: z
    .array(condition)
    .max(MAX_CONDITIONS)
    .overwrite((conditions) => [...new Set(conditions)])
    .describe(
      `For the kind growth: what a post must reach. ${UNUSUAL}: far more engagement than other posts of its age. Empty: ${UNUSUAL}.`,
    )
    .register(commandWords, {
      flag: '--growth <conditions>',
      help: `for growth: what a post must reach, such as likes>=1000; ${GROWTH_MEASURES.join(', ')}, or ${UNUSUAL}; comma-separated (default: ${UNUSUAL})`,
      read: 'list',
    }),
  cooldown: cooldown
    .describe(
      `Minimum time between messages, such as 30m or 1h. 0: one message per run that found something. Default: ${DEFAULT_COOLDOWN}; 0 for spikes and trends only.`,
    )
    .register(commandWords, {
      flag: '--cooldown <time>',
      help: `at most one message per period: 30m, 1h; 0 for one per run (default: ${DEFAULT_COOLDOWN}; for spikes and trends only: 0)`,
    }),
  max_per_day: z
    .int(EXPECTED_LIMIT)
    .min(1, EXPECTED_LIMIT)
    .max(MAX_PER_DAY, EXPECTED_LIMIT)
    .nullable()
    .describe(
      `Maximum messages a day to each channel; null: no limit. What exceeds it is collected for the next day. A fifth, at least one, is kept for spikes. Default: ${DEFAULTS.max_per_day}; no limit if a cooldown is given, or for spikes and trends only.`,
    )
    .register(commandWords, {
      flag: '--max-per-day <n>',
      help: `maximum messages a day; "none" for no limit (default: ${DEFAULTS.max_per_day}; none with --cooldown, and for spikes and trends only)`,
      read: 'number_or_none',
      expected: `${EXPECTED_LIMIT}, or none`,
    }),
  quiet_hours: quietHours
    .nullable()
    .describe(
      'Local times between which nothing is sent, such as 22:00-07:00: messages are collected and sent when they end. Empty or null: none.',
    )
    .register(commandWords, {
      flag: '--quiet-hours <times>',
      help: 'send nothing between these times of --tz, but one message at their end: 22:00-07:00; "" for none',
    }),
  digest: digestSchedule
    .nullable()
    .describe(
      'When to send a digest instead of what is found at once: daily 8:00, weekdays 8:00, weekly mon 8:00, or a cron expression, in the zone `tz`. It covers the time since the last one that was sent, and everything in scope. Null: no digest.',
    )
    .register(commandWords, {
      flag: '--digest <when>',
      help: 'send a digest instead: "daily 8:00", "weekdays 8:00", "weekly mon 8:00", or a cron expression; "" for none',
      read: 'text_or_none',
    }),
  tz: z
    .string()
    .max(64)
    .refine(isZone, 'the name of a time zone, such as Europe/Berlin, or UTC')
    .overwrite((zone) => (isZone(zone) ? parseZone(zone) : zone))
    .describe(
      'Time zone of the schedule of a digest, of the quiet hours, and of the day of the limit. Default: UTC.',
    )
    .register(commandWords, {
      flag: '--tz <zone>',
      help: 'time zone of --digest, of --quiet-hours, and of the day of --max-per-day (default: UTC)',
    }),
  channels: z
    .array(channelSlug, EXPECTED_CHANNELS)
    .min(1, EXPECTED_CHANNELS)
    .max(MAX_RULE_CHANNELS, EXPECTED_CHANNELS)
    .overwrite((slugs) => [...new Set(slugs)])
    .describe('Slugs of the channels to notify.')
    .register(commandWords, {
      flag: '--channel <channels>',
      help: 'channels to notify, comma-separated',
    }),
  name: textParam(MAX_RULE_NAME, EXPECTED_NAME)
    .trim()
    .min(1, EXPECTED_NAME)
    .describe('Display name. Default: the slug.')
    .register(commandWords, { help: 'display name (default: the slug)' }),
};

const rule = ruleSlug.clone().register(commandWords, { argument: 'rule', help: 'rule slug' });
export const namedRule = z.strictObject({ rule });

/** Checked even if other members are invalid, so that all problems are reported. */
function withOneScope<S extends z.ZodObject>(input: S): S {
  return input.refine(({ topic, search }) => typeof topic !== 'string' || typeof search !== 'string', {
    error: 'a topic or a search, not both',
    path: ['search'],
    when: ({ value }) => typeof value === 'object' && value !== null,
  });
}

const written = z.object(members).partial();
export const newRule = withOneScope(
  z.strictObject({
    slug: ruleSlug.clone().register(commandWords, { argument: 'rule', help: 'rule slug' }),
    ...written.shape,
    channels: members.channels,
  }),
).meta({
  examples: [
    {
      slug: 'storm-news',
      on: ['post', 'spike'],
      filter: 'storm -forecast',
      cooldown: '1h',
      channels: ['ops'],
    },
  ],
});
/** A rule at its slug. */
export const putRuleShape = withOneScope(
  z.strictObject({ rule, ...written.shape, channels: members.channels }),
).meta({ examples: [{ filter: 'storm -forecast', cooldown: '1h', channels: ['ops'] }] });
export const editedRule = withOneScope(z.strictObject({ rule, ...written.shape })).meta({
  examples: [{ cooldown: '30m' }],
});

/** A rule as it is written, validated. Omitted members keep their values, or get the defaults of a new rule. */
export type EditedRule = Omit<z.output<typeof editedRule>, 'rule'>;
export type NewRule = z.output<typeof newRule>;

export const ruleFilter = z.strictObject({
  topic: topicSlug.optional().register(commandWords, { help: 'only rules for this topic and its searches' }),
  search: searchSlug.optional().register(commandWords, { help: 'only rules for this search' }),
});

const days = countParam(MAX_BACKTEST_DAYS, DEFAULT_BACKTEST_DAYS).register(commandWords, {
  flag: '--days <n>',
  help: `number of days, up to ${MAX_BACKTEST_DAYS}`,
});
export const triedRule = z.strictObject({ rule, days });

const { channels: _channels, ...previewed } = written.shape;
export const previewedRule = withOneScope(z.strictObject({ ...previewed, days })).meta({
  examples: [{ preset: 'fewer', filter: 'storm -forecast', days: 14 }],
});
