/** Messages of every kind, in every medium for people: topics, searches and rules have their names; slugs are in addresses and commands. */
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { forCounters, MAIN_COUNTERS } from '../../src/model/counters.ts';
import { SYSTEM_EVENT_KINDS } from '../../src/model/alerts.ts';
import { CHANNEL_KINDS } from '../../src/monitor/alerts/channels/channel-kinds.ts';
import {
  type ChannelMessage,
  describeDigest,
  describeDiscoveries,
  describeProblems,
  type ReportedProblem,
} from '../../src/monitor/alerts/message.ts';
import { PROBLEM_CHANGES } from '../../src/monitor/alerts/problem-words.ts';
import type { Digest, DigestAttention, DigestGap } from '../../src/monitor/digests/digest-shapes.ts';
import type {
  FeedAnswer,
  FeedEntry,
  FeedGrowth,
  FeedName,
  FeedPost,
  FeedSpike,
  FeedTrend,
} from '../../src/store/alerts/reportable-discoveries.ts';

const AT = new Date('2026-11-21T12:00:00Z');
const at = AT.toISOString();
const names = new Map([
  ['search-slug', { topic: 'Night ferry', search: 'Posts', full: 'Night ferry: Posts' }],
]);
const rule = { slug: 'rule-slug', name: 'Ferry at night' };
const ofTopic = { topic: 'topic-slug', topic_name: 'Night ferry' };
const ofSearch = { ...ofTopic, search: 'search-slug', search_name: 'Night ferry: Posts' };

const numbers = {
  n: 9,
  coverage: 1,
  usual: 1,
  mean: 1,
  sd: 1,
  score: 8,
  threshold: 3,
  days: 14,
  windows: 20,
};
const post: FeedPost = {
  id: 1n,
  external_id: 'x',
  url: 'https://social.example/1',
  author_username: 'ada',
  author_name: 'Ada',
  text: 'The lantern of the pier is lit.',
  lang: null,
  hashtags: [],
  created_at: AT,
  ...forCounters(MAIN_COUNTERS, () => 7),
};
const spike: FeedSpike = {
  ...numbers,
  id: 1n,
  measure: 'posts',
  sentence: 'More.',
  window_start: AT,
  window_end: AT,
  lower_bound: false,
  sensitivity: 'normal',
  provisional: false,
  only_by: null,
  why: null,
};
const trend: FeedTrend = {
  ...numbers,
  id: 1n,
  state: 'rising',
  sentence: 'Rising.',
  since: AT,
  previous_state: null,
  previous_since: null,
  rate_before: 1,
  rate: 2,
  observed_hours: 24,
  expected: 1,
  why: null,
};
const name: FeedName = {
  id: 1n,
  name: 'x',
  change: 'entered',
  before: 0,
  present: 1,
  missing: 0,
  sentence: 'In.',
};
const growth: FeedGrowth = {
  id: 1n,
  condition: 'unusual',
  value: 9,
  age_hours: 2,
  usual: 3,
  compared_with: 50,
  sentence: 'It grew.',
  post,
};
const answer: FeedAnswer = { id: 1n, changes: [{ change: 'added', text: 'It is lit.' }] };
const link = {
  id: 2n,
  url: 'https://h.example/',
  site: 'h.example',
  title: 'A lantern',
  snippet: 's',
  published_at: AT,
  post: null,
};
const thing = {
  key: null,
  run_id: 3n,
  search_id: 1n,
  search: 'search-slug',
  topic_id: 1n,
  topic: 'topic-slug',
};
const common = {
  ...thing,
  at: AT,
  baseline: false,
  service_kind: 'hosted' as const,
  first_in_topic: true,
  first_of_kind: true,
  has_goal: false,
};
const ENTRIES: readonly FeedEntry[] = [
  { ...common, id: 1n, kind: 'post', post },
  { ...common, id: 2n, kind: 'link', link },
  { ...common, id: 3n, kind: 'spike', spike },
  { ...common, id: 4n, kind: 'trend', trend },
  { ...common, id: 5n, kind: 'name', name },
  { ...common, id: 6n, kind: 'growth', growth },
  { ...common, id: 7n, kind: 'completion', answer },
];

const GAPS: readonly DigestGap[] = [
  { reason: 'missed', searches: 1, slots: 2, from: at, until: at },
  { reason: 'capped', ...ofSearch, slots: 2, from: at, until: at },
  { reason: 'overlap', ...ofSearch, slots: 2, from: at, until: at },
  { reason: 'failed', ...ofSearch, runs: 1, of: 2, detail: 'refused' },
  { reason: 'paused', ...ofSearch, until: null },
  { reason: 'never_ran', ...ofSearch },
  { reason: 'tool', tool: 'Web Search', searches: 1, tool_reason: 'conn_refused', detail: 'did not respond' },
  { reason: 'incomplete', ...ofSearch, share: 0.5, sufficient_seconds: null },
];
const ATTENTION: readonly DigestAttention[] = [
  {
    kind: 'search',
    ...ofSearch,
    status: 'failing',
    status_name: 'failing',
    since: at,
    reason: 'x',
    advice: null,
  },
  {
    kind: 'spike',
    ...ofSearch,
    id: '1',
    measure: 'posts',
    window_start: at,
    window_end: at,
    n: 90,
    lower_bound: false,
    usual: 9,
    ratio: 10,
    sentence: 'More.',
    why: null,
    over: null,
    spikes: 2,
  },
];
const item = {
  kind: 'post' as const,
  id: '1',
  ...ofTopic,
  search: 'search-slug',
  text: 'The lantern',
  author: 'ada',
  url: 'https://social.example/1',
  page: '/posts/1',
  published_at: at,
  ...forCounters(MAIN_COUNTERS, () => 7),
  copies: 3,
  authors: 2,
  story_id: '1',
};
const said = {
  at,
  before_at: at,
  changed: true,
  added: ['a'],
  added_claims: [],
  removed: ['b'],
  more_added: 0,
  more_removed: 0,
  text: null,
};
const scopes = [
  { topic: null, topic_name: null, search: null, search_name: null },
  { topic: 'topic-slug', topic_name: 'Night ferry', search: null, search_name: null },
  { topic: null, topic_name: 'Night ferry', search: 'search-slug', search_name: 'Night ferry: Posts' },
];
const DIGESTS: readonly Digest[] = [...GAPS, null].flatMap((gap) =>
  scopes.map((scope) => ({
    from: at,
    until: at,
    tz: 'UTC',
    ...scope,
    simulated: false,
    brief: null,
    collected: {
      topics: 1,
      searches: 1,
      runs: { succeeded: 1, failed: 0, skipped: 0 },
      coverage: 1,
      calls: 1,
      cost_usd: null,
      calls_without_cost: 0,
      free: true,
    },
    not_collected: gap === null ? [] : [gap],
    // A gap of what needs attention is not repeated.
    attention: gap === null ? [...ATTENTION] : [],
    attention_more: 1,
    answers: [
      { ...ofSearch, ...said },
      { ...ofSearch, ...said, search: 'answers-slug', search_name: 'Night ferry: AI search', changed: false },
      {
        ...ofSearch,
        ...said,
        search: 'first-slug',
        search_name: 'Night ferry: AI search “b”',
        changed: false,
        text: 'It is.',
      },
    ],
    topics: [{ ...ofTopic, posts: 1, links: 1, least: false, items: [item] }],
    growing: [
      { kind: 'item', item, gained: 9, hours: 2, typical_per_hour: null },
      { kind: 'search', ...ofSearch, since: at, sentence: 'Rising.' },
    ],
    quiet: [{ ...ofTopic, checked: true }],
    held: [
      {
        topic: 'topic-slug',
        rule: null,
        name: 'Night ferry',
        since: at,
        counts: { post: 1 },
        page: '/topics/topic-slug',
      },
      { topic: null, rule: 'rule-slug', name: 'Ferry at night', since: null, counts: {}, page: '/alerts' },
    ],
    muted: [{ ...ofTopic, until: at }],
  })),
);

const PROBLEMS = SYSTEM_EVENT_KINDS.flatMap((kind) =>
  PROBLEM_CHANGES.map((change): ReportedProblem => {
    const isSearch = kind.startsWith('search_') || kind === 'nothing_coming';
    return {
      id: 1n,
      kind,
      change,
      parts: ['beginning'],
      subject_key: '1',
      subject: isSearch ? 'search-slug' : 'its name',
      search_id: isSearch ? 1n : null,
      search: isSearch ? 'search-slug' : null,
      topic: isSearch ? 'topic-slug' : null,
      since: AT,
      noticed_at: AT,
      opened_at: AT,
      clear_since: null,
      until: AT,
      outcome: null,
      recurrences: 0,
      reason: 'refused',
      advice: null,
    };
  }),
);

const places = { at: AT, baseUrl: 'https://strandline.example' };
/** Each discovery by itself, because a message shows the first few; all of them; and what a mute held back. */
const MESSAGES: readonly (readonly [string, ChannelMessage])[] = [
  ...[...ENTRIES.map((entry) => [entry]), ENTRIES].map(
    (entries) =>
      [
        `discoveries: ${entries.map(({ kind }) => kind).join(', ')}`,
        describeDiscoveries({
          rule,
          entries,
          names,
          ids: entries.map(({ id }) => id),
          counts: {},
          muted: { since: AT, until: AT, topic: 'topic-slug', topic_name: 'Night ferry', delivery: 7n },
          limit: { per_day: 5, number: 5, waited: true, rest_of_day: 'none' },
          ...places,
        }),
      ] as const,
  ),
  ...DIGESTS.map(
    (value) =>
      [
        `digest: ${value.not_collected[0]?.reason ?? 'attention'}, ${value.search ?? value.topic ?? 'all'}`,
        describeDigest(
          { id: 1n, rule: rule.slug, rule_name: rule.name, value, brief: null },
          { held: [], ...places },
        ),
      ] as const,
  ),
  ...[...PROBLEMS.map((problem) => [problem]), PROBLEMS].map(
    (problems) =>
      [
        `problems: ${problems.length === 1 ? `${problems[0]?.kind} ${problems[0]?.change}` : 'all'}`,
        describeProblems({ rule, problems, names, simulated: false, ...places }),
      ] as const,
  ),
];

/** What a person reads of a body: no address, and no command that is recommended. */
async function readBody(kind: string, body: string): Promise<string> {
  const words =
    kind === 'email'
      ? await PostalMime.parse(body).then(({ subject, text, html }) => [subject, text, html].join(' '))
      : listTexts(JSON.parse(body)).join(' ');
  return words.replaceAll(/https?:[^\s"'<>|)\]]+/g, '').replaceAll(/strandline \w+ \w+ \S+/g, '');
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

const FOR_PEOPLE = Object.entries(CHANNEL_KINDS).filter(([kind]) => kind !== 'webhook');

test.for(FOR_PEOPLE)('no message says a slug: %s', async ([kindName, kind]) => {
  const slugs: string[] = [];
  for (const [what, message] of MESSAGES) {
    const words = await readBody(
      kindName,
      await kind.compose(message, {
        id: 'msg_0123456789abcdef0123456789abcdef',
        channel: 'ops',
        settings: { email: 'a@example.com', telegram: '-1', ntfy: 'https://ntfy.sh/x' },
        baseUrl: places.baseUrl,
        mail: { url: '', from: { name: '', address: 'alerts@example.org' } },
      }),
    );
    for (const [found] of words.matchAll(/.{0,40}\w-slug.{0,20}/g)) slugs.push(`${what}: ${found}`);
    // So that nothing passes because it is empty.
    expect(words, what).toMatch(/Night ferry|Ferry at night/);
  }
  expect(slugs).toEqual([]);
});
