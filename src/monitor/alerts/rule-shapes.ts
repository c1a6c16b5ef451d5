/**
 * Input of operations on rules. To add a member: a line here, a column of the same name in `store/alerts/rule-rows.ts` and
 * in the view. Pure.
 */
import { z } from 'zod';
import { collectProblems, type Problem } from '../../domain/errors.ts';
import { parseSpan } from '../../domain/time-point.ts';
import {
  EXPECTED_CONDITION,
  GROWTH_MEASURES,
  parseGrowthCondition,
  UNUSUAL,
  writeGrowthCondition,
} from '../../domain/growth-condition.ts';
import { DAY, HOUR, SECOND } from '../../domain/time.ts';
import { RULE_KINDS, type RuleKind } from '../../model/alerts.ts';
import { queryText } from '../../model/query-shape.ts';
import {
  channelSlug,
  countParam,
  ruleSlug,
  searchSlug,
  textParam,
  topicSlug,
} from '../../model/value-shapes.ts';
import { commandWords } from '../operation.ts';
import { EXPECTED_DIGEST, parseDigestSchedule } from '../schedule/digest-schedule.ts';
import { parseZone } from '../schedule/time-zone.ts';

/** How many days back a rule is previewed: a week has each weekday once. */
export const DEFAULT_BACKTEST_DAYS = 7;
export const MAX_BACKTEST_DAYS = 90;

const DEFAULT_KINDS = ['post', 'link'] as const satisfies readonly RuleKind[];

/** What a new rule on posts or links waits between messages: at most nine a day. Spikes and trends are rare, and spikes urgent. */
export const DEFAULT_COOLDOWN = '3h';
const DEFAULT_COOLDOWN_SECONDS = (3 * HOUR) / SECOND;

/** Kinds and cooldown, in seconds, of a new rule that names none. */
export function chooseDefaults({ on, cooldown, growth }: Pick<EditedRule, 'on' | 'cooldown' | 'growth'>): {
  kinds: RuleKind[];
  cooldown_seconds: number;
} {
  const kinds = on ?? [...(growth === undefined ? DEFAULT_KINDS : (['growth'] as const))];
  const isRare = kinds.every((kind) => kind === 'spike' || kind === 'trend');
  return { kinds, cooldown_seconds: cooldown ?? (isRare ? 0 : DEFAULT_COOLDOWN_SECONDS) };
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

const MAX_CONDITIONS = 10;
/** As it is stored: `likes>=1000`. */
const condition = textParam(40, EXPECTED_CONDITION)
  .refine((text) => parseGrowthCondition(text) !== null, EXPECTED_CONDITION)
  .overwrite((text) => {
    const parsed = parseGrowthCondition(text);
    return parsed === null ? text : writeGrowthCondition(parsed);
  })
  .meta({ examples: ['likes>=1000', UNUSUAL] });

const readList = (given: string) =>
  given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** `Posts, spike` as kinds. */
const readKinds = (given: string) => readList(given).map((part) => part.toLowerCase().replace(/s$/, ''));

const members = {
  on: z
    .array(z.enum(RULE_KINDS), EXPECTED_KINDS)
    .min(1, EXPECTED_KINDS)
    .overwrite((kinds) => [...new Set(kinds)])
    .describe(`Kinds to report. Default: ${DEFAULT_KINDS.join(', ')}.`)
    .register(commandWords, {
      flag: '--on <kinds>',
      help: `what to report: ${RULE_KINDS.join(', ')}; comma-separated (default: ${DEFAULT_KINDS.join()})`,
      read: readKinds,
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
      read: readList,
    }),
  cooldown: cooldown
    .describe(
      `Minimum time between messages, such as 30m or 1h. 0: one message per run that found something. Default: ${DEFAULT_COOLDOWN}; 0 for spikes and trends only.`,
    )
    .register(commandWords, {
      flag: '--cooldown <time>',
      help: `at most one message per period: 30m, 1h; 0 for one per run (default: ${DEFAULT_COOLDOWN}; for spikes and trends only: 0)`,
    }),
  digest: digestSchedule
    .nullable()
    .describe(
      'When to send a digest instead of what is found at once: daily 8:00, weekdays 8:00, weekly mon 8:00, or a cron expression, in the zone `tz`. It covers the time since the last one that was sent, and everything in scope. Null: no digest.',
    )
    .register(commandWords, {
      flag: '--digest <when>',
      help: 'send a digest instead: "daily 8:00", "weekdays 8:00", "weekly mon 8:00", or a cron expression; "" for none',
      read: (given) => (given.trim() === '' ? null : given),
    }),
  tz: z
    .string()
    .max(64)
    .refine(isZone, 'the name of a time zone, such as Europe/Berlin, or UTC')
    .overwrite((zone) => (isZone(zone) ? parseZone(zone) : zone))
    .describe('Time zone of the schedule of a digest. Default: UTC.')
    .register(commandWords, { flag: '--tz <zone>', help: 'time zone of --digest (default: UTC)' }),
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

export const triedRule = z.strictObject({
  rule,
  days: countParam(MAX_BACKTEST_DAYS, DEFAULT_BACKTEST_DAYS).register(commandWords, {
    flag: '--days <n>',
    help: `number of days, up to ${MAX_BACKTEST_DAYS}`,
  }),
});
