/**
 * A digest as a value: what a span of time brought, in the order in which people read it. Pure. Stored, sent to webhooks and
 * returned by the API as it is: only add members.
 */
import { z } from 'zod';
import { Brief } from '../../model/value-shapes.ts';
import { forCounters, MAIN_COUNTERS } from '../../model/counters.ts';
import { TOOLS } from '../../model/enumerations.ts';
import { TOOL_REASON_NAMES } from '../../model/tool-coverage.ts';
import { RULE_KINDS, SYSTEM_EVENT_KINDS } from '../../model/alerts.ts';

/** New things of a topic that a digest has in full, best first. */
export const MAX_ITEMS_PER_TOPIC = 3;
/** What needs a person, worst first. */
export const MAX_ATTENTION = 3;
/** Things that still grow, most first. */
export const MAX_GROWING = 3;
/** New statements of an answer, and removed statements, each. */
export const MAX_STATEMENTS = 5;
/** Maximum rows of lists that a digest has only for the record: gaps, answers, topics. */
export const MAX_ROWS = 200;
/** UTF-16 code units of a text. */
export const MAX_DIGEST_TEXT = 400;

const TIME = z.string().meta({ format: 'date-time' });
const SLUG = z.string();
const text = (max = MAX_DIGEST_TEXT) => z.string().max(max);

const missing = <R extends string>(reason: R) => ({ reason: z.literal(reason) });
const ofTopic = { topic: SLUG.describe('Slug.'), topic_name: z.string() };
const SEARCH_NAME = z
  .string()
  .nullable()
  .default(null)
  .describe('Of its topic and the search, such as `Night trains: Posts`; null in older digests.');
const ofSearch = { ...ofTopic, search: SLUG.describe('Slug.'), search_name: SEARCH_NAME };
/** Something new or growing: a post, or a link. */
const DigestItem = z
  .object({
    kind: z.enum(['post', 'link']),
    id: z.string().describe('Id of the post or link.'),
    ...ofTopic,
    search: SLUG.describe('Slug of the search that found it.'),
    text: text()
      .nullable()
      .describe('Text of the post, or title of the link; truncated text ends with an ellipsis.'),
    author: z.string().nullable().describe('User name of the author of a post; site of a link.'),
    url: z.string().nullable(),
    page: z.string().describe('Path of its page in the dashboard.'),
    published_at: TIME.nullable(),
    ...forCounters(MAIN_COUNTERS, () => z.number().nullable().describe('Null if unknown.')),
    copies: z
      .int()
      .describe(
        'How many things of the topic its story consists of: the same link, or nearly the same words.',
      ),
    authors: z.int().nullable().describe('Number of their authors; null if none is known.'),
    story_id: z.string().nullable().default(null).describe('The story; null if nothing else says the same.'),
    translation: z
      .object({
        text: text(2 * MAX_DIGEST_TEXT),
        language: z.string().describe('Language tag.'),
        model: z.string().describe('The language model that translated it.'),
      })
      .optional()
      .describe('Its text in the language of the topic. Absent if it was not translated by then.'),
    judgement: z
      .object({ relevant: z.boolean().nullable(), why: z.string().nullable() })
      .optional()
      .describe(
        'What a language model says of it, for the goal of the topic; relevant is null if it was not judged in time. Absent if the topic has no goal.',
      ),
  })
  .meta({ id: 'DigestItem' });
export type DigestItem = z.infer<typeof DigestItem>;

const Collected = z.object({
  topics: z.int(),
  searches: z.int().describe('Number of searches, including those that were removed within the span.'),
  runs: z.object({
    succeeded: z.int(),
    failed: z.int(),
    skipped: z
      .int()
      .describe('Slots without a run: missed while nothing ran, overlapping, or beyond the calls per day.'),
  }),
  coverage: z
    .number()
    .nullable()
    .describe(
      'Share of the span that searches of posts observed, from 0 to 1; null if no search found posts yet.',
    ),
  calls: z.int().describe('Calls of runs, as in the ledger.'),
  cost_usd: z.number().nullable().describe('Sum of the reported costs; null if none is reported.'),
  calls_without_cost: z
    .int()
    .describe('Calls of a service that may cost something, without a reported cost.'),
  free: z.boolean().describe('Whether all calls are known to cost nothing.'),
});

/** Something that was not collected. */
const Gap = z
  .discriminatedUnion('reason', [
    z.object({
      ...missing('missed'),
      searches: z.int(),
      slots: z.int(),
      from: TIME,
      until: TIME,
    }),
    z.object({ ...missing('capped'), ...ofSearch, slots: z.int(), from: TIME, until: TIME }),
    z.object({ ...missing('overlap'), ...ofSearch, slots: z.int(), from: TIME, until: TIME }),
    z.object({
      ...missing('failed'),
      ...ofSearch,
      runs: z.int(),
      of: z.int().describe('Runs that succeeded or failed.'),
      detail: z.string().describe('Why the most of them failed.'),
    }),
    z.object({
      ...missing('paused'),
      ...ofSearch,
      until: TIME.nullable().describe('Null: until somebody resumes it.'),
    }),
    z.object({ ...missing('never_ran'), ...ofSearch }),
    z.object({
      ...missing('tool'),
      tool: z.enum(TOOLS),
      searches: z.int(),
      tool_reason: z.enum(TOOL_REASON_NAMES),
      detail: z.string().describe('In words.'),
    }),
    z.object({
      ...missing('incomplete'),
      ...ofSearch,
      share: z.number().describe('Estimated share of its posts that no response had, from 0 to 1.'),
      sufficient_seconds: z
        .number()
        .nullable()
        .describe('The longest interval that would find nearly all of them; null: none of a minute or more.'),
    }),
  ])
  .meta({ id: 'DigestGap' });
export type DigestGap = z.infer<typeof Gap>;

const Attention = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('search'),
      ...ofSearch,
      status: z.string().describe('As in the status of searches, such as `nothing_coming`.'),
      status_name: z.string().describe('In words.'),
      since: TIME.nullable(),
      reason: z.string().nullable(),
      advice: z.string().nullable(),
    }),
    z.object({
      kind: z.literal('spike'),
      ...ofSearch,
      id: z.string(),
      measure: z.enum(['posts', 'engagement']),
      window_start: TIME,
      window_end: TIME,
      n: z.number(),
      lower_bound: z.boolean(),
      usual: z.number().describe('What is usual in such a window.'),
      ratio: z.number().nullable().describe('Null if fewer than one is usual.'),
      sentence: z.string(),
      why: z.string().nullable().describe('What distinguishes its posts; null if that is not known.'),
      over: z
        .boolean()
        .nullable()
        .describe(
          'Whether the last observed hour is back near the usual; null if nothing was observed since.',
        ),
      spikes: z.int().describe('Number of spikes of this search in the span; this one is the strongest.'),
    }),
    z.object({
      kind: z.literal('problem'),
      event: z.enum(SYSTEM_EVENT_KINDS).describe('As in the view system_events of the SQL contract.'),
      subject: z.string().describe('Slug of the channel; name of the source, service or worker.'),
      title: z.string().describe('In words, such as `channel ops delivers nothing`.'),
      since: TIME,
      reason: z.string().nullable(),
      advice: z.string().nullable(),
      page: z.string().describe('Path of its page in the dashboard.'),
    }),
  ])
  .meta({ id: 'DigestAttention' });
export type DigestAttention = z.infer<typeof Attention>;

const Answer = z
  .object({
    ...ofSearch,
    at: TIME.describe('When the newest answer was received.'),
    before_at: TIME.nullable().describe(
      'When the answer that it is compared with was received; null: it is the first.',
    ),
    changed: z.boolean().describe('Whether it says something that the earlier one did not.'),
    added: z.array(text()).describe('Statements that are new, most cited first.'),
    added_claims: z
      .array(z.string())
      .default([])
      .describe('Their ids, as in the view `claims`; empty in digests of earlier versions.'),
    removed: z.array(text()).describe('Statements that are gone.'),
    more_added: z.int(),
    more_removed: z.int(),
    text: text().nullable().describe('Its first statement, for a first answer; else null.'),
  })
  .meta({ id: 'DigestAnswer' });
export type DigestAnswer = z.infer<typeof Answer>;

const NewOfTopic = z
  .object({
    ...ofTopic,
    posts: z.int().describe('New posts, each once per topic, without what was there at the start.'),
    links: z.int().describe('New links, likewise.'),
    least: z.boolean().describe('Whether there are more than were counted.'),
    items: z.array(DigestItem).max(MAX_ITEMS_PER_TOPIC).describe('The best of them, copies folded.'),
  })
  .meta({ id: 'DigestTopic' });
export type DigestTopic = z.infer<typeof NewOfTopic>;

const Growing = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('item'),
      item: DigestItem,
      gained: z.number().describe('Likes, reposts, replies and quotes that it gained.'),
      hours: z.number().describe('Hours in which it gained them.'),
      typical_per_hour: z
        .number()
        .nullable()
        .describe('Gain of a post of its search at its age; null if unknown.'),
    }),
    z.object({ kind: z.literal('search'), ...ofSearch, since: TIME, sentence: z.string() }),
  ])
  .meta({ id: 'DigestGrowing' });
export type DigestGrowing = z.infer<typeof Growing>;

/** What a mute held back. */
const Held = z
  .object({
    topic: SLUG.nullable().describe('Slug of the topic that was muted; null: the messages of a rule were.'),
    rule: SLUG.nullable().describe(
      'Slug of the rule whose messages were held back; null: the digest itself.',
    ),
    name: z.string().describe('Of the topic or rule.'),
    since: TIME.nullable().describe('Since when digests left it out; null for a rule.'),
    counts: z.partialRecord(z.enum(RULE_KINDS), z.int()).describe('Discoveries by kind.'),
    page: z.string().describe('Path of their list in the dashboard.'),
  })
  .meta({ id: 'DigestHeld' });
export type DigestHeld = z.infer<typeof Held>;

const members = {
  from: TIME.describe('Start of the span.'),
  until: TIME.describe('End of the span, excluded.'),
  tz: z.string().describe('Time zone of its texts.'),
  topic: SLUG.nullable().describe('Slug of the topic that it is limited to; null: all.'),
  search: SLUG.nullable().describe('Slug of the search that it is limited to; null: all.'),
  topic_name: z
    .string()
    .nullable()
    .default(null)
    .describe('Name of that topic, or of the topic of that search; null in older digests, too.'),
  search_name: SEARCH_NAME,
  simulated: z.boolean().describe('True if it comes from the sandbox.'),
  brief: Brief.nullable()
    .default(null)
    .describe(
      'What a language model wrote about the digest; null if nothing was written. Only digests that were sent have a brief.',
    ),
  collected: Collected,
  not_collected: z.array(Gap),
  attention: z.array(Attention).max(MAX_ATTENTION),
  attention_more: z.int().describe('How many more need attention.'),
  answers: z.array(Answer),
  topics: z.array(NewOfTopic).describe('Topics with something new, most first.'),
  growing: z.array(Growing).max(MAX_GROWING),
  quiet: z
    .array(z.object({ ...ofTopic, checked: z.boolean() }))
    .describe('Topics without anything new. `checked`: a run of it succeeded.'),
  held: z
    .array(Held)
    .default([])
    .describe(
      'What mutes that are over held back. Of a past digest, in the messages to all of its channels.',
    ),
  muted: z
    .array(z.object({ ...ofTopic, until: TIME }))
    .default([])
    .describe('Topics that are left out because they are muted.'),
};

/** What a span of time brought. Two reads of the same span may differ: counters and texts are those of the time of the read. */
export const Digest = z.object(members).meta({ id: 'Digest' });
export type Digest = z.infer<typeof Digest>;

/** Whether a digest has news. A digest without news is kept as a page and sent to nobody. */
export function saysSomething(digest: Digest): boolean {
  const { not_collected, attention, answers, topics, growing, held } = digest;
  return (
    topics.length + attention.length + growing.length + held.length > 0 ||
    answers.some(({ changed, before_at }) => changed || before_at === null) ||
    not_collected.some(({ reason }) => reason !== 'paused' && reason !== 'tool' && reason !== 'incomplete')
  );
}

/** Names of topics and searches, by slug. */
export type DigestNames = {
  topic: (slug: string) => string;
  /** The members that name a search. */
  search: (search: Pick<SearchMembers, 'topic' | 'search'>) => SearchMembers;
};
export type SearchMembers = { topic: string; topic_name: string; search: string; search_name: string | null };
