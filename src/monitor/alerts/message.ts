/**
 * The content of messages, from which each kind of channel composes a body. The OpenAPI document describes it under `webhooks`.
 * Only add members.
 */

import { describeVerdict } from '../../model/judging.ts';
import { ANSWER_CHANGES } from '../../model/statements/answer-change.ts';
import { forCounters, MAIN_COUNTERS } from '../../model/counters.ts';
import { findCommonValue } from '../../lib/group-by.ts';
import { trimEndSlashes } from '../../model/links/link.ts';
import { formatMinute } from '../../lib/display-format.ts';
import { truncateText } from '../../lib/text.ts';
import type {
  FeedAnswer,
  FeedEntry,
  FeedGrowth,
  FeedLink,
  FeedPost,
  FeedSpike,
  FeedTrend,
} from '../../store/alerts/reportable-discoveries.ts';
import type { SearchNames } from '../../store/queries/search-names.ts';
import type { HeldRow } from '../../store/alerts/held-deliveries.ts';
import type { ToldEvent } from '../../store/alerts/system-event-rows.ts';
import { COPIES_SHAPE, ONE_COPY } from '../../store/stories/one-thing.ts';
import type { Id } from '../../store/db/database.ts';
import type { StoredDigest } from '../../store/alerts/digests.ts';
import { Digest } from '../digests/digest-shapes.ts';
import { describeHeld } from '../digests/stored-digests.ts';
import { SYSTEM_EVENT_KINDS } from '../../model/alerts.ts';
import { SENSITIVITIES, NAME_CHANGES, SPIKE_CAUSES, SPIKE_MEASURES } from '../../model/closed-lists.ts';
import { TREND_STATES } from '../../model/enumerations.ts';
import { describeProblem, findProblemPage, PROBLEM_CHANGES, type ProblemChange } from './problem-words.ts';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

/** Longest text of a post in a message, in UTF-16 code units. The database has the whole text. */
const MAX_MESSAGE_TEXT = 2_000;
/** Discoveries that a message contains in full; of further ones it has the ids. */
export const MAX_WHOLE_DISCOVERIES = 100;
/** Ids of further discoveries in a message. */
const MAX_FURTHER_IDS = 4_900;

const TIME = z.string().meta({ format: 'date-time' });
const COUNT = z.number().nullable().describe('Null if unknown.');
const SHORTENED_TEXT = z.string().max(MAX_MESSAGE_TEXT);

const MessagePost = z.object({
  id: z.string(),
  external_id: z.string().describe('Id at the service.'),
  url: z.string().nullable(),
  author_username: z.string().nullable(),
  text: SHORTENED_TEXT.describe('Truncated text ends with an ellipsis.'),
  lang: z.string().nullable(),
  hashtags: z.array(z.string()),
  created_at: TIME.nullable(),
  ...forCounters(MAIN_COUNTERS, () => COUNT),
});

const MessageLink = z.object({
  post: MessagePost.nullable().describe('The post that the link names; null if it names none that is known.'),
  id: z.string(),
  url: z.string(),
  site: z.string(),
  title: SHORTENED_TEXT.nullable(),
  snippet: SHORTENED_TEXT.nullable(),
  published_at: TIME.nullable(),
});

const MessageSpike = z
  .object({
    id: z.string(),
    measure: z.enum(SPIKE_MEASURES),
    sentence: z.string(),
    window_start: TIME,
    window_end: TIME,
    n: z.number(),
    lower_bound: z.boolean(),
    coverage: z.number(),
    usual: z.number(),
    mean: z.number(),
    sd: z.number(),
    score: z.number(),
    threshold: z.number(),
    days: z.int(),
    windows: z.int(),
    sensitivity: z.enum(SENSITIVITIES),
    provisional: z.boolean(),
    only_by: z.enum(SPIKE_CAUSES).nullable(),
    why: z.string().nullable(),
  })
  .describe('Units as in the view spikes of the SQL contract.');

const MessageTrend = z
  .object({
    id: z.string(),
    state: z.enum(TREND_STATES),
    sentence: z.string(),
    since: TIME,
    previous_state: z.enum(TREND_STATES).nullable(),
    previous_since: TIME.nullable(),
    rate_before: z.number().nullable(),
    rate: z.number().nullable(),
    observed_hours: z.number().nullable(),
    expected: z.number().nullable(),
    score: z.number().nullable(),
    threshold: z.number().nullable(),
    days: z.int(),
    why: z.string().nullable(),
  })
  .describe('Units as in the view trend_states of the SQL contract.');

const MessageName = z
  .object({
    id: z.string(),
    name: z.string(),
    change: z.enum(NAME_CHANGES),
    before: z.int(),
    present: z.int(),
    missing: z.int(),
    sentence: z.string(),
  })
  .describe('Units as in the view name_changes of the SQL contract.');

/** Changes of a completion that a message has. */
const MAX_MESSAGE_CHANGES = 50;

const MessageAnswer = z
  .object({
    id: z.string().describe('Id of the completion.'),
    changes: z
      .array(
        z.object({
          change: z
            .enum(ANSWER_CHANGES)
            .describe('`revised`: only figures changed; the text has them as `25 → 28`.'),
          text: SHORTENED_TEXT.describe('The statement.'),
        }),
      )
      .max(MAX_MESSAGE_CHANGES)
      .describe(
        'What is new in the answer and no answer of the 7 days before said, then what the previous one said and it does not.',
      ),
  })
  .describe('A completion that says something new.');

const MessageGrowth = z
  .object({
    id: z.string(),
    condition: z.string().describe('Of the rule: `likes>=1000` or `unusual`.'),
    value: z.number().describe('The counter, or the engagement, when it was reached.'),
    age_hours: z.number().nullable().describe('Age of the post in hours; null unless unusual.'),
    usual: z.number().nullable().describe('Median engagement at this age; null unless unusual.'),
    compared_with: z.int().nullable().describe('Number of posts compared; null unless unusual.'),
    sentence: z.string(),
    post: MessagePost,
  })
  .describe('A post that grew as the rule asks.');

const COMMON_MEMBERS = {
  id: z.string().describe('Id of the discovery, in the order of the feed.'),
  at: TIME.describe('Time of the discovery.'),
  run_id: z.string(),
  topic: z.string().describe('Slug.'),
  topic_name: z.string(),
  search: z.string().describe('Slug.'),
  search_name: z.string().describe('Of its topic and the search, such as `Night trains: Posts`.'),
  simulated: z.boolean().describe('True if it comes from the sandbox.'),
  first_in_topic: z
    .boolean()
    .describe(
      'False if another search of the topic found the item before. True for spikes, trends, answers and names.',
    ),
  page: z.string().nullable().describe('URL of the item in the dashboard; null without `BASE_URL`.'),
};
const JUDGED_MEMBER = {
  judgement: z
    .object({
      relevant: z.boolean().nullable().describe('Null: it was not judged in time.'),
      why: z.string().nullable().describe('In at most a dozen words of the model.'),
    })
    .optional()
    .describe('What a language model says of it. Absent if its topic has no goal.'),
};
const Discovery = z.discriminatedUnion('kind', [
  z.object({
    ...COMMON_MEMBERS,
    ...JUDGED_MEMBER,
    kind: z.literal('post'),
    ...COPIES_SHAPE,
    post: MessagePost,
  }),
  z.object({
    ...COMMON_MEMBERS,
    ...JUDGED_MEMBER,
    kind: z.literal('link'),
    ...COPIES_SHAPE,
    link: MessageLink,
  }),
  z.object({ ...COMMON_MEMBERS, kind: z.literal('spike'), spike: MessageSpike }),
  z.object({ ...COMMON_MEMBERS, kind: z.literal('trend'), trend: MessageTrend }),
  z.object({ ...COMMON_MEMBERS, kind: z.literal('answer'), answer: MessageAnswer }),
  z.object({ ...COMMON_MEMBERS, ...JUDGED_MEMBER, kind: z.literal('growth'), growth: MessageGrowth }),
  z.object({ ...COMMON_MEMBERS, kind: z.literal('name'), name: MessageName }),
]);
export type MessageDiscovery = z.infer<typeof Discovery>;

const Muted = z
  .object({
    since: TIME.describe('When the first of them was held back.'),
    until: TIME.describe('When the mute ended.'),
    topic: z.string().nullable().describe('Slug of the topic that was muted; null: the rule, or everything.'),
    topic_name: z.string().nullable(),
  })
  .describe('The message sums up what a mute held back; null if it does not.');
/** The mute that a message sums up. */
export type MutedSince = { since: Date; until: Date; topic: string | null; topic_name: string | null };

const DailyLimit = z
  .object({
    per_day: z.int(),
    number: z.int().describe('Which message of the day this is.'),
    waited: z.boolean().describe('Whether it waited for this day.'),
    rest_of_day: z.enum(['any', 'spikes', 'none']).describe('What the limit allows for the rest of the day.'),
  })
  .describe('Limit of the rule; null if it has none.');
export type MessageLimit = z.infer<typeof DailyLimit>;

export const DiscoveriesMessage = z
  .object({
    type: z.literal('strandline.discoveries'),
    timestamp: TIME.describe('When the message was composed.'),
    data: z.object({
      rule: z.string().describe('Slug of the rule.'),
      rule_name: z.string(),
      topic: z.string().nullable().describe('Slug of the topic; null if there are several.'),
      topic_name: z.string().nullable(),
      search: z.string().nullable().describe('Slug of the search; null if there are several.'),
      run_id: z.string().nullable().describe('Id of the run; null if there are several.'),
      link: z.string().nullable().describe('URL in the dashboard; null without `BASE_URL`.'),
      total: z.int().describe('Number of all discoveries.'),
      counts: z.record(z.string(), z.int()).describe('Number of discoveries of each kind.'),
      muted: Muted.nullable(),
      daily_limit: DailyLimit.nullable(),
      discoveries: z
        .array(Discovery)
        .max(MAX_WHOLE_DISCOVERIES)
        .describe(
          'If there are more, those that matter most: spikes and trends, posts by engagement, links.',
        ),
      further_ids: z
        .array(z.string())
        .max(MAX_FURTHER_IDS)
        .describe(`Ids of the others, up to ${MAX_FURTHER_IDS}: after a mute, there may be more.`),
    }),
  })
  .meta({ id: 'DiscoveriesMessage' });

export const DigestMessage = z
  .object({
    type: z.literal('strandline.digest'),
    timestamp: TIME.describe('When the message was composed.'),
    data: z.object({
      rule: z.string().describe('Slug of the rule.'),
      rule_name: z.string(),
      id: z.string().describe('Id of the digest.'),
      link: z.string().nullable().describe('Its page in the dashboard; null without `BASE_URL`.'),
      digest: Digest,
    }),
  })
  .meta({ id: 'DigestMessage' });

const Problem = z
  .object({
    id: z.string().describe('The same in the message about its beginning and in that about its end.'),
    kind: z.enum(SYSTEM_EVENT_KINDS).describe('As in the view system_events of the SQL contract.'),
    change: z
      .enum(PROBLEM_CHANGES)
      .describe(
        '`began`: it lasts. `ended`: an earlier message said that it began. `passed`: it is already over.',
      ),
    subject: z.string().describe('Slug of the search or channel; name of the source, service or worker.'),
    subject_name: z.string().describe('What people call it: of a search, its name with that of its topic.'),
    search: z.string().nullable().describe('Slug; null unless it is about a search.'),
    topic: z.string().nullable().describe('Slug of the topic of the search.'),
    since: TIME,
    until: TIME.nullable().describe('Null: it lasts.'),
    reason: z.string().nullable(),
    advice: z.string().nullable().describe('What a person can do.'),
    sentence: z.string().describe('All of this in one sentence. Times in it are in UTC.'),
    page: z.string().nullable().describe('URL of its subject in the dashboard; null without `BASE_URL`.'),
  })
  .meta({ id: 'SystemProblem' });
export type MessageProblem = z.infer<typeof Problem>;

export const SystemMessage = z
  .object({
    type: z.literal('strandline.system'),
    timestamp: TIME.describe('When the message was composed.'),
    data: z.object({
      rule: z.string().describe('Slug of the rule: `system`.'),
      rule_name: z.string(),
      simulated: z.boolean().describe('True if it is about the sandbox.'),
      link: z.string().nullable().describe('URL in the dashboard; null without `BASE_URL`.'),
      total: z.int().describe('Number of problems, also those that `problems` lacks.'),
      problems: z.array(Problem).max(MAX_WHOLE_DISCOVERIES).describe('By their beginning.'),
    }),
  })
  .meta({ id: 'SystemMessage' });

export const TestMessage = z
  .object({
    type: z.literal('strandline.test'),
    timestamp: TIME.describe('When the message was composed.'),
    data: z.object({ channel: z.string().describe('Slug of the channel that was tested.') }),
  })
  .meta({ id: 'TestMessage' });

/** A message from which a kind of channel composes a body. */
export type ChannelMessage =
  | z.infer<typeof DiscoveriesMessage>
  | z.infer<typeof DigestMessage>
  | z.infer<typeof SystemMessage>
  | z.infer<typeof TestMessage>;

type MessageContent = {
  rule: { slug: string; name: string };
  /** The discoveries in full, in the order of the feed. */
  entries: readonly FeedEntry[];
  /** Of their searches. */
  names: SearchNames;
  /** Ids of all discoveries. */
  ids: readonly Id[];
  /** Their number by kind. */
  counts: Readonly<Record<string, number>>;
  /** The mute that it sums up; null if it does not. */
  muted: (MutedSince & { delivery: Id }) | null;
  limit: MessageLimit | null;
  at: Date;
  /** `https://strandline.host`; undefined if the address of the dashboard is not configured. */
  baseUrl: string | undefined;
};

export function describeDiscoveries({
  rule,
  entries,
  names,
  ids,
  counts,
  muted,
  limit,
  at,
  baseUrl,
}: MessageContent): z.infer<typeof DiscoveriesMessage> {
  const run = findCommonValue(entries.map(({ run_id }) => run_id));
  const search = findCommonValue(entries.map(({ search: slug }) => slug));
  const topic = findCommonValue(entries.map(({ topic: slug }) => slug));
  const whole = new Set(entries.map(({ id }) => id));
  return {
    type: 'strandline.discoveries',
    timestamp: at.toISOString(),
    data: {
      rule: rule.slug,
      rule_name: rule.name,
      topic,
      topic_name: topic === null ? null : (names.get(entries[0]?.search ?? '')?.topic ?? topic),
      search,
      run_id: run === null ? null : String(run),
      link:
        muted === null || baseUrl === undefined
          ? buildDashboardLink(baseUrl, run, search, topic)
          : `${trimEndSlashes(baseUrl)}/alerts/deliveries/${muted.delivery}`,
      total: ids.length,
      counts: Object.fromEntries(
        Object.entries(counts).map(([kind, n]) => [kind === 'completion' ? 'answer' : kind, n]),
      ),
      muted:
        muted === null
          ? null
          : {
              since: muted.since.toISOString(),
              until: muted.until.toISOString(),
              topic: muted.topic,
              topic_name: muted.topic_name,
            },
      daily_limit: limit,
      discoveries: entries.map((each) => describeDiscovery(each, names, baseUrl)),
      further_ids: ids
        .filter((id) => !whole.has(id))
        .slice(0, MAX_FURTHER_IDS)
        .map(String),
    },
  };
}

/** A digest as a message. @param content.held what rules that were muted held back for its channel */
export function describeDigest(
  { id, rule, rule_name, value, brief }: Pick<StoredDigest, 'id' | 'rule' | 'rule_name' | 'value' | 'brief'>,
  { held, at, baseUrl }: Pick<MessageContent, 'at' | 'baseUrl'> & { held: readonly HeldRow[] },
): z.infer<typeof DigestMessage> {
  const address = baseUrl === undefined ? null : `${trimEndSlashes(baseUrl)}/digests/${id}`;
  const stored = Digest.parse(value);
  const digest = { ...stored, brief, held: [...stored.held, ...describeHeld(held)] };
  const data = { rule, rule_name, id: String(id), link: address, digest };
  return { type: 'strandline.digest', timestamp: at.toISOString(), data };
}

/** A problem, and its text in the message. */
export type ReportedProblem = ToldEvent & { change: ProblemChange };

/** A message about strandline itself. @param content.simulated it is about the sandbox */
export function describeProblems({
  rule,
  problems,
  names,
  simulated,
  at,
  baseUrl,
}: Pick<MessageContent, 'rule' | 'names' | 'at' | 'baseUrl'> & {
  problems: readonly ReportedProblem[];
  simulated: boolean;
}): z.infer<typeof SystemMessage> {
  const base = baseUrl === undefined ? null : trimEndSlashes(baseUrl);
  const [only] = problems;
  const page = only === undefined || problems.length > 1 ? '/alerts#problems' : findProblemPage(only);
  return {
    type: 'strandline.system',
    timestamp: at.toISOString(),
    data: {
      rule: rule.slug,
      rule_name: rule.name,
      simulated,
      link: base === null ? null : `${base}${page}`,
      total: problems.length,
      problems: problems.slice(0, MAX_WHOLE_DISCOVERIES).map((problem) => {
        const { id, kind, change, subject, search, topic, since, until, reason, advice } = problem;
        const subject_name = search === null ? subject : (names.get(search)?.full ?? search);
        return {
          id: String(id),
          kind,
          change,
          subject,
          subject_name,
          search,
          topic,
          since: since.toISOString(),
          until: until?.toISOString() ?? null,
          reason,
          advice,
          sentence: describeProblem({ ...problem, subject: subject_name }, change, formatUtcMinute),
          page: base === null ? null : `${base}${findProblemPage(problem)}`,
        };
      }),
    },
  };
}

/** With its year, because messages are read later. */
function formatUtcMinute(at: Date): string {
  return `${formatMinute(at, { zone: 'UTC', now: null })} UTC`;
}

/** A message to test a channel. */
export function describeTest(channel: string, at: Date): z.infer<typeof TestMessage> {
  return { type: 'strandline.test', timestamp: at.toISOString(), data: { channel } };
}

function describeDiscovery(
  entry: FeedEntry,
  names: SearchNames,
  baseUrl: string | undefined,
): MessageDiscovery {
  const { id, at, run_id, search, topic, service_kind, first_in_topic } = entry;
  const common = {
    id: String(id),
    at: at.toISOString(),
    run_id: String(run_id),
    topic,
    topic_name: names.get(search)?.topic ?? topic,
    search,
    search_name: names.get(search)?.full ?? search,
    simulated: service_kind === 'sandbox',
    first_in_topic,
    page: baseUrl === undefined ? null : `${trimEndSlashes(baseUrl)}${findPage(entry)}`,
  };
  const judgement = entry.judged === undefined ? {} : { judgement: describeVerdict(entry.judged.verdict) };
  switch (entry.kind) {
    case 'post':
      return {
        ...common,
        ...judgement,
        kind: entry.kind,
        ...describeCopies(entry),
        post: describePost(entry.post),
      };
    case 'link':
      return {
        ...common,
        ...judgement,
        kind: entry.kind,
        ...describeCopies(entry),
        link: describeLink(entry.link),
      };
    case 'spike':
      return { ...common, kind: entry.kind, spike: describeSpike(entry.spike) };
    case 'trend':
      return { ...common, kind: entry.kind, trend: describeTrend(entry.trend) };
    case 'name':
      return { ...common, kind: 'name', name: { ...entry.name, id: String(entry.name.id) } };
    case 'growth':
      return { ...common, ...judgement, kind: 'growth', growth: describeGrowth(entry.growth) };
    case 'completion':
      return { ...common, kind: 'answer', answer: describeAnswer(entry.answer) };
  }
}

function findPage(entry: FeedEntry): string {
  switch (entry.kind) {
    case 'post':
      return `/posts/${entry.post.id}`;
    case 'link':
      return `/links/${entry.link.id}`;
    case 'name':
      return `/topics/${entry.topic}/names`;
    case 'growth':
      return `/posts/${entry.growth.post.id}`;
    case 'spike':
      return `/searches/${entry.search}#spikes`;
    case 'trend':
      return `/searches/${entry.search}#volume`;
    case 'completion':
      return `/searches/${entry.search}/completions?to=${entry.run_id}`;
  }
}

function describeCopies({ copies: known = ONE_COPY }: FeedEntry) {
  const { copies, authors, copies_at_least, story_id } = known;
  return { copies, authors, copies_at_least, story_id: story_id === null ? null : String(story_id) };
}

function describePost({ id, text, created_at, author_name: _name, ...rest }: FeedPost) {
  return {
    id: String(id),
    ...rest,
    text: truncateText(text, MAX_MESSAGE_TEXT),
    created_at: created_at?.toISOString() ?? null,
  };
}

function describeLink({ id, title, snippet, published_at, post: named, ...rest }: FeedLink) {
  return {
    id: String(id),
    ...rest,
    post: named === null ? null : describePost(named),
    title: title === null ? null : truncateText(title, MAX_MESSAGE_TEXT),
    snippet: snippet === null ? null : truncateText(snippet, MAX_MESSAGE_TEXT),
    published_at: published_at?.toISOString() ?? null,
  };
}

function describeSpike({ id, window_start, window_end, ...rest }: FeedSpike) {
  return {
    id: String(id),
    ...rest,
    window_start: window_start.toISOString(),
    window_end: window_end.toISOString(),
  };
}

function describeTrend({ id, since, previous_since, ...rest }: FeedTrend) {
  return {
    id: String(id),
    ...rest,
    since: since.toISOString(),
    previous_since: previous_since?.toISOString() ?? null,
  };
}

function describeGrowth({ id, post: grown, ...rest }: FeedGrowth) {
  return { id: String(id), ...rest, post: describePost(grown) };
}

function describeAnswer({ id, changes }: FeedAnswer) {
  return {
    id: String(id),
    changes: changes
      .slice(0, MAX_MESSAGE_CHANGES)
      .map(({ change, text }) => ({ change, text: truncateText(text, MAX_MESSAGE_TEXT) })),
  };
}

function buildDashboardLink(
  baseUrl: string | undefined,
  run: Id | null,
  search: string | null,
  topic: string | null,
): string | null {
  if (baseUrl === undefined) return null;
  const base = trimEndSlashes(baseUrl);
  if (run !== null) return `${base}/runs/${run}`;
  if (search !== null) return `${base}/searches/${search}`;
  return topic === null ? `${base}/alerts` : `${base}/topics/${topic}`;
}

/** The id of a message for its receiver: `msg_` and 128 random bits in hexadecimal. */
export function createMessageId(): string {
  return `msg_${randomBytes(16).toString('hex')}`;
}
