/** Tables of topics, searches with their versions, and services. */

import { SEARCH_STATES, SENSITIVITIES, SERVICE_KINDS } from '../../model/closed-lists.ts';
import { DATE_FILTERS, MODELS, OPERATIONS, TOOLS } from '../../model/enumerations.ts';
import { TOPIC_SOURCE_KINDS } from '../../model/topic-sources.ts';
import { instant, key, ownerName, ref, strandline } from './schema.ts';
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  boolean,
  check,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core';

/** The search, or the service, of a row. */
export const ofSearch = () =>
  ref()
    .notNull()
    .references(() => searches.id);
export const ofService = () =>
  ref()
    .notNull()
    .references(() => services.id);

/** A subject to watch, with its searches. */
export const topics = strandline.table(
  'topics',
  {
    id: key(),
    slug: text().notNull(),
    name: text().notNull(),
    /** Created by the program itself. */
    sample: boolean().notNull().default(false),
    created_at: instant().notNull(),
    archived_at: instant(),
    /** Until when messages about it are held back. Stays when the mute has ended. */
    muted_until: instant(),
    owner: ownerName(),
    /** What its news is about, in words: a language model judges each story by it. Null: everything is news. */
    goal: text(),
    /** Of the goal (`hashGoal`): a judgement belongs to one. */
    goal_hash: text(),
    /** Language tag: what it finds in other languages is translated into it. Null: nothing is. */
    language: text(),
    /** The topic that continues its searches on another service (`monitor/topics/rewatch-topic.ts`). */
    successor_id: ref().references((): AnyPgColumn => topics.id, { onDelete: 'set null' }),
    /** When its purge was requested: workers delete its rows until nothing is left. */
    purged_at: instant(),
  },
  (t) => [
    unique('topics_slug_key').on(t.slug),
    check(
      'topics_goal',
      sql`(${t.goal} is null) = (${t.goal_hash} is null) and length(${t.goal}) between 1 and 300`,
    ),
    check('topics_language', sql`length(${t.language}) between 2 and 12`),
  ],
);

/**
 * Sources of a topic: feeds, sites, pages and searches that the own service reads for its searches, and sources of the service that
 * are switched off. A hosted service is never sent them.
 */
export const topic_sources = strandline.table(
  'topic_sources',
  {
    id: key(),
    topic_id: ref()
      .notNull()
      .references(() => topics.id, { onDelete: 'cascade' }),
    kind: text({ enum: TOPIC_SOURCE_KINDS }).notNull(),
    /** As it is sent: it may contain a secret. Of a source of the service its name, or `all`. */
    address: text().notNull(),
    /** Its own title; empty if it is unknown. */
    title: text().notNull().default(''),
    /** Whether all its items are results; otherwise only items with the words of a search are. */
    takes_all: boolean().notNull().default(false),
    is_on: boolean().notNull(),
    added_at: instant().notNull(),
    added_by: text().notNull(),
    /** The report of the newest response about it, and when the response was received. */
    reported_at: instant(),
    /** When it was last read, how many entries it had, and the time of the newest. */
    read_at: instant(),
    entries: integer(),
    newest_at: instant(),
    /** When it last could not be read, and what is wrong with it; null if nothing is. */
    failed_at: instant(),
    problem: text(),
    owner: ownerName(),
  },
  (t) => [
    unique('topic_sources_address').on(t.topic_id, t.address),
    check('topic_sources_kind', sql`${t.kind} in ('feed', 'site', 'page', 'search', 'service')`),
  ],
);

/** A saved search. Its request and schedule are in its versions. */
export const searches = strandline.table(
  'searches',
  {
    id: key(),
    topic_id: ref()
      .notNull()
      .references(() => topics.id),
    service_id: ref()
      .notNull()
      .references((): AnyPgColumn => services.id),
    slug: text().notNull(),
    operation: text({ enum: OPERATIONS }).notNull(),
    /** The current version, in `search_versions`. */
    version: integer().notNull(),
    labels: text().array().notNull(),
    state: text({ enum: SEARCH_STATES }).notNull(),
    state_reason: text(),
    state_since: instant().notNull(),
    /**
     * Ends of the pauses of the search, of its topic, and of all searches; `infinity`: until somebody resumes it. Each pause
     * ends by itself and leaves the others. If all are null although the search is paused, it is paused until somebody
     * resumes it.
     */
    paused_until: instant(),
    topic_paused_until: instant(),
    all_paused_until: instant(),
    /** End of its last pause, when the scan makes it active. */
    pause_ends_at: instant().generatedAlwaysAs(
      sql`greatest(paused_until, topic_paused_until, all_paused_until)`,
    ),
    /** The next slot without a run row; null if there is none (paused, archived, broken), or it is in `search_pace`. */
    next_due_at: instant(),
    /** Whether its current version has an adaptive interval, so that `search_pace` has the next slot. */
    adaptive: boolean().notNull().default(false),
    /** Sensitivity of spike detection; see monitor/trends. */
    sensitivity: text({ enum: SENSITIVITIES }).notNull().default('normal'),
    owner: ownerName(),
    created_at: instant().notNull(),
    archived_at: instant(),
    /** When the purge of this search was requested: workers delete its rows until nothing is left. */
    purged_at: instant(),
  },
  (t) => [
    unique('searches_slug_key').on(t.slug),
    index('searches_topic').on(t.topic_id),
    // For the scan, twice a second.
    index('searches_due').on(t.next_due_at).where(sql`${t.next_due_at} is not null`),
    // For the scan, too.
    index('searches_pause_ends').on(t.pause_ends_at).where(sql`${t.pause_ends_at} is not null`),
    check('searches_operation', sql`${t.operation} in ('ai', 'microblog')`),
    check('searches_state', sql`${t.state} in ('active', 'paused', 'broken', 'capped')`),
    check('searches_sensitivity', sql`${t.sensitivity} in ('low', 'normal', 'high', 'off')`),
    check(
      'searches_next_due',
      sql`(${t.next_due_at} is not null) = (${t.archived_at} is null and ${t.state} in ('active', 'capped') and not ${t.adaptive})`,
    ),
    check('searches_pause', sql`${t.pause_ends_at} is null or ${t.state} = 'paused'`),
    check('searches_slug', sql`${t.slug} ~ '^[a-z0-9][a-z0-9-]{0,62}$'`),
  ],
);

/**
 * Slugs that a topic or search had before a rename. A former slug leads to its topic or search until another topic or
 * search takes the slug; a slug in use has no row here.
 */
export const former_slugs = strandline.table(
  'former_slugs',
  {
    kind: text().notNull(),
    slug: text().notNull(),
    topic_id: ref().references(() => topics.id, { onDelete: 'cascade' }),
    search_id: ref().references(() => searches.id, { onDelete: 'cascade' }),
    /** When it was renamed. */
    until: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.slug] }),
    check('former_slugs_kind', sql`${t.kind} in ('topic', 'search')`),
    check(
      'former_slugs_owner',
      sql`(${t.topic_id} is not null) = (${t.kind} = 'topic') and (${t.search_id} is not null) = (${t.kind} = 'search')`,
    ),
    index('former_slugs_topic').on(t.topic_id),
    index('former_slugs_search').on(t.search_id),
  ],
);

/** Each change of a search. A run uses its own version; a change of the request starts a new baseline. */
export const search_versions = strandline.table(
  'search_versions',
  {
    search_id: ofSearch(),
    version: integer().notNull(),
    /** The version that introduced this request (prompt, tools, model, filter, extra). */
    request_version: integer().notNull(),
    prompt: text().notNull(),
    tools: text({ enum: TOOLS }).array().notNull(),
    model: text({ enum: MODELS }).notNull(),
    date_filter: text({ enum: DATE_FILTERS }),
    streaming: boolean().notNull().default(false),
    /** Members beyond the specification, passed through to the service. */
    extra: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    cron: text(),
    every_seconds: integer(),
    /** An adaptive interval as written: `auto 5m-2h 48/day`. */
    auto: text(),
    tz: text().notNull(),
    created_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.search_id, t.version] }),
    check('search_versions_schedule', sql`num_nonnulls(${t.cron}, ${t.every_seconds}, ${t.auto}) = 1`),
    check('search_versions_every', sql`${t.every_seconds} >= 60`),
  ],
);

/**
 * What responses have shown about the rate of a search, and when it is due if its interval is adaptive. The follower learns; the
 * scan and the follower set due times. Apart from `searches`, whose rows are locked by saves.
 */
export const search_pace = strandline.table(
  'search_pace',
  {
    search_id: ofSearch().primaryKey(),
    /** The next slot of an adaptive interval; null if it is not, or the search is stopped. */
    due_at: instant(),
    /** The current interval in seconds; null for a fixed schedule. `interval_changes` has its reason. */
    interval_seconds: doublePrecision(),
    /** Until when its calls per day are spent. */
    spent_until: instant(),
    /** The request that the rest is about. */
    request_version: integer(),
    learned_at: instant(),
    rate: doublePrecision(),
    room: doublePrecision(),
    hour_posts: doublePrecision().array(),
    hour_spans: doublePrecision().array(),
    seen: doublePrecision(),
    missed: doublePrecision(),
  },
  (t) => [
    // For the scan, twice a second.
    index('search_pace_due').on(t.due_at).where(sql`${t.due_at} is not null`),
  ],
);

/** Changes of adaptive intervals by a tenth or more, each with its reason and the figures it is based on: a log. */
export const interval_changes = strandline.table(
  'interval_changes',
  {
    id: key(),
    search_id: ref().notNull(),
    /** When the response was received that caused it. */
    at: instant().notNull(),
    /** Of the previous row; null if there was no interval. */
    seconds_before: doublePrecision(),
    seconds: doublePrecision().notNull(),
    reason: text().notNull(),
    /** Posts expected per hour from then on, and how many of the newest a response holds; null: unknown, or of an AI search. */
    per_hour: doublePrecision(),
    room: doublePrecision(),
    /** What the response had for the first time, and since when: the time from the previous response, if nothing interrupted it. */
    new_items: integer(),
    waited_seconds: doublePrecision(),
    /** The limit of the search; null: only the limit of the service applies. */
    calls_per_day: integer(),
  },
  (t) => [
    index('interval_changes_search').on(t.search_id, t.id),
    check(
      'interval_changes_reason',
      sql`${t.reason} in ('learning', 'rate', 'truncated', 'quiet', 'found', 'least', 'most', 'budget')`,
    ),
  ],
);

/** Every state of a search and its duration: paused time must not count as "nothing was posted". */
export const search_states = strandline.table(
  'search_states',
  {
    search_id: ofSearch(),
    began_at: instant().notNull(),
    ended_at: instant(),
    state: text().notNull(),
    reason: text(),
  },
  (t) => [index('search_states_search').on(t.search_id, t.began_at)],
);

/** Search services. A search belongs to one service permanently; IDs are unique only within a service. */
export const services = strandline.table(
  'services',
  {
    id: key(),
    name: text().notNull(),
    kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** Base URL of a hosted service; null for the sandbox and the own service, whose URL changes. */
    address: text(),
    dialect: text().notNull(),
    created_at: instant().notNull(),
  },
  (t) => [
    unique('services_name_key').on(t.name),
    check('services_kind', sql`${t.kind} in ('sandbox', 'own', 'hosted')`),
  ],
);

/** Paid calls per service and UTC day, for `CALLS_PER_DAY`. The row lock makes "compare and add" atomic across workers. */
export const call_days = strandline.table(
  'call_days',
  {
    service_id: ofService(),
    day: date().notNull(),
    calls: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.service_id, t.day] })],
);

/** Paid calls of the last minute per service, by send time, to enforce `CALLS_PER_MINUTE`. */
export const call_minutes = strandline.table('call_minutes', {
  service_id: ofService().primaryKey(),
  sent_at: instant().array().notNull(),
});
